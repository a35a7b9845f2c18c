import { type Insertable, sql, type Updateable } from 'kysely'
import type { Db } from '../../db/open.ts'
import { organizationRows } from '../../db/organization-rows.ts'
import { prepared } from '../../db/statements/prepared.ts'
import type { HeartbeatRow, HeartbeatRunRow, Tables } from '../../db/tables/tables.ts'

export const heartbeatRows = organizationRows('heartbeats', 'Heartbeat')

/** Number of runs kept of each heartbeat, including reports outside any run. */
export const keptRuns = 50

/** Heartbeats of all organizations. */
export function listHeartbeats(db: Db): Promise<HeartbeatRow[]> {
  return db.selectFrom('heartbeats').selectAll().execute()
}

export type FoundHeartbeat = Pick<HeartbeatRow, 'id' | 'organization_id'>

const byToken = prepared<{ hash: string }, FoundHeartbeat>(
  ({ hash }) => sql`select id, organization_id from heartbeats where token_hash = ${hash}`,
)
const bySlug = prepared<{ hash: string; slug: string }, FoundHeartbeat>(
  ({ hash, slug }) => sql`
    select h.id, h.organization_id from ping_keys k
    join heartbeats h on h.organization_id = k.organization_id and h.slug = ${slug}
    where k.key_hash = ${hash} limit 2`,
)

/** Heartbeats with this address. `hash`: of its UUID, or with `slug`, of the ping key of its organization. At most two. */
export async function findByAddress(
  db: Db,
  address: { hash: string; slug?: string | undefined },
): Promise<FoundHeartbeat[]> {
  const { hash, slug } = address
  return (await (slug === undefined ? byToken(db, { hash }) : bySlug(db, { hash, slug }))).rows
}

export async function setPingKey(trx: Db, row: Insertable<Tables['ping_keys']>): Promise<void> {
  const { key_hash, created_at } = row
  const insert = trx.insertInto('ping_keys').values(row)
  await insert.onConflict((key) => key.column('organization_id').doUpdateSet({ key_hash, created_at })).execute()
}

/** Time at which the ping key of an organization was made, in Unix milliseconds; null: it has none. */
export async function pingKeyMadeAt(db: Db, organizationId: number): Promise<number | null> {
  const found = db.selectFrom('ping_keys').select('created_at').where('organization_id', '=', organizationId)
  return (await found.executeTakeFirst())?.created_at ?? null
}

/** The last runs of a heartbeat, newest first. */
export function listRuns(db: Db, heartbeatId: number): Promise<HeartbeatRunRow[]> {
  const runs = db.selectFrom('heartbeat_runs').selectAll().where('heartbeat_id', '=', heartbeatId)
  return runs.orderBy('id', 'desc').limit(keptRuns).execute()
}

export type NewRun = Insertable<Tables['heartbeat_runs']>

const addRun = prepared<Required<Omit<NewRun, 'id'>>>(
  (run) => sql`
    insert into heartbeat_runs
      (heartbeat_id, at, due_at, outcome, report, started_at, duration_ms, exit_code, message)
    values
      (${run.heartbeat_id}, ${run.at}, ${run.due_at}, ${run.outcome}, ${run.report}, ${run.started_at},
       ${run.duration_ms}, ${run.exit_code}, ${run.message})`,
)
const removeOldRuns = prepared<{ id: number }>(
  ({ id }) => sql`
    delete from heartbeat_runs where heartbeat_id = ${id} and id <=
      (select id from heartbeat_runs where heartbeat_id = ${id} order by id desc limit 1 offset ${sql.lit(keptRuns)})`,
)

/** Stores a run, and removes the oldest beyond those that are kept. */
export async function insertRun(trx: Db, run: Required<Omit<NewRun, 'id'>>): Promise<void> {
  await addRun(trx, run)
  await removeOldRuns(trx, { id: run.heartbeat_id })
}

type RunState = Required<
  Pick<
    Updateable<Tables['heartbeats']>,
    | 'due_at'
    | 'runs'
    | 'good_runs'
    | 'last_outcome'
    | 'since'
    | 'reason'
    | 'last_success_at'
    | 'last_duration_ms'
    | 'starts'
  >
>

const setState = prepared<RunState & { id: number }>(
  (row) => sql`
    update heartbeats set due_at = ${row.due_at}, runs = ${row.runs}, good_runs = ${row.good_runs},
      last_outcome = ${row.last_outcome}, since = ${row.since}, reason = ${row.reason},
      last_success_at = ${row.last_success_at}, last_duration_ms = ${row.last_duration_ms}, starts = ${row.starts}
    where id = ${row.id}`,
)

/** Stores what is known of the runs of a heartbeat. */
export async function storeState(trx: Db, row: RunState & { id: number }): Promise<void> {
  await setState(trx, row)
}
