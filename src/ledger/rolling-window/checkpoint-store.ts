import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { CheckpointRow } from '../../db/tables/tables.ts'

/** The checkpoints of these SLOs, by SLO id. */
export async function listCheckpoints(db: Db, sloIds: number[]): Promise<Map<number, CheckpointRow>> {
  const { rows } = await sql<CheckpointRow>`
    select checkpoints.* from json_each(${JSON.stringify(sloIds)}) join checkpoints on slo_id = value`.execute(db)
  return new Map(rows.map((row) => [row.slo_id, row]))
}

/** Writes checkpoints as they are now. */
export async function putCheckpoints(trx: Db, checkpoints: CheckpointRow[]): Promise<void> {
  await sql`
    insert or replace into checkpoints (
      slo_id, origin, end_at, counted, total, left_until, left_counted, left_total, invalidated_by
    )
    select value->>'slo_id', value->>'origin', value->>'end_at', value->>'counted', value->>'total',
      value->>'left_until', value->>'left_counted', value->>'left_total', value->>'invalidated_by'
    from json_each(${JSON.stringify(checkpoints)})`.execute(trx)
}

/** The next evaluation asks for the whole window instead. */
export async function deleteCheckpoints(trx: Db, sloIds: number[]): Promise<void> {
  await trx.deleteFrom('checkpoints').where('slo_id', 'in', sloIds).execute()
}

/** What the minute buckets of an SLO add up to, and how many there are. */
export type Gained = { good: number; total: number; buckets: number }

/** What was counted from each SLO's `startSeconds` up to `endSeconds`, by SLO id. */
export async function sumGained(
  db: Db,
  wanted: { sloId: number; revision: number; startSeconds: number }[],
  endSeconds: number,
): Promise<Map<number, Gained>> {
  const keys = JSON.stringify(wanted.map(({ sloId, revision, startSeconds }) => [sloId, revision, startSeconds]))
  const { rows } = await sql<Gained & { sloId: number }>`
    select value->>0 as "sloId", coalesce(sum(good), 0) as good, coalesce(sum(total), 0) as total, count(start) as buckets
    from json_each(${keys}) left join buckets on slo_id = value->>0 and revision = value->>1 and resolution = 60
      and start >= value->>2 and start < ${endSeconds}
    group by json_each.key`.execute(db)
  return new Map(rows.map(({ sloId, ...gained }) => [sloId, gained]))
}
