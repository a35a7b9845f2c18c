import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'

/**
 * Deletes the oldest notifications before a time with their attempts, at most `limit`; returns their number. Keeps queued ones,
 * and those of open alerts: without them the alert would be notified again, and its recovery would not be sent.
 */
export async function deleteNotificationsBefore(db: Db, beforeMs: number, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from notifications where id in (
      select id from notifications
      where created_at < ${beforeMs} and status not in ('pending', 'sending')
        and not exists (select 1 from alerts where alerts.id = notifications.alert_id and alerts.ended_at is null)
      order by created_at limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows)
}

/** Deletes the oldest alerts that ended before a time, at most `limit`; returns their number. */
export async function deleteAlertsBefore(db: Db, beforeMs: number, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from alerts where id in (
      select id from alerts where ended_at < ${beforeMs / 1000} order by ended_at limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows)
}

/** Deletes the oldest silences that ended before a time, at most `limit`; returns their number. */
export async function deleteSilencesBefore(db: Db, beforeMs: number, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from silences where id in (select id from silences where until < ${beforeMs} order by until limit ${limit})
  `.execute(db)
  return Number(numAffectedRows)
}
