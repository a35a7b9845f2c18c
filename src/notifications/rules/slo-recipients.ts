import type { Db } from '../../db/open.ts'
import type { AlertSeverity, Priority } from '../../db/tables/tables.ts'
import { priorityOf } from '../alerts/alert-name.ts'
import { selects } from '../alerts/notify-alerts.ts'
import { type CoveringChannel, listCoveringChannels } from './coverage-store.ts'
import { findRulesInForce, type RuleHeader, type RuleSource } from './rules-in-force.ts'
import type { SelectableSlo } from './selectors.ts'

/** Kinds of alerts of an SLO, each with a typical alert. */
const kinds = [
  { alert_type: 'down', name: 'down', severity: 'critical' },
  { alert_type: 'burn_rate_too_fast', name: 'burn_rate:3600:300', severity: 'page' },
  { alert_type: 'burn_rate_too_fast', name: 'burn_rate:86400:7200', severity: 'ticket' },
  { alert_type: 'error_budget_exhausted', name: 'budget:0', severity: 'critical' },
  { alert_type: 'error_budget_low', name: 'budget:10', severity: 'warning' },
  { alert_type: 'violation', name: 'status', severity: 'critical' },
  { alert_type: 'warning', name: 'status', severity: 'warning' },
] as const satisfies { alert_type: string; name: string; severity: AlertSeverity }[]

/**
 * Channel that would be notified, by which rule, and the rule's selector as stored. `priority` null, only for a recovery: that of the
 * alert that recovers.
 */
type Recipient = {
  channel_id: number
  by: RuleSource
  rule_id: number | null
  selector: string | null
  priority: Priority | null
}

/** Channels that would be notified of each kind of alert, and of recoveries. */
export type SloRecipients = {
  channels: CoveringChannel[]
  causes: { alert_type: string; severity: AlertSeverity | null; recipients: Recipient[] }[]
}

/** Reads who would be notified of an SLO's alerts, without regard to silences and minimum intervals. The SLO need not be stored. */
export async function readRecipients(db: Db, slo: SelectableSlo): Promise<SloRecipients> {
  const rules = await findRulesInForce(db, [slo])
  const causes = kinds.map(({ alert_type, ...alert }) => ({
    alert_type: alert_type as string,
    severity: alert.severity as AlertSeverity | null,
    recipients: rules.filter((rule) => selects(rule, alert)).map((rule) => recipientOf(rule, alert)),
  }))
  const recovery = { alert_type: 'recovery', severity: null, recipients: recipientsOfRecovery(rules, causes) }
  const notifiedIds = new Set(rules.map(({ channel_id }) => channel_id))
  const channels = (await listCoveringChannels(db, slo.organization_id)).filter(({ id }) => notifiedIds.has(id))
  return { channels, causes: [...causes, recovery] }
}

/** Channels with a rule for recoveries, and those notified of any alert, because they are notified of its recovery, too. */
function recipientsOfRecovery(rules: RuleHeader[], causes: SloRecipients['causes']): Recipient[] {
  const byRule = rules.filter(({ cause }) => cause === 'recovery').map((rule) => recipientOf(rule, null))
  const byAlert = causes.flatMap(({ recipients }) => recipients.map((one) => ({ ...one, priority: null })))
  const ofChannel = new Map<number, Recipient>()
  for (const one of [...byRule, ...byAlert]) if (!ofChannel.has(one.channel_id)) ofChannel.set(one.channel_id, one)
  return [...ofChannel.values()]
}

function recipientOf(
  { id, channel_id, by, selector, priority }: RuleHeader,
  alert: { name: string; severity: AlertSeverity } | null,
): Recipient {
  const recoveryPriority = priority === 'auto' ? null : priority
  return { channel_id, by, rule_id: id, selector, priority: alert ? priorityOf(priority, alert) : recoveryPriority }
}
