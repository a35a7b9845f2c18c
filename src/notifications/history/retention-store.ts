import type { Db } from '../../db/open.ts'

/**
 * The oldest notifications before a time, with their attempts, at most `limit`. What is queued stays, and the
 * notifications of open alerts: they would be sent again, and their recovery would not. Returns how many were deleted.
 */
export async function deleteNotificationsBefore(db: Db, beforeMs: number, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('notifications')
    .where('id', 'in', (query) =>
      query
        .selectFrom('notifications')
        .select('id')
        .where('created_at', '<', beforeMs)
        .where('status', 'not in', ['pending', 'sending'])
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('alerts')
                .select('alerts.id')
                .whereRef('alerts.id', '=', 'notifications.alert_id')
                .where('alerts.ended_at', 'is', null),
            ),
          ),
        )
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
