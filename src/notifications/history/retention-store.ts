import type { Db } from '../../db/open.ts'

/** The oldest notifications before a time, with their attempts, at most `limit`; what is queued stays. Returns how many went. */
export async function deleteNotificationsBefore(db: Db, beforeMs: number, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('notifications')
    .where('id', 'in', (query) =>
      query
        .selectFrom('notifications')
        .select('id')
        .where('created_at', '<', beforeMs)
        .where('status', 'not in', ['pending', 'sending'])
        .orderBy('created_at')
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Likewise the alerts that ended before a time. */
export async function deleteAlertsBefore(db: Db, beforeMs: number, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('alerts')
    .where('id', 'in', (query) =>
      query
        .selectFrom('alerts')
        .select('id')
        .where('ended_at', '<', beforeMs / 1000)
        .orderBy('ended_at')
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Likewise the silences. */
export async function deleteSilencesBefore(db: Db, beforeMs: number, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('silences')
    .where('id', 'in', (query) =>
      query.selectFrom('silences').select('id').where('until', '<', beforeMs).orderBy('until').limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
