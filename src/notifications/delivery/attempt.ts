import { AppError } from '../../errors.ts'
import { createAbort, onAbort } from '../../concurrency/abort.ts'
import type { Log } from '../../log.ts'
import type { ChannelDeps, Message, Outcome } from '../channels/channel.ts'
import { truncate } from '../channels/http.ts'
import type { Opened } from '../configurations.ts'
import { redact } from '../redact.ts'
import type { NotificationRow } from '../../db/tables/tables.ts'
import { type IncidentList, linkTo } from '../notification-data.ts'
import { causeOf } from '../causes.ts'
import type { Draft } from '../outbox-store.ts'

/** Dependencies of messages. `instanceId` makes keys distinct between instances that report to the same receiver. */
type MessageDeps = { instanceId: string; publicUrl: () => string }

/** Notification as stored. `id` null: a test, which is not in the history. `metadata`: its data, as JSON. */
type StoredNotification = Omit<Draft, 'data' | 'status'> &
  Pick<NotificationRow, 'metadata' | 'idempotency_key' | 'created_at'> & { id: number | null }

/** Message that a channel sends for a notification. */
export function messageOf({ instanceId, publicUrl }: MessageDeps, row: StoredNotification): Message {
  const data = storedData(row)
  const incident = 'incident' in data ? data.incident : null
  const subject = row.slo_id === null ? '' : `slo-${row.slo_id}-`
  const alertKey = `nines-${instanceId}-${subject}${nameOf(row, data).replaceAll(':', '-')}`
  const threadOf = (incidentId: number) => `nines-${instanceId}-incident-${incidentId}`
  return {
    id: row.id,
    organizationId: row.organization_id,
    idempotencyKey: row.idempotency_key,
    event: row.event,
    isAboutRule: isAboutRule(row),
    alertKey,
    threadKey: incident ? threadOf(incident.id) : `${alertKey}-${threadIdOf(row, data)}`,
    alertType: row.alert_type,
    priority: isAboutRule(row) ? 'low' : row.priority,
    subject: row.subject,
    text: row.message,
    createdAtMs: row.created_at,
    ...subjectOf(row.slo_id, data, publicUrl(), threadOf),
  }
}

/** Part of the thread key that an alert and its end share. A condition sent without the outbox has no id of an alert yet. */
function threadIdOf({ alert_id, idempotency_key }: StoredNotification, data: StoredData): number | string {
  if ('condition' in data && data.alert) return Date.parse(data.alert.began_at) / 1000
  return alert_id ?? idempotency_key
}

function subjectOf(
  sloId: number | null,
  data: StoredData,
  publicUrl: string,
  threadOf: (incidentId: number) => string,
): Pick<Message, 'slo' | 'condition' | 'list' | 'report'> {
  if ('report' in data) return { slo: null, report: data.report }
  if ('condition' in data) return { slo: null, condition: data }
  if ('list' in data) {
    const incidents = data.list.incidents.map((one) => ({ ...one, thread: threadOf(one.id) }))
    return { slo: null, list: { ...data.list, incidents } }
  }
  return { slo: sloId === null ? null : { id: sloId, data, link: linkTo(publicUrl, sloId) } }
}

type StoredData = Draft['data']

/** Data stored with the notification when it was written. */
export function storedData({ metadata }: Pick<NotificationRow, 'metadata'>): StoredData {
  return JSON.parse(metadata) as StoredData
}

/** List of incidents of a notification; null: it has none. */
export function listOf(row: Pick<NotificationRow, 'metadata'>): IncidentList | null {
  const data = storedData(row)
  return 'list' in data ? data.list : null
}

/** True for a message that announces a rule or a report; false for manual messages and notifications of alerts. */
function isAboutRule({ event, alert_type }: { event: string; alert_type: string }): boolean {
  return event === 'message' && (alert_type === 'report' || Object.hasOwn(causeOf, alert_type))
}

const statusAlertTypes = new Set(['violation', 'slo_below_target', 'warning', 'recovery', 'slo_recovery'])

/** Part of the alert key that all notifications of one alert, and of its recurrences, share. */
function nameOf({ event, alert_type, idempotency_key }: StoredNotification, data: StoredData): string {
  if ('list' in data) return `list-${data.list.key}`
  if (data.alert) return data.alert.name
  if (event === 'message' || alert_type === 'manual') return idempotency_key
  return statusAlertTypes.has(alert_type) ? 'status' : alert_type
}

type Deps = { log: Log; channels: ChannelDeps }

type Limits = {
  timeoutMs: number
  /** Aborts the attempt. */
  signal: AbortSignal
}

const maxError = 500

/** Makes one attempt to send a message. Returns its outcome without secrets, or null if `signal` aborted it. */
export async function attempt(
  { log, channels }: Deps,
  opened: Opened,
  message: Message,
  { timeoutMs, signal }: Limits,
): Promise<Outcome | null> {
  const ended = Promise.withResolvers<null>()
  using ending = createAbort(signal, timeoutMs)
  using _ = onAbort(ending.signal, () => ended.resolve(null)) // a channel may ignore the abort, and must not be waited for
  try {
    signal.throwIfAborted()
    const sending = opened.type.send(channels, opened.configuration, message, ending.signal)
    const outcome = await Promise.race([sending, ended.promise])
    if (outcome) return withoutSecrets(outcome, opened)
    return signal.aborted ? null : timedOut(timeoutMs)
  } catch (error) {
    if (signal.aborted) return null
    if (ending.isLate) return timedOut(timeoutMs)
    const reason = truncate(redact(reasonOf(error), opened), maxError)
    if (error instanceof AppError) return { outcome: 'failed', statusCode: null, error: reason } // bad configuration
    log.error('channel failed unexpectedly', { notification_id: message.id, error: reason })
    return { outcome: 'retry', statusCode: null, error: reason }
  }
}

/** Text of an error for people. */
export function reasonOf(error: unknown): string {
  if (error instanceof AppError) return error.details ?? error.message
  return error instanceof Error ? error.message : String(error)
}

export function timedOut(timeoutMs: number): Outcome {
  return { outcome: 'retry', statusCode: null, error: `no answer within ${timeoutMs / 1000} s` }
}

function withoutSecrets(outcome: Outcome, opened: Opened): Outcome {
  const safe = (text: string) => truncate(redact(text, opened), maxError)
  if ('error' in outcome) return { ...outcome, error: safe(outcome.error) }
  return outcome.note === undefined ? outcome : { ...outcome, note: safe(outcome.note) }
}
