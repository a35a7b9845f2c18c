import { isoTime, isoTimeOrNull } from '../../clock.ts'
import type { AlertRow, NotificationEvent, RulePriority } from '../../db/tables/tables.ts'
import { priorityOf, readAlertName } from '../alerts/alert-name.ts'
import type { SentNotification, unacknowledged } from '../alerts/alert-store.ts'
import { isReached } from '../alerts/draft-recoveries.ts'
import type { ConditionRule } from './condition-store.ts'
import { acknowledgedOf, type CertificateData, type ConditionData } from '../notification-data.ts'
import type { Draft } from '../outbox-store.ts'
import { conditionTexts } from '../templates/condition-templates.ts'
import type { Zone } from '../../zone.ts'

/** Recipient of a notification about nines itself, or about a certificate. */
type ConditionRecipient = {
  organization_id: number
  rule_id: number | null
  channel_id: number
  channel_type: string
  priority: RulePriority
  max_retries: number
}

/** Alert of a condition that holds or has ended; `message` and `advice` are null if it has ended. */
export type ConditionAlert = {
  alert: Pick<AlertRow, 'id' | 'name' | 'severity' | 'began_at' | 'ended_at' | keyof typeof unacknowledged>
  message: string | null
  advice: string | null
  /** Set for the alert of a certificate. */
  certificate?: CertificateData
}

/**
 * `zone`: time zone of the organization that is notified. `runsNines`: true for the first organization, which gets the conditions of
 * nines itself; false for others, which get only those of certificates.
 */
export type DraftOptions = { publicUrl: string; runsNines?: boolean; zone: Zone; nowMs: number }

/** Drafts a notification about a condition of nines itself or of a certificate. `about` null: it only announces a rule. */
export function conditionDraft(
  recipient: ConditionRecipient,
  about: ConditionAlert | null,
  { publicUrl, runsNines = true, zone, nowMs }: DraftOptions,
): Draft {
  const data = conditionDataOf(about)
  const event = eventOf(about)
  const { organization_id, rule_id, channel_id, channel_type, max_retries } = recipient
  const priority = priorityOf(recipient.priority, about?.alert ?? noAlert)
  return {
    organization_id,
    rule_id,
    channel_id,
    channel_type,
    priority,
    max_retries,
    slo_id: null,
    alert_id: about?.alert.id ?? null,
    event,
    alert_type: 'appliance_condition',
    ...conditionTexts({
      event,
      condition: data,
      publicUrl,
      runsNines,
      zone,
      nowMs,
    }),
    data,
    status: 'pending',
  }
}

/** Alert that gives the priority of a notification that is about no alert. */
const noAlert = { name: '', severity: 'warning' } as const

function eventOf(about: ConditionAlert | null): NotificationEvent {
  if (about === null) return 'message'
  return about.alert.ended_at === null ? 'alert' : 'recovery'
}

function conditionDataOf(about: ConditionAlert | null): ConditionData {
  if (about === null) return { condition: '', message: null, advice: null, alert: null }
  const { alert, message, advice, certificate } = about
  const name = readAlertName(alert.name)
  return {
    condition: name.kind === 'condition' ? name.condition : '',
    message,
    advice,
    alert: {
      name: alert.name,
      severity: alert.severity,
      began_at: isoTime(alert.began_at * 1000),
      ended_at: isoTimeOrNull(alert.ended_at === null ? null : alert.ended_at * 1000),
      acknowledged: acknowledgedOf(alert),
      outage: null,
      threshold: null,
      burn_rate: null,
    },
    ...(certificate && { certificate }),
  }
}

export function recipientOf({ rule, channel }: ConditionRule): ConditionRecipient {
  return { ...rule, rule_id: rule.id, channel_type: channel.channel_type }
}

/** Name of the condition of a certificate that expires soon. The name of its alert has the fingerprint at the end. */
export const certificateCondition = 'certificate'

/** Alerts that have ended. `sent`: their stored notifications. `certificates`: certificates with their end, by alert id. */
type EndedAlerts = {
  ended: AlertRow[]
  sent: SentNotification[]
  certificates?: ReadonlyMap<number, CertificateData>
}

/** Drafts the recoveries of ended conditions: one for every channel that was notified of the condition. */
export function draftConditionRecoveries(
  { ended, sent, certificates }: EndedAlerts,
  organizationId: number,
  options: DraftOptions,
): Draft[] {
  return ended.flatMap((alert) => {
    const reached = sent.filter((one) => one.alert_id === alert.id && isReached(one))
    const byChannel = new Map(reached.map((one) => [one.channel_id, one]))
    const certificate = certificates?.get(alert.id)
    const about = { alert, message: null, advice: null, ...(certificate && { certificate }) }
    return [...byChannel.values()].map((one) =>
      conditionDraft({ ...one, organization_id: organizationId }, about, options),
    )
  })
}
