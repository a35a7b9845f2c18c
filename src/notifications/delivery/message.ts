import type { NotificationRow } from '../../db/tables.ts'
import type { Message } from '../channels/channel.ts'
import { type Facts, linkTo } from '../facts.ts'
import { isAboutRule } from '../words/rule-words.ts'

/** `instanceId` keeps the keys of two instances apart that report to the same receiver. */
export type MessageDeps = { instanceId: string; publicUrl: () => string }

/** A notification as channels take it. */
export function messageOf({ instanceId, publicUrl }: MessageDeps, row: NotificationRow): Message {
  const facts = factsIn(row)
  const alertKey = `nines-${instanceId}-slo-${row.slo_id}-${nameOf(row, facts).replaceAll(':', '-')}`
  return {
    id: row.id,
    organizationId: row.organization_id,
    idempotencyKey: row.idempotency_key,
    event: row.event,
    isAboutRule: isAboutRule(row),
    alertKey,
    threadKey: `${alertKey}-${row.alert_id ?? row.idempotency_key}`,
    alertType: row.alert_type,
    priority: isAboutRule(row) ? 'low' : row.priority,
    subject: row.subject,
    text: row.message,
    createdAtMs: row.created_at,
    slo: { id: row.slo_id, facts, link: linkTo(publicUrl(), row.slo_id) },
  }
}

/** What was known when the notification was written. */
export function factsIn({ metadata }: Pick<NotificationRow, 'metadata'>): Facts {
  return JSON.parse(metadata) as Facts
}

const ofStatus = new Set(['violation', 'slo_below_target', 'warning', 'recovery', 'slo_recovery'])

function nameOf({ event, alert_type, idempotency_key }: NotificationRow, { alert }: Facts): string {
  if (alert) return alert.name
  if (event === 'message' || alert_type === 'manual') return idempotency_key
  return ofStatus.has(alert_type) ? 'status' : alert_type
}
