import { sql } from 'kysely'
import { aroundDamage } from '../db/failures/damage.ts'
import type { Db } from '../db/open.ts'
import type { SloRow, StateRow } from '../db/tables/tables.ts'
import type { BurnRate } from '../slos/arithmetic/burn-rates.ts'
import { getSlo } from '../slos/store.ts'
import type { Evaluation } from './evaluation.ts'
import { damagedReason } from './read-state.ts'

/** Nothing is overtaken by so much: what seems to be from later was found before the clock was set back. */
const maxOvertakenMs = 5000

/** An SLO and what is known of it; `state` is null until its present revision has been evaluated. */
export type SloState = { slo: SloRow; state: StateRow | null }

/**
 * Writes a batch as what is known of each SLO now, and as its history. Of a failed evaluation only the status is news:
 * values stay those of `measured_at`. An SLO that has meanwhile been edited, or deleted, is passed over: what was found
 * may not hold for it as it is now.
 */
export async function putEvaluations(trx: Db, evaluations: Evaluation[]): Promise<void> {
  const json = JSON.stringify(evaluations)
  const history = JSON.stringify(
    evaluations.map(({ burnRates, ...rest }) => ({ ...rest, rates: burnRates.map(ratesOnly) })),
  )
  await sql`
    insert into slo_states (
      slo_id, organization_id, revision, status, reason, message, evaluated_at, measured_at, current_value, own_value,
      budget_used, good_events, total_events, current_coverage, own_coverage, burn_rates
    )
    select slos.id, slos.organization_id, slos.revision, value->>'status', value->>'reason', value->>'message',
      value->>'evaluatedAtMs', iif(value->>'failed', null, 1000 * (value->>'atSeconds')), value->>'current',
      value->>'own', value->>'budgetUsed', value->>'goodEvents', value->>'totalEvents', value->>'currentCoverage',
      value->>'ownCoverage', value->'burnRates'
    from ${stillWanted(json)}
    on conflict (slo_id) do update set
      revision = excluded.revision,
      status = excluded.status,
      reason = excluded.reason,
      message = excluded.message,
      evaluated_at = excluded.evaluated_at,
      measured_at = ${unlessFailed('measured_at')},
      current_value = ${unlessFailed('current_value')},
      own_value = ${unlessFailed('own_value')},
      budget_used = ${unlessFailed('budget_used')},
      good_events = ${unlessFailed('good_events')},
      total_events = ${unlessFailed('total_events')},
      current_coverage = ${unlessFailed('current_coverage')},
      own_coverage = ${unlessFailed('own_coverage')},
      burn_rates = ${unlessFailed('burn_rates')}
    where excluded.evaluated_at not between slo_states.evaluated_at - ${maxOvertakenMs} and slo_states.evaluated_at - 1
  `.execute(trx)
  await sql`
    insert into evaluations (
      slo_id, at, revision, status, reason, current_value, own_value, budget_used, burn_rates, resolution, rolled_up,
      worst_status, lowest_value
    )
    select slos.id, value->>'atSeconds', slos.revision, value->>'status', value->>'reason', value->>'current',
      value->>'own', value->>'budgetUsed', value->'rates', 0, 1, value->>'status', value->>'current'
    from ${stillWanted(history)}
    on conflict (slo_id, at) do update set
      revision = excluded.revision,
      status = excluded.status,
      reason = excluded.reason,
      current_value = excluded.current_value,
      own_value = excluded.own_value,
      budget_used = excluded.budget_used,
      burn_rates = excluded.burn_rates,
      worst_status = excluded.worst_status,
      lowest_value = excluded.lowest_value
    where excluded.reason is not 'source_error' or evaluations.revision <> excluded.revision
  `.execute(trx)
}

/** The rest of a tier follows from the SLO's window, and the history is long. */
function ratesOnly({ long_seconds, short_seconds, long, short }: BurnRate) {
  return [long_seconds, short_seconds, long, short]
}

function stillWanted(json: string) {
  return sql`
    json_each(${json}) join slos on slos.id = value->>'sloId' and slos.organization_id = value->>'organizationId'
      and slos.revision = value->>'revision' and slos.updated_at = value->>'sloUpdatedAtMs'
    where slos.active = 1
  `
}

/** Only a failed evaluation has no `measured_at`; what an earlier revision measured is not kept for it either. */
function unlessFailed(column: keyof StateRow) {
  return sql`iif(
    excluded.measured_at is null and excluded.revision = slo_states.revision,
    slo_states.${sql.ref(column)},
    excluded.${sql.ref(column)}
  )`
}

/** All active SLOs of the organization, newest first. */
export async function listStates(db: Db, organizationId: number): Promise<SloState[]> {
  const slos = await db
    .selectFrom('slos')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('active', '=', 1)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return joined(slos, await listStatesBy(db, slos))
}

/** Those of the SLOs that are active, of whichever organization. */
export async function listStatesOf(db: Db, sloIds: number[]): Promise<SloState[]> {
  const slos = await db
    .selectFrom('slos')
    .selectAll()
    .where('id', 'in', among(sloIds))
    .where('active', '=', 1)
    .execute()
  return joined(slos, await listStatesBy(db, slos))
}

type Stated = Pick<SloRow, 'id' | 'organization_id' | 'revision'>

/** What is stored of these SLOs; of one whose state is damaged, that it is. */
export async function listStatesBy(db: Db, slos: Stated[]): Promise<StateRow[]> {
  const read = (some: Stated[]) =>
    db
      .selectFrom('slo_states')
      .selectAll()
      .where('slo_id', 'in', among(some.map(({ id }) => id)))
      .execute()
  return aroundDamage(slos, read, (slo) => [damagedState(slo)])
}

/** One SLO, deleted ones too. */
export async function getState(db: Db, organizationId: number, sloId: number): Promise<SloState> {
  const slo = await getSlo(db, organizationId, sloId)
  const [state] = await listStatesBy(db, [slo])
  return { slo, state: ofRevision(slo, state) }
}

function joined(slos: SloRow[], states: StateRow[]): SloState[] {
  const stateOf = new Map(states.map((state) => [state.slo_id, state]))
  return slos.map((slo) => ({ slo, state: ofRevision(slo, stateOf.get(slo.id)) }))
}

function ofRevision(slo: SloRow, state: StateRow | undefined): StateRow | null {
  return state?.revision === slo.revision ? state : null
}

/** The current values an SLO had a day and a week ago, in percent; null where none is known from near then. */
export type EarlierValues = { id: number; dayAgo: number | null; weekAgo: number | null }

/** Of these SLOs: the newest value at or before each time, at most two hours (for the week: a day) older. */
export async function listEarlierValues(db: Db, sloIds: number[], nowSeconds: number): Promise<EarlierValues[]> {
  const newest = (untilSeconds: number, reachSeconds: number) => sql<number | null>`(
    select current_value from evaluations
    where slo_id = slos.id and revision = slos.revision and current_value is not null
      and at between ${untilSeconds - reachSeconds} and ${untilSeconds}
    order by at desc limit 1
  )`
  const read = (ids: number[]) =>
    db
      .selectFrom('slos')
      .select([
        'id',
        newest(nowSeconds - 86_400, 2 * 3600).as('dayAgo'),
        newest(nowSeconds - 7 * 86_400, 86_400).as('weekAgo'),
      ])
      .where('id', 'in', among(ids))
      .execute()
  return aroundDamage(sloIds, read, (id) => [{ id, dayAgo: null, weekAgo: null }])
}

function among(ids: number[]) {
  return sql<number>`(select value from json_each(${JSON.stringify(ids)}))`
}

/** The state of an SLO whose row is damaged. */
function damagedState({ id, organization_id, revision }: Stated): StateRow {
  return {
    slo_id: id,
    organization_id,
    revision,
    status: 'unknown',
    reason: damagedReason,
    message: 'nines.db is damaged: what is known of this SLO cannot be read',
    evaluated_at: 0,
    measured_at: null,
    current_value: null,
    own_value: null,
    budget_used: null,
    good_events: null,
    total_events: null,
    current_coverage: null,
    own_coverage: null,
    burn_rates: '[]',
  }
}
