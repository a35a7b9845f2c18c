import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'

/** Oldest queued notification of a channel. `isTroubled`: its receiver failed, or has requested a pause. */
export type QueueHead = { dueMs: number; createdMs: number; isTroubled: boolean; organizationId: number }

/** Oldest queued notification of each channel, from the index alone, so that their number does not matter. */
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
