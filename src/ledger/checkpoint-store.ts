import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { executeOverRows } from '../db/statements/bulk-statement.ts'
import type { CheckpointRow } from '../db/tables/tables.ts'

/** Checkpoints of SLOs, by SLO id: the source's answer over a whole window, from which later evaluations continue. */
export async function listCheckpoints(db: Db, sloIds: number[]): Promise<Map<number, CheckpointRow>> {
  const { rows } = await sql<CheckpointRow>`
    select checkpoints.* from json_each(${JSON.stringify(sloIds)}) join checkpoints on slo_id = value`.execute(db)
  return new Map(rows.map((row) => [row.slo_id, row]))
}

/** Writes checkpoints, replacing stored ones. */
export async function putCheckpoints(trx: Db, checkpoints: CheckpointRow[]): Promise<void> {
  const rows = checkpoints.map((one) => [
    one.slo_id,
    one.origin,
    one.end_at,
    one.counted,
    one.total,
    one.left_until,
    one.left_counted,
    one.left_total,
    one.invalidated_by,
  ])
  await executeOverRows(trx, rows, replaceCheckpoints)
}

const replaceCheckpoints = (values: string) => `
  insert or replace into checkpoints
    (slo_id, origin, end_at, counted, total, left_until, left_counted, left_total, invalidated_by)
  values ${values}`

/** Deletes checkpoints, so that the next evaluation queries the whole window. */
export async function deleteCheckpoints(trx: Db, sloIds: number[]): Promise<void> {
  await trx.deleteFrom('checkpoints').where('slo_id', 'in', sloIds).execute()
}
