import { type Static, t } from 'elysia'
import { isoTime, isoTimeOrNull } from '../../clock.ts'
import type { AttemptRow, NotificationRow } from '../../db/tables/tables.ts'
import { PageFields, PageQuery } from '../../http/paging.ts'
import { OneOf, QueryId, WholeNumber } from '../../http/schemas.ts'
import { QueryTime } from '../../http/zoned-time.ts'
import { alertTypes } from '../causes.ts'
import type { HistoryFilter } from './history-store.ts'

/** Filters of the history. An `alert_type` also matches the other alert type of the same cause (`causeOf`). */
export const HistoryQuery = t.Object({
  ...PageQuery,
  slo_id: t.Optional(QueryId),
  channel_id: t.Optional(QueryId),
  status: t.Optional(OneOf(['pending', 'sending', 'sent', 'delivered', 'failed', 'throttled'])),
  alert_type: t.Optional(OneOf(alertTypes)),
  start: t.Optional(QueryTime()),
  end: t.Optional(QueryTime()),
})

/** Notification of the API. `next_attempt_at`: null unless the notification is pending. */
export const Notification = t.Object(
  {
    id: t.Number(),
    slo_id: t.Nullable(
      t.Number({ description: 'null: it is about nines itself, a certificate, a report or several incidents' }),
    ),
    rule_id: t.Nullable(t.Number()),
    channel_id: t.Number(),
    channel_type: t.String(),
    alert_id: t.Nullable(t.Number()),
    status: t.String(),
    event: t.String(),
    alert_type: t.String(),
    priority: t.String(),
    subject: t.String(),
    message: t.String(),
    sent_at: t.Nullable(t.String()),
    delivered_at: t.Nullable(t.String()),
    next_attempt_at: t.Nullable(t.String()),
    retry_count: t.Number(),
    max_retries: t.Number(),
    error_message: t.String(),
    idempotency_key: t.String(),
    metadata: t.Unknown({ description: 'the data it was written from' }), // as stored: a schema would drop fields of older data
    created_at: t.String(),
    updated_at: t.String(),
  },
  { title: 'Notification' },
)

export const NotificationPage = t.Object({
  notifications: t.Array(Notification),
  ...PageFields,
})

const Attempt = t.Object({
  id: t.Number(),
  attempted_at: t.String(),
  duration_ms: t.Number(),
  outcome: t.String(),
  status_code: t.Nullable(t.Number()),
  error: t.Nullable(t.String()),
  retry_at: t.Nullable(t.String()),
})

export const AttemptList = t.Object(
  { success: t.Literal(true), attempts: t.Array(Attempt), total: t.Number() },
  { title: 'AttemptList' },
)

const Statistics = t.Object(
  {
    total_notifications: t.Number(),
    pending_notifications: t.Number(),
    sending_notifications: t.Number(),
    sent_notifications: t.Number(),
    delivered_notifications: t.Number(),
    failed_notifications: t.Number(),
    throttled_notifications: t.Number(),
    success_rate: t.Number({
      description: 'those that arrived, as a share of those that arrived or failed for good, 0 to 1; 0: there are none',
    }),
    average_delivery_time_ms: t.Number({
      description: 'milliseconds from being queued to being taken; 0: none has arrived',
    }),
    channel_usage: t.Record(t.String(), t.Number(), { description: 'how many there are, by type of channel' }),
    channel_types: t.Array(
      t.Object({
        channel_type: t.String(),
        arrived: t.Number({ description: 'how many were sent or delivered' }),
        failed: t.Number({ description: 'how many failed for good' }),
        waiting: t.Number({ description: 'how many are pending or being sent' }),
        throttled: t.Number({
          description: 'how many came sooner than min_interval_seconds of their rule, or repeated a recent text',
        }),
        average_delivery_time_ms: t.Nullable(t.Number({ description: 'milliseconds; null where none has arrived' })),
      }),
    ),
  },
  { title: 'NotificationStatistics' },
)

export const StatisticsResponse = t.Object({ success: t.Literal(true), data: Statistics })

const oneMonthSeconds = 31 * 86_400

export const RetryFailed = t.Object(
  { max_age_seconds: WholeNumber({ min: 1, max: oneMonthSeconds }) },
  { title: 'RetryFailed', examples: [{ max_age_seconds: 3600 }] },
)

export const RetryResponse = t.Object({
  success: t.Literal(true),
  message: t.String(),
  data: t.Object({
    max_age_seconds: t.Number(),
    retried: t.Number({ description: 'how many are queued again' }),
    skipped: t.Number({ description: 'how many are not, because their channel was deleted or is disabled' }),
  }),
})

export const Resent = t.Object({ success: t.Literal(true), message: t.String(), data: Notification })

/** Notification as the API returns it. The response schema drops columns that are not API fields. */
export function presentNotification(row: NotificationRow): Static<typeof Notification> {
  return {
    ...row,
    sent_at: isoTimeOrNull(row.sent_at),
    delivered_at: isoTimeOrNull(row.delivered_at),
    next_attempt_at: row.status === 'pending' ? isoTime(row.next_attempt_at) : null,
    metadata: JSON.parse(row.metadata),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}

export function presentAttempt(row: AttemptRow) {
  return { ...row, attempted_at: isoTime(row.attempted_at), retry_at: isoTimeOrNull(row.retry_at) }
}

export function filterOf(query: Static<typeof HistoryQuery>): HistoryFilter {
  const { slo_id: sloId, channel_id: channelId, status, alert_type: alertType, start: startMs, end: endMs } = query
  return { sloId, channelId, status, alertType, startMs, endMs }
}
