import type { Recipients, Rules } from '../../../api/history.ts'
import { canBeDown, type Recipient, type RecipientCause } from '../../../slo/recipients/recipients.ts'
import { definitionOfDraft, type Draft, type Notified } from '../draft.ts'

type StoredRule = Pick<Rules['data'][number], 'id' | 'channel_id' | 'alert_type' | 'severity' | 'enabled'> & {
  channel: { name: string; channel_type: string; enabled: boolean }
}
/** Rule that names the SLO, once the draft is saved; `id` null: saving creates it. */
type OwnRule = Omit<StoredRule, 'id'> & { id: number | null }
type ListedChannel = { id: number; name: string; channel_type: string; enabled: boolean }

/** Cause of a rule whose alert type has another name. */
const causeOfRule: Record<string, string> = { slo_below_target: 'violation', slo_recovery: 'recovery' }

/** True if the SLO of a draft can be down: it reads whether checks or runs of jobs succeed. */
export function hasOutages(draft: Draft): boolean {
  if (draft.kind === 'site') return true
  const definition = definitionOfDraft(draft)
  return definition !== null && canBeDown(definition.metric_query, definition.good_query, definition.bad_query)
}

type RuleOfChannel = Pick<StoredRule, 'channel_id' | 'alert_type' | 'severity' | 'enabled'>

/** Severities of an SLO's burn-rate rules, by channel id. */
export function burnRateRuleSeverities(rules: readonly RuleOfChannel[]): Record<string, Notified> {
  return Object.fromEntries(
    rules
      .filter(({ alert_type, enabled }) => alert_type === 'burn_rate_too_fast' && enabled)
      .map(({ channel_id, severity }) => [String(channel_id), severity as Notified]),
  )
}

/** Channels with a rule of the SLO for outages. */
export function outageChannels(rules: readonly RuleOfChannel[]): Set<number> {
  return new Set(rules.filter(isOfOutages).map(({ channel_id }) => channel_id))
}

/**
 * Channels with a rule for outages once a draft is saved. If the SLO can be down, a channel chosen for pages gets such a rule, and one
 * chosen only for tickets, or no longer chosen, loses it. Channels whose choice is unchanged keep the rule that they have.
 */
export function outageChannelsAfter(
  notify: Draft['notify'],
  rules: readonly RuleOfChannel[],
  mayBeDown: boolean,
): Set<number> {
  const current = burnRateRuleSeverities(rules)
  const channels = outageChannels(rules)
  if (!mayBeDown) return channels
  for (const channel of Object.keys({ ...current, ...notify })) {
    if (current[channel] === notify[channel]) continue
    const isNotified = notify[channel] !== undefined && notify[channel] !== 'ticket'
    if (isNotified) channels.add(Number(channel))
    else channels.delete(Number(channel))
  }
  return channels
}

function isOfOutages({ alert_type, enabled }: Pick<RuleOfChannel, 'alert_type' | 'enabled'>): boolean {
  return (causeOfRule[alert_type] ?? alert_type) === 'violation' && enabled
}

/**
 * Recipients of notifications of a draft. Rules that name the SLO replace, on their channels, the rules of its labels and team
 * (`inherited`). `mayBeDown`: the SLO has outages.
 */
export function recipientsOfDraft(
  inherited: Recipients,
  { notify }: Pick<Draft, 'notify'>,
  stored: readonly StoredRule[],
  channels: readonly ListedChannel[],
  mayBeDown: boolean,
): Pick<Recipients, 'causes' | 'channels'> {
  const chosen = channels.flatMap((channel): OwnRule[] => {
    const severity = notify[channel.id]
    if (severity === undefined) return []
    return [{ id: null, channel_id: channel.id, alert_type: 'burn_rate_too_fast', severity, enabled: true, channel }]
  })
  const outages = outageChannelsAfter(notify, stored, mayBeDown)
  const ofOutages = channels.flatMap((channel): OwnRule[] => {
    const known = stored.find((rule) => isOfOutages(rule) && rule.channel_id === channel.id)
    if (!outages.has(channel.id)) return []
    return [
      known ?? { id: null, channel_id: channel.id, alert_type: 'violation', severity: null, enabled: true, channel },
    ]
  })
  const kept = stored.filter((rule) => {
    // `notify` has the enabled ones; a disabled one stays on a channel that is not chosen
    if (rule.alert_type === 'burn_rate_too_fast') return !rule.enabled && notify[rule.channel_id] === undefined
    // `ofOutages` has the enabled rules for outages; a disabled one gives way to them on its channel
    return (
      !isOfOutages(rule) &&
      !((causeOfRule[rule.alert_type] ?? rule.alert_type) === 'violation' && outages.has(rule.channel_id))
    )
  })
  const own: OwnRule[] = [...chosen, ...ofOutages, ...kept]
  const alerts = inherited.causes
    .filter(({ alert_type }) => alert_type !== 'recovery')
    .map((cause) => ({ ...cause, recipients: recipientsOf(cause, own) }))
  // the end of an alert is sent to all who were notified of the alert
  const recoveries = inherited.causes.filter(({ alert_type }) => alert_type === 'recovery')
  const notified = alerts.flatMap(({ recipients }) => recipients)
  return {
    causes: [
      ...alerts,
      ...recoveries.map((cause) => ({ ...cause, recipients: unique([...recipientsOf(cause, own), ...notified]) })),
    ],
    channels: channels.map(({ id, name, channel_type }) => ({ id, name, channel_type })),
  }
}

/** Recipients of a cause: an own rule, also a disabled one, overrides what is inherited on its channel. */
function recipientsOf({ alert_type, severity, recipients }: RecipientCause, own: readonly OwnRule[]): Recipient[] {
  const ruleType = alert_type === 'down' ? 'violation' : alert_type
  const ownRules = own.filter((rule) => (causeOfRule[rule.alert_type] ?? rule.alert_type) === ruleType)
  const overridden = new Set(ownRules.map(({ channel_id }) => channel_id))
  const added = ownRules
    .filter((rule) => rule.enabled && rule.channel.enabled && (rule.severity === null || rule.severity === severity))
    .map(({ id, channel_id }) => ({ channel_id, by: 'rule' as const, rule_id: id, selector: null, priority: null }))
  return [...recipients.filter(({ channel_id }) => !overridden.has(channel_id)), ...added]
}

function unique(recipients: readonly Recipient[]): Recipient[] {
  return [...Map.groupBy(recipients, ({ channel_id }) => channel_id).values()].flatMap(([first]) => first ?? [])
}
