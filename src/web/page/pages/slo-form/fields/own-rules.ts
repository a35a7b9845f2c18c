import type { Recipients, Rules } from '../../../api/history.ts'
import type { Recipient, RecipientCause } from '../../../slo/recipients/recipients.ts'
import type { Draft } from '../draft.ts'

type StoredRule = Pick<Rules['data'][number], 'id' | 'channel_id' | 'alert_type' | 'severity' | 'enabled'> & {
  channel: { name: string; channel_type: string; enabled: boolean }
}
type OwnRule = Omit<StoredRule, 'id'> & { id: number | null }
type ListedChannel = { id: number; name: string; channel_type: string; enabled: boolean }

const causeOfRule: Record<string, string> = { slo_below_target: 'violation', slo_recovery: 'recovery' }

/** Recipients of a draft: those of its labels and team (`inherited`), with the rules that name the SLO in their place. */
export function recipientsOfDraft(
  inherited: Recipients,
  { notify }: Pick<Draft, 'notify'>,
  stored: readonly StoredRule[],
  channels: readonly ListedChannel[],
): Pick<Recipients, 'causes' | 'channels'> {
  const chosen = channels.flatMap((channel): OwnRule[] => {
    const severity = notify[channel.id]
    if (severity === undefined) return []
    return [{ id: null, channel_id: channel.id, alert_type: 'burn_rate_too_fast', severity, enabled: true, channel }]
  })
  const kept = stored.filter(
    ({ alert_type, enabled, channel_id }) =>
      alert_type !== 'burn_rate_too_fast' || (!enabled && notify[channel_id] === undefined),
  )
  const own: OwnRule[] = [...chosen, ...kept]
  const alerts = inherited.causes
    .filter(({ alert_type }) => alert_type !== 'recovery')
    .map((cause) => ({ ...cause, recipients: recipientsOf(cause, own) }))
  const ends = inherited.causes.filter(({ alert_type }) => alert_type === 'recovery')
  const notified = alerts.flatMap(({ recipients }) => recipients)
  return {
    causes: [
      ...alerts,
      ...ends.map((cause) => ({ ...cause, recipients: unique([...recipientsOf(cause, own), ...notified]) })),
    ],
    channels: channels.map(({ id, name, channel_type }) => ({ id, name, channel_type })),
  }
}

/** Recipients of a cause: an own rule, also a disabled one, overrides what is inherited on its channel. */
function recipientsOf({ alert_type, severity, recipients }: RecipientCause, own: readonly OwnRule[]): Recipient[] {
  const ruleType = alert_type === 'down' ? 'violation' : alert_type
  const mine = own.filter((rule) => (causeOfRule[rule.alert_type] ?? rule.alert_type) === ruleType)
  const taken = new Set(mine.map(({ channel_id }) => channel_id))
  const added = mine
    .filter((rule) => rule.enabled && rule.channel.enabled && (rule.severity === null || rule.severity === severity))
    .map(({ id, channel_id }) => ({ channel_id, by: 'rule' as const, rule_id: id, selector: null, priority: null }))
  return [...recipients.filter(({ channel_id }) => !taken.has(channel_id)), ...added]
}

function unique(recipients: readonly Recipient[]): Recipient[] {
  return [...Map.groupBy(recipients, ({ channel_id }) => channel_id).values()].flatMap(([first]) => first ?? [])
}
