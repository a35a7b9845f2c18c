import { sql } from 'kysely'
import { aroundDamage } from '../db/failures/damage.ts'
import type { Db } from '../db/open.ts'
import { among } from '../db/statements/among.ts'
import type { SloRow, StateRow } from '../db/tables/tables.ts'
import { isDatabaseDamaged } from '../errors.ts'
import { isActive, listActiveIds } from '../slos/store.ts'

/** Active SLO with the names of its organization and team; `state` null: not evaluated since its last edit. */
export type ListedSlo = Pick<SloRow, 'id' | 'name' | 'target' | 'labels'> & {
  organization: string
  team: string
  state: StateRow | null
}

/** Scope of SLOs: one organization by its id, the first one, or all. */
export type SloScope = number | 'first' | 'all'

/** Page of SLOs. `lastId`: id after which the next page starts; null: there is none. */
export type SloPage = { slos: ListedSlo[]; lastId: number | null }

/** Active SLOs after an id, in id order, at most `limit`, without those whose rows are damaged. */
export async function listActiveAfter(db: Db, id: number, limit: number, scope: SloScope): Promise<SloPage> {
  const slosAfter = namedSlos(db, scope).where('slos.id', '>', id).orderBy('slos.id').limit(limit)
  try {
    const slos = await slosAfter.execute()
    return { slos: await withStates(db, slos), lastId: slos.length < limit ? null : (slos.at(-1)?.id ?? null) }
  } catch (error) {
    if (!isDatabaseDamaged(error)) throw error
    const ids = (await listActiveIds(db)).filter((one) => one > id).slice(0, limit)
    const read = (chunk: number[]) =>
      namedSlos(db, scope).where('slos.id', 'in', among(chunk)).orderBy('slos.id').execute()
    const slos = await aroundDamage(ids, read, () => [])
    return { slos: await withStates(db, slos), lastId: ids.at(-1) ?? null }
  }
}

/** Number of active SLOs after an id. */
export async function countActiveAfter(db: Db, id: number, scope: SloScope): Promise<number> {
  const slosAfter = namedSlos(db, scope).where('slos.id', '>', id).clearSelect()
  const { count } = await slosAfter.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return count
}

function namedSlos(db: Db, scope: SloScope) {
  return db
    .selectFrom('slos')
    .innerJoin('organizations', 'organizations.id', 'slos.organization_id')
    .innerJoin('teams', (join) =>
      join.onRef('teams.organization_id', '=', 'slos.organization_id').onRef('teams.id', '=', 'slos.team_id'),
    )
    .where(isActive)
    .$if(typeof scope === 'number', (all) => all.where('slos.organization_id', '=', Number(scope)))
    .$if(scope === 'first', (all) =>
      all.where('slos.organization_id', '=', (q) =>
        q.selectFrom('organizations').select(({ fn }) => fn.min('id').as('first')),
      ),
    )
    .select(['slos.id', 'slos.name', 'target', 'labels', 'revision'])
    .select(['organizations.name as organization', 'teams.name as team'])
}

type NamedSlo = Omit<ListedSlo, 'state'> & Pick<SloRow, 'revision'>

async function withStates(db: Db, slos: NamedSlo[]): Promise<ListedSlo[]> {
  const read = (chunk: NamedSlo[]) =>
    db
      .selectFrom('slo_states')
      .selectAll()
      .where('slo_id', 'in', among(chunk.map(({ id }) => id)))
      .execute()
  const states = await aroundDamage(slos, read, () => [])
  const stateOf = new Map(states.map((state) => [state.slo_id, state]))
  return slos.map(({ revision, ...slo }) => {
    const state = stateOf.get(slo.id)
    return { ...slo, state: state?.revision === revision ? state : null }
  })
}

/** Ids of the data sources of the first organization. */
export async function listSourcesOfFirstOrganization(db: Db): Promise<number[]> {
  const sources = await db
    .selectFrom('data_sources')
    .where('organization_id', '=', (q) => q.selectFrom('organizations').select(({ fn }) => fn.min('id').as('first')))
    .select('id')
    .execute()
  return sources.map(({ id }) => id)
}

/** Number of active SLOs, and when the newest value of any that is not paused was measured, in ms; null: none was. */
export async function readNewestMeasurement(db: Db): Promise<{ slos: number; newestMs: number | null }> {
  return db
    .selectFrom('slos')
    .leftJoin('slo_states', (join) =>
      join.onRef('slo_states.slo_id', '=', 'slos.id').onRef('slo_states.revision', '=', 'slos.revision'),
    )
    .where(isActive)
    .select(({ fn }) => [
      fn.countAll<number>().as('slos'),
      fn.max<number | null>('slo_states.measured_at').filterWhere('slos.paused_at', 'is', null).as('newestMs'),
    ])
    .executeTakeFirstOrThrow()
}

type Queued = { status: 'pending' | 'sending'; count: number; oldestMs: number | null }

/** Counts the outbox by status, from an index alone, so that its size does not matter. */
export async function countQueued(db: Db): Promise<Queued[]> {
  const { rows } = await sql<Queued>`
    select statuses.value as status, count(notifications.id) as count, min(notifications.created_at) as oldestMs
    from json_each('["pending", "sending"]') as statuses cross join organizations
      left join notifications indexed by notifications_counted
        on notifications.organization_id = organizations.id and notifications.status = statuses.value
    group by statuses.value
  `.execute(db)
  return rows
}

/** Oldest queued notification of a channel. `isTroubled`: its receiver failed, or has requested a pause. */
type QueueHead = { dueMs: number; createdMs: number; isTroubled: boolean; organizationId: number }

/**
 * Oldest queued notification of each channel. The recursive part jumps in the index from one channel to the next, so that the number of
 * notifications does not matter.
 */
export async function listQueueHeads(db: Db, nowMs: number): Promise<QueueHead[]> {
  const queued = sql`status in ('pending', 'sending')`
  const { rows } = await sql<{ dueMs: number; createdMs: number; isTroubled: number; organizationId: number }>`
    with recursive waiting (channel_id) as (
      select min(channel_id) from notifications where ${queued}
      union all
      select (select min(channel_id) from notifications where ${queued} and channel_id > waiting.channel_id)
      from waiting where waiting.channel_id is not null
    )
    select head.organization_id as organizationId, head.next_attempt_at as dueMs, head.created_at as createdMs,
      (head.retry_count > 0 or channels.failing_since is not null or coalesce(channels.paused_until, 0) > ${nowMs})
        as isTroubled
    from waiting
    cross join notifications as head on head.id =
      (select min(id) from notifications where ${queued} and channel_id = waiting.channel_id)
    left join channels on channels.id = waiting.channel_id
  `.execute(db)
  return rows.map((row) => ({ ...row, isTroubled: row.isTroubled === 1 }))
}

export async function countBackfills(db: Db): Promise<{ status: string; count: number }[]> {
  return db
    .selectFrom('backfills')
    .select(({ fn }) => ['status', fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute()
}

/** True if there is an SLO to evaluate: an active one that is not paused. */
export async function hasSloToEvaluate(db: Db): Promise<boolean> {
  const evaluated = db.selectFrom('slos').select('id').where('active', '=', 1).where('paused_at', 'is', null)
  const row = await evaluated.limit(1).executeTakeFirst()
  return row !== undefined
}

export async function hasOrganization(db: Db): Promise<boolean> {
  const row = await db.selectFrom('organizations').select('id').limit(1).executeTakeFirst()
  return row !== undefined
}
