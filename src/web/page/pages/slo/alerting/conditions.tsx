import type { Alerting, Recipients, Rule } from '../../../api/history.ts'
import type { Slo } from '../../../api/types.ts'
import { formatDuration, formatNumber } from '../../../format.ts'
import { severityWords } from '../../../slo/recipients/recipients.ts'
import { capitalized, ruleWords, thresholdTitle, tierSentence } from '../../../incidents/alert-words.ts'

type Props = {
  slo: Slo
  alerting: Alerting
  /** Undefined: not known yet, or the SLO is deleted. */
  recipients: Recipients | undefined
}

/** Alerts that the SLO can have: their conditions, and the channels that are notified. */
export function Conditions({ slo, alerting, recipients }: Props) {
  const { burn_rate_tiers: tiers, budget_thresholds: thresholds } = alerting
  return (
    <>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">Alert</th>
            <th scope="col">Fires</th>
            <th scope="col">Notifies</th>
          </tr>
        </thead>
        <tbody>
          {tiers.map((tier) => (
            <tr key={`${tier.long_window} ${tier.short_window}`}>
              <th scope="row">{severityWords[tier.severity] ?? tier.severity}</th>
              <td data-label="Fires">
                {tierSentence(tier, slo.time_window)}
                {tier.min_events > 0 && `, from ${formatNumber(tier.min_events)} failed events on`}
                {!tier.enabled && <span class="muted"> · switched off</span>}
                {tier.refused !== null && <span class="warning"> · can never fire: {tier.refused}</span>}
              </td>
              <Notified {...{ recipients }} of="burn_rate_too_fast" severity={tier.severity} isOff={!tier.enabled} />
            </tr>
          ))}
          {thresholds.map((percent) => (
            <tr key={percent}>
              <th scope="row">Budget</th>
              <td data-label="Fires">{capitalized(thresholdTitle(percent))}</td>
              <Notified {...{ recipients }} of={percent === 0 ? 'error_budget_exhausted' : 'error_budget_low'} />
            </tr>
          ))}
          {(['warning', 'critical'] as const).map((status) => (
            <tr key={status}>
              <th scope="row">SLI</th>
              <td data-label="Fires">
                Below the target for an hour, {status === 'critical' ? 'at most' : 'more than'} half of the budget left
              </td>
              <Notified {...{ recipients }} of={status === 'critical' ? 'violation' : 'warning'} />
            </tr>
          ))}
        </tbody>
      </table>
      <p class="muted">{whose(alerting)}</p>
    </>
  )
}

function whose({ burn_rate_tiers_are_standard: tiers, budget_thresholds_are_standard: thresholds }: Alerting): string {
  if (tiers === thresholds) return tiers ? 'Usual alerts of this window.' : 'Tiers and thresholds are its own.'
  return tiers ? 'Usual tiers of this window, thresholds of its own.' : 'Tiers of its own, usual thresholds.'
}

function Notified(props: {
  recipients: Recipients | undefined
  of: string
  severity?: string | undefined
  isOff?: boolean
}) {
  const { recipients, of, severity, isOff = false } = props
  const cause = recipients?.causes.find(
    (one) => one.alert_type === of && (severity === undefined || one.severity === severity),
  )
  const ids = cause?.recipients.map(({ channel_id }) => channel_id)
  const names = ids && recipients?.channels.filter(({ id }) => ids.includes(id)).map(({ name }) => name)
  return (
    <td data-label="Notifies">
      {names === undefined || isOff ? '–' : names.length === 0 ? <span class="muted">nobody</span> : names.join(', ')}
    </td>
  )
}

/** Rules that name the SLO, with their channels; nothing if there are none. */
export function NotificationRules({ rules }: { rules: Rule[] }) {
  const shown = rules.filter(({ alert_type }) => alert_type !== 'manual')
  return (
    shown.length > 0 && (
      <>
        <h3>Rules of this SLO alone</h3>
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">Channel</th>
              <th scope="col">Notified of</th>
              <th scope="col">Priority</th>
              <th scope="col">At most every</th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((rule) => (
              <tr key={rule.id}>
                <th scope="row">{rule.channel.name}</th>
                <td data-label="Notified of">
                  {ruleWords[rule.alert_type] ?? rule.alert_type}
                  {rule.severity !== null && `: ${severityWords[rule.severity] ?? rule.severity}`}
                </td>
                <td data-label="Priority">{rule.priority === 'auto' ? 'As the alert' : capitalized(rule.priority)}</td>
                <td data-label="At most every">
                  {rule.min_interval_seconds === 0 ? '–' : formatDuration(rule.min_interval_seconds)}
                </td>
                <td data-label="State">
                  <State of={rule} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </>
    )
  )
}

function State({ of: { enabled, channel } }: { of: Rule }) {
  if (!enabled) return <span class="muted">Switched off: not notified of this</span>
  if (!channel.enabled) return <span class="muted">Channel switched off</span>
  if (channel.health === 'unhealthy') {
    return <span class="crit-text">Fails{channel.last_error !== null && `: ${channel.last_error}`}</span>
  }
  return <>{channel.health === 'healthy' ? 'Works' : 'Not tried yet'}</>
}
