import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import type { SloRow, StateRow } from '../db/tables.ts'

/** An active SLO with the names of whose it is; `state` null: not evaluated yet as it is now. */
export type ListedSlo = Pick<SloRow, 'id' | 'name' | 'target' | 'labels'> & {
  organization: string
  team: string
  state: StateRow | null
}

/** Whose SLOs: an organization's by its id, those of the first one, or of all. */
export type Whose = number | 'first' | 'all'

/** Active SLOs after an id, by id; to be asked again after the last of them. */
export async function listActiveAfter(db: Db, id: number, limit: number, whose: Whose): Promise<ListedSlo[]> {
  const slos = await db
    .selectFrom('slos')
    .innerJoin('organizations', 'organizations.id', 'slos.organization_id')
    .innerJoin('teams', (join) =>
      join.onRef('teams.organization_id', '=', 'slos.organization_id').onRef('teams.id', '=', 'slos.team_id'),
    )
    .where('slos.active', '=', 1)
    .where('slos.id', '>', id)
    .$if(typeof whose === 'number', (all) => all.where('slos.organization_id', '=', Number(whose)))
    .$if(whose === 'first', (all) =>
      all.where('slos.organization_id', '=', (q) =>
        q.selectFrom('organizations').select(({ fn }) => fn.min('id').as('first')),
      ),
    )
    .select(['slos.id', 'slos.name', 'target', 'labels', 'revision'])
    .select(['organizations.name as organization', 'teams.name as team'])
    .orderBy('slos.id')
    .limit(limit)
    .execute()
  const states = await db
    .selectFrom('slo_states')
    .selectAll()
    .where('slo_id', '>', id)
    .where('slo_id', '<=', slos.at(-1)?.id ?? id)
    .execute()
  const stateOf = new Map(states.map((state) => [state.slo_id, state]))
  return slos.map(({ revision, ...slo }) => {
    const state = stateOf.get(slo.id)
    return { ...slo, state: state?.revision === revision ? state : null }
  })
}

/** The sources of the first organization. */
export async function listFirstSources(db: Db): Promise<number[]> {
  const sources = await db
    .selectFrom('data_sources')
    .where('organization_id', '=', (q) => q.selectFrom('organizations').select(({ fn }) => fn.min('id').as('first')))
    .select('id')
    .execute()
  return sources.map(({ id }) => id)
}

/** How many active SLOs there are, and when the newest value of any of them was measured. */
export async function readLedgerHead(db: Db): Promise<{ slos: number; newestMs: number | null }> {
  return db
    .selectFrom('slos')
    .leftJoin('slo_states', (join) =>
      join.onRef('slo_states.slo_id', '=', 'slos.id').onRef('slo_states.revision', '=', 'slos.revision'),
    )
    .where('slos.active', '=', 1)
    .select(({ fn }) => [
      fn.countAll<number>().as('slos'),
      fn.max<number | null>('slo_states.measured_at').as('newestMs'),
    ])
    .executeTakeFirstOrThrow()
}

type Queued = { status: 'pending' | 'sending'; count: number; oldestMs: number | null }

/** What the outbox holds; from an index alone, however much that is. */
export async function countQueued(db: Db): Promise<Queued[]> {
  const { rows } = await sql<Queued>`
    select words.value as status, count(notifications.id) as count, min(notifications.created_at) as oldestMs
    from json_each('["pending", "sending"]') as words cross join organizations
      left join notifications indexed by notifications_counted
        on notifications.organization_id = organizations.id and notifications.status = words.value
    group by words.value
  `.execute(db)
  return rows
}

export async function countBackfills(db: Db): Promise<{ status: string; count: number }[]> {
  return db
    .selectFrom('backfills')
    .select(({ fn }) => ['status', fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute()
}

export async function anyActiveSlo(db: Db): Promise<boolean> {
  const row = await db.selectFrom('slos').select('id').where('active', '=', 1).limit(1).executeTakeFirst()
  return row !== undefined
}

export async function anyOrganization(db: Db): Promise<boolean> {
  const row = await db.selectFrom('organizations').select('id').limit(1).executeTakeFirst()
  return row !== undefined
}
