import type { NotificationRow } from '../../db/tables/tables.ts'
import type { Message } from '../channels/channel.ts'
import { type ConditionFacts, type Facts, linkTo } from '../facts.ts'
import { isAboutRule } from '../templates/rule-templates.ts'

/** `instanceId` keeps the keys of two instances apart that report to the same receiver. */
export type MessageDeps = { instanceId: string; publicUrl: () => string }

type Written = Pick<
  NotificationRow,
  | 'organization_id'
  | 'slo_id'
  | 'alert_id'
  | 'event'
  | 'alert_type'
  | 'priority'
  | 'subject'
  | 'message'
  | 'metadata'
  | 'idempotency_key'
  | 'created_at'
> & { id: number | null }

/** A notification as channels take it. */
export function messageOf({ instanceId, publicUrl }: MessageDeps, row: Written): Message {
  const facts = factsIn(row)
  const subject = row.slo_id === null ? '' : `slo-${row.slo_id}-`
  const alertKey = `nines-${instanceId}-${subject}${nameOf(row, facts).replaceAll(':', '-')}`
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
    ...about(row.slo_id, facts, publicUrl()),
  }
}

function about(
  sloId: number | null,
  facts: Facts | ConditionFacts,
  publicUrl: string,
): Pick<Message, 'slo' | 'condition'> {
  if ('condition' in facts) return { slo: null, condition: facts }
  return { slo: sloId === null ? null : { id: sloId, facts, link: linkTo(publicUrl, sloId) } }
}

/** What was known when the notification was written. */
export function factsIn({ metadata }: Pick<NotificationRow, 'metadata'>): Facts | ConditionFacts {
  return JSON.parse(metadata) as Facts | ConditionFacts
}

const ofStatus = new Set(['violation', 'slo_below_target', 'warning', 'recovery', 'slo_recovery'])

function nameOf({ event, alert_type, idempotency_key }: Written, { alert }: Facts | ConditionFacts): string {
  if (alert) return alert.name
  if (event === 'message' || alert_type === 'manual') return idempotency_key
  return ofStatus.has(alert_type) ? 'status' : alert_type
}
