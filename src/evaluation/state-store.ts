import { sql } from 'kysely'
import { aroundDamage } from '../db/failures/damage.ts'
import type { Db } from '../db/open.ts'
import { among } from '../db/statements/among.ts'
import type { SloRow, StateRow } from '../db/tables/tables.ts'
import { deletedState, unmeasured } from '../slos/revision-store.ts'
import { type DescribedSlo, getSlo } from '../slos/store.ts'
import { damagedReason } from './read-state.ts'

/** An SLO and its state; `state` is null until the present revision has been evaluated. */
export type SloState = { slo: SloRow; state: StateRow | null }

/** Lists the active ones of these SLOs, of any organization. */
export async function listStatesOf(db: Db, sloIds: number[]): Promise<SloState[]> {
  return withStates(db, await activeSlos(db).where('id', 'in', among(sloIds)).execute())
}

/** Ids of the organization's active SLOs, newest first. */
export async function listActiveSloIds(db: Db, organizationId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('slos')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('active', '=', 1)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map(({ id }) => id)
}

const summaryColumns = [
  'id',
  'organization_id',
  'revision',
  'name',
  'time_window',
  'time_zone',
  'labels',
  'target',
] as const

/** Columns of an SLO without its queries and other measurement settings. */
export type SloSummary = Pick<SloRow, (typeof summaryColumns)[number]>

/** Lists the active ones of these SLOs, in the order of the ids. */
export async function listSummaryStates(db: Db, ids: number[]): Promise<{ slo: SloSummary; state: StateRow | null }[]> {
  return withStates(db, inOrder(ids, await selectSummaries(db, ids).execute()))
}

/** `SloSummary` with the further columns of a list; the description is cut to its first 200 characters. */
export type OverviewSlo = SloSummary & Pick<SloRow, 'team_id' | 'updated_at' | 'description' | 'budget_policy'>

export const listedDescriptionLength = 200

/** Lists the active ones of these SLOs, in the order of the ids. */
export async function listOverviewStates(
  db: Db,
  ids: number[],
): Promise<{ slo: OverviewSlo; state: StateRow | null }[]> {
  const beginning = sql<string>`substr(description, 1, ${listedDescriptionLength})`
  const slos = selectSummaries(db, ids).select(['team_id', 'updated_at', 'budget_policy', beginning.as('description')])
  return withStates(db, inOrder(ids, await slos.execute()))
}

function selectSummaries(db: Db, ids: number[]) {
  return db.selectFrom('slos').select(summaryColumns).where('active', '=', 1).where('id', 'in', among(ids))
}

function inOrder<T extends { id: number }>(ids: number[], slos: T[]): T[] {
  const sloOf = new Map(slos.map((slo) => [slo.id, slo]))
  return ids.flatMap((id) => sloOf.get(id) ?? [])
}

function activeSlos(db: Db) {
  return db.selectFrom('slos').selectAll().where('active', '=', 1)
}

type Stated = Pick<SloRow, 'id' | 'organization_id' | 'revision'>

/** Lists the stored states of these SLOs; a damaged one is replaced by `damagedState`. */
async function listStatesBy(db: Db, slos: Stated[]): Promise<StateRow[]> {
  const read = (chunk: Stated[]) =>
    db
      .selectFrom('slo_states')
      .selectAll()
      .where('slo_id', 'in', among(chunk.map(({ id }) => id)))
      .execute()
  return aroundDamage(slos, read, (slo) => [damagedState(slo)])
}

/** An SLO with its team's policy, and its state. */
type DescribedState = SloState & { slo: DescribedSlo }

/** Gets one SLO with its state. The state of a deleted SLO is unknown, with its last measured values. */
export async function getState(db: Db, organizationId: number, sloId: number): Promise<DescribedState> {
  const slo = await getSlo(db, organizationId, sloId)
  const [row] = await listStatesBy(db, [slo])
  const state = ofRevision(slo, row)
  return { slo, state: slo.active === 1 || state?.reason === damagedReason ? state : deletedState(slo, state) }
}

async function withStates<T extends Stated>(db: Db, slos: T[]): Promise<{ slo: T; state: StateRow | null }[]> {
  const stateOf = new Map((await listStatesBy(db, slos)).map((state) => [state.slo_id, state]))
  return slos.map((slo) => ({ slo, state: ofRevision(slo, stateOf.get(slo.id)) }))
}

function ofRevision(slo: Stated, state: StateRow | undefined): StateRow | null {
  return state?.revision === slo.revision ? state : null
}

/** Current values of an SLO a day and a week ago, in percent; null if none is known from near that time. */
type EarlierValues = { id: number; dayAgo: number | null; weekAgo: number | null }

/** Lists for each SLO the newest value at or before each time, at most two hours (for the week: a day) older. */
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

/** State of an SLO whose row is damaged. */
function damagedState({ id, organization_id, revision }: Stated): StateRow {
  return {
    slo_id: id,
    organization_id,
    revision,
    status: 'unknown',
    reason: damagedReason,
    message: 'nines.db is damaged: what is known of this SLO cannot be read',
    evaluated_at: 0,
    ...unmeasured,
    state: 'unknown',
    state_since: null,
    state_reason: damagedReason,
  }
}
