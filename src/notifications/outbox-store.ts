import { createHash } from 'node:crypto'
import { sql, type NotNull } from 'kysely'
import type { Db } from '../db/open.ts'
import { insertRow } from '../db/statements/insert-row.ts'
import { prepared } from '../db/statements/prepared.ts'
import type { IncidentEvent, NotificationRow } from '../db/tables/tables.ts'
import type { ConditionData, ListData, ReportNotice, SloData } from './notification-data.ts'

/** Notifications still to be delivered. Must equal the condition of the index `notifications_queued`, or it is not used. */
export const isQueued = sql<boolean>`status in ('pending', 'sending')`

/**
 * True for a list of incidents that was never claimed for delivery: each claim changes `updated_at`. It gathers until
 * `next_attempt_at`.
 */
export const isUnclaimedList = sql<boolean>`(status = 'pending' and updated_at = created_at
  and exists (select 1 from notification_incidents where notification_id = notifications.id))`

/** Event of an incident that a notification is about, and the number of relapses that the incident had had. */
export type IncidentHeader = { id: number; event: IncidentEvent; relapse: number }

/** Notification to be queued; `throttled` ones are only for the history, `sent` ones were sent without the outbox. */
export type Draft = Pick<
  NotificationRow,
  | 'organization_id'
  | 'slo_id'
  | 'rule_id'
  | 'channel_id'
  | 'alert_id'
  | 'channel_type'
  | 'event'
  | 'alert_type'
  | 'priority'
  | 'subject'
  | 'message'
  | 'max_retries'
> & {
  /** null: it is not about an incident. */
  incident?: IncidentHeader | null
  data: SloData | ConditionData | ListData | ReportNotice
  status: 'pending' | 'throttled' | 'sent'
  /** Time until the first attempt; absent: none. */
  waitMs?: number
  /** Idempotency key with which it was tried without the outbox; absent: it was not. */
  triedKey?: string
}

/** Puts notifications into the outbox, in their order, within the transaction of the change that caused them. */
export async function queueNotifications(trx: Db, drafts: Draft[], nowMs: number): Promise<NotificationRow[]> {
  const queued: NotificationRow[] = []
  for (const draft of drafts) {
    const row = rowOf(draft, nowMs)
    queued.push({ ...row, id: await insertRow(trx, 'notifications', row) })
  }
  return queued
}

function rowOf(draft: Draft, nowMs: number): Omit<NotificationRow, 'id'> {
  return {
    organization_id: draft.organization_id,
    slo_id: draft.slo_id,
    rule_id: draft.rule_id,
    channel_id: draft.channel_id,
    alert_id: draft.alert_id,
    incident_id: draft.incident?.id ?? null,
    incident_event: draft.incident?.event ?? null,
    relapse: draft.incident?.relapse ?? null,
    channel_type: draft.channel_type,
    event: draft.event,
    alert_type: draft.alert_type,
    status: draft.status,
    priority: draft.priority,
    subject: draft.subject,
    message: draft.message,
    metadata: JSON.stringify(draft.data),
    content_hash: contentHash(draft),
    idempotency_key: draft.triedKey ?? Bun.randomUUIDv7(),
    retry_count: 0,
    max_retries: draft.max_retries,
    error_message: '',
    next_attempt_at: nowMs + (draft.waitMs ?? 0),
    leased_until: null,
    sealed_configuration: null,
    sent_at: null,
    delivered_at: null,
    created_at: nowMs,
    updated_at: nowMs,
  }
}

type Content = Pick<NotificationRow, 'slo_id' | 'channel_id' | 'alert_type' | 'subject' | 'message'>

/** Hash of a notification's content; notifications with the same hash are duplicates. */
export function contentHash({ slo_id, channel_id, alert_type, subject, message }: Content): string {
  return createHash('sha256')
    .update(JSON.stringify([slo_id, channel_id, alert_type, subject, message]))
    .digest('hex')
}

/** Subset of these content hashes that were queued at or after `sinceMs` and were sent, or still will be. */
export async function listKnownContents(db: Db, hashes: string[], sinceMs: number): Promise<Set<string>> {
  const { rows } = await knownContents(db, { hashes: JSON.stringify(hashes), sinceMs })
  return new Set(rows.map(({ content_hash }) => content_hash))
}

const knownContents = prepared<{ hashes: string; sinceMs: number }, { content_hash: string }>(
  ({ hashes, sinceMs }) => sql`
    select content_hash from json_each(${hashes}) as one cross join notifications on content_hash = one.value
    where created_at >= ${sinceMs} and status not in ('throttled', 'failed')`,
)

/** Id of the newest notification; 0: there is none. */
export async function lastNotificationId(db: Db): Promise<number> {
  const { rows } = await newestId(db, {})
  return rows[0]?.id ?? 0
}

const newestId = prepared<object, { id: number }>(() => sql`select id from notifications order by id desc limit 1`)

/** Notifications of SLOs after an id, without throttled ones, in id order, with the fields that live clients get. */
export async function listNotificationsAfter(db: Db, afterId: number, max: number) {
  return db
    .selectFrom('notifications')
    .select(['id', 'organization_id', 'slo_id', 'alert_type', 'priority', 'subject', 'message', 'created_at'])
    .where('id', '>', afterId)
    .where('slo_id', 'is not', null)
    .$narrowType<{ slo_id: NotNull }>()
    .where('status', '<>', 'throttled')
    .orderBy('id')
    .limit(max)
    .execute()
}
