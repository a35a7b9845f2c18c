import type { Clock } from '../clock.ts'
import type { Database, Db } from '../db/open.ts'
import { flag, type NewSlo, type SloRow } from '../db/tables.ts'
import { invalid } from '../errors.ts'
import type { Caller } from '../http/signed-in.ts'
import { assertMeasurable } from './definition.ts'
import type { SloCreation, SloUpdate } from './model.ts'
import { getSlo, hasSource, insertSlo, updateSlo } from './store.ts'
import { hasTeam } from './team-store.ts'

type Deps = { db: Database; clock: Clock }

const ownUnitFollows = [
  'metric_query',
  'good_query',
  'bad_query',
  'total_query',
  'threshold',
  'threshold_op',
  'window_method',
  'query_unit',
  'source_id',
] as const

/** Stores a new SLO of the caller's organization; throws `invalid` for what does not make one. */
export async function createSlo({ db, clock }: Deps, caller: Caller, wanted: SloCreation): Promise<SloRow> {
  const nowMs = clock.now()
  const slo = {
    organization_id: caller.organizationId,
    name: wanted.name,
    description: wanted.description ?? '',
    target: wanted.target,
    time_window: wanted.time_window,
    metric_type: wanted.metric_type,
    team_id: wanted.team_id ?? 1,
    source_id: wanted.source_id ?? null,
    metric_query: wanted.metric_query ?? null,
    good_query: wanted.good_query ?? null,
    bad_query: wanted.bad_query ?? null,
    total_query: wanted.total_query ?? null,
    threshold: wanted.threshold ?? null,
    threshold_op: wanted.threshold_op ?? null,
    window_method: wanted.window_method ?? 'auto',
    query_unit: wanted.query_unit ?? 'auto',
    settled_unit: null,
    active: flag(true),
    created_by: caller.userId,
    created_at: nowMs,
    updated_at: nowMs,
  } satisfies NewSlo
  assertMeasurable(slo)
  return db.write.transaction().execute(async (trx) => {
    await assertReferences(trx, slo)
    return insertSlo(trx, slo)
  })
}

/** Changes the given fields only, and returns the SLO as it is then. `active: true` restores a deleted one. */
export async function changeSlo(
  { db, clock }: Deps,
  organizationId: number,
  id: number,
  wanted: SloUpdate,
): Promise<SloRow> {
  const { active, ...fields } = wanted
  const given: Partial<SloRow> = { ...fields, ...(active === undefined ? {} : { active: flag(active) }) }
  if (Object.keys(given).length === 0) throw invalid('body', 'wanted at least one field of an SLO')
  return db.write.transaction().execute(async (trx) => {
    const before = await getSlo(trx, organizationId, id)
    const after = { ...before, ...given, updated_at: clock.now() }
    assertMeasurable(after)
    await assertReferences(trx, after)
    if (ownUnitFollows.some((field) => after[field] !== before[field])) after.settled_unit = null
    await updateSlo(trx, organizationId, id, {
      ...given,
      updated_at: after.updated_at,
      settled_unit: after.settled_unit,
    })
    return after
  })
}

/** Soft: the row stays, inactive, and can be restored. Deleting again changes nothing. */
export async function deleteSlo({ db, clock }: Deps, organizationId: number, id: number): Promise<void> {
  await db.write.transaction().execute(async (trx) => {
    const slo = await getSlo(trx, organizationId, id)
    if (slo.active === 1) await updateSlo(trx, organizationId, id, { active: flag(false), updated_at: clock.now() })
  })
}

type References = Pick<SloRow, 'organization_id' | 'team_id' | 'source_id'>

async function assertReferences(trx: Db, slo: References): Promise<void> {
  if (!(await hasTeam(trx, slo.organization_id, slo.team_id))) {
    throw invalid('team_id', 'wanted a team of your organization')
  }
  if (slo.source_id !== null && !(await hasSource(trx, slo.organization_id, slo.source_id))) {
    throw invalid('source_id', 'wanted a source of your organization')
  }
}
