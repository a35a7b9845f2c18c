import type { Clock } from '../../clock.ts'
import type { AlertRow } from '../../db/tables/tables.ts'
import { channelTypes } from '../channels/index.ts'
import type { Draft } from '../outbox-store.ts'
import type { Template } from '../templates/templates.ts'
import { opensIncident, priorityOf } from './alert-name.ts'
import type { DraftFacts } from './draft-facts.ts'
import type { RuleInForce } from '../rules/rules-in-force.ts'
import type { SentNotification } from './alert-store.ts'
import { type AlertsToNotify, draftOf, type NotificationHeader } from './draft.ts'

/**
 * Drafts the recovery notifications of ended alerts of status and budget, silenced or not: one to every channel that was notified
 * of the alert, unless the end of the incident to which the alert belongs is in a message to that channel. A `status` alert
 * outside of incidents also notifies all channels with a rule for recoveries; such a rule also provides the texts.
 */
export function draftRecoveries(
  { clock, ...facts }: DraftFacts & { clock: Clock },
  { alerts, rules, sent }: AlertsToNotify,
): Draft[] {
  const nowMs = clock.now()
  const recoveryRules = rules.filter(({ cause, by }) => cause === 'recovery' && by !== 'default') // the default rule has no texts
  const rulesBySlo = Map.groupBy(recoveryRules, ({ slo_id }) => slo_id)
  const reached = sent.filter(isReached)
  const reachedByAlert = Map.groupBy(reached, ({ alert_id }) => alert_id)
  const reachedByIncident = Map.groupBy(reached, ({ incident_id }) => incident_id)
  return alerts.flatMap((sloAlerts) =>
    sloAlerts.ended
      .filter((alert) => !opensIncident(alert))
      .flatMap((alert) => {
        const inIncident = alert.incident_id === null ? [] : (reachedByIncident.get(alert.incident_id) ?? [])
        const ofAlert = (reachedByAlert.get(alert.id) ?? []).filter(({ channel_id, channel_type }) => {
          return keepsAlerts(channel_type) || !inIncident.some((one) => one.channel_id === channel_id)
        })
        return recipientsOf(alert, ofAlert, rulesBySlo.get(sloAlerts.slo.id) ?? []).map(({ header, template }) =>
          draftOf({ ...facts, nowMs }, sloAlerts, alert, header, template),
        )
      }),
  )
}

/** True if the alert reached a channel that still exists. To a disabled one the recovery fails and can be retried. */
export function isReached({ status, channel_enabled }: SentNotification): boolean {
  return status !== 'throttled' && status !== 'failed' && channel_enabled !== null
}

/** True if receivers of this type open an incident of their own for each alert, so that each has to be resolved. */
export function isIncidentTool(channelType: string): boolean {
  return channelTypes[channelType]?.opensIncidents === true
}

/** True if receivers of this type keep each alert by its key until its end. */
function keepsAlerts(channelType: string): boolean {
  return isIncidentTool(channelType) || channelTypes[channelType]?.keepsAlerts === true
}

type RecoveryRecipient = { header: NotificationHeader; template: Template }

/** Channels that were notified of the firing alert. Those with a rule for recoveries use that rule. */
function recipientsOf(alert: AlertRow, sent: SentNotification[], rules: RuleInForce[]): RecoveryRecipient[] {
  const notified = new Map(sent.map((one) => [one.channel_id, one]))
  const isForAll = alert.name === 'status' && alert.incident_id === null
  const withRule = rules.filter(({ channel_id }) => isForAll || notified.has(channel_id))
  for (const { channel_id } of withRule) notified.delete(channel_id)
  return [
    ...[...notified.values()].map((one) => ({ header: recoveryHeaderOf(one, alert), template: noTemplate })),
    ...withRule.map((rule) => ({ header: recoveryHeaderOf(rule, alert), template: rule })),
  ]
}

const noTemplate: Template = { subject: null, message: null }

/** Header of a recovery: by the rule for recoveries of its channel, or as the notification of the alert. */
export function recoveryHeaderOf(one: RuleInForce | SentNotification, alert: AlertRow): NotificationHeader {
  const { channel_id, channel_type, max_retries } = one
  const header = { channel_id, channel_type, max_retries, event: 'recovery', incident: null } as const
  if ('cause' in one) {
    return { ...header, alert_type: one.alert_type, rule_id: one.id, priority: priorityOf(one.priority, alert) }
  }
  const alert_type = one.alert_type === 'slo_below_target' ? 'slo_recovery' : 'recovery'
  return { ...header, alert_type, rule_id: one.rule_id, priority: one.priority }
}
