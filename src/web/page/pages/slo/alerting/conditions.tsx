import type { Alerting, Rule } from '../../../api/history.ts'
import type { Slo } from '../../../api/types.ts'
import { formatDuration, formatNumber } from '../../../format.ts'
import { Icon } from '../../../ui/icon.tsx'
import {
  type AlertKind,
  capitalized,
  isCovering,
  rulesFor,
  severityTitle,
  ruleWords,
  thresholdTitle,
  tierSentence,
} from '../../../incidents/alert-words.ts'

/** Alerts that the SLO can have: their conditions, and the channels that are notified. */
export function Conditions({ slo, alerting, rules }: { slo: Slo; alerting: Alerting; rules: Rule[] | undefined }) {
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
              <th scope="row">{severityTitle(tier.severity)}</th>
              <td data-label="Fires">
                {tierSentence(tier, slo.time_window)}
                {tier.min_events > 0 && `, from ${formatNumber(tier.min_events)} failed events on`}
                {!tier.enabled && <span class="muted"> · switched off</span>}
                {tier.refused !== null && <span class="warning"> · can never fire: {tier.refused}</span>}
              </td>
              <Notified rules={rules} alert={{ kind: 'tier', severity: tier.severity }} isOff={!tier.enabled} />
            </tr>
          ))}
          {thresholds.map((percent) => (
            <tr key={percent}>
              <th scope="row">Budget</th>
              <td data-label="Fires">{capitalized(thresholdTitle(percent))}</td>
              <Notified rules={rules} alert={{ kind: 'threshold', percent }} />
            </tr>
          ))}
          {(['warning', 'critical'] as const).map((status) => (
            <tr key={status}>
              <th scope="row">Target</th>
              <td data-label="Fires">
                The last hour misses the target{status === 'critical' && ', and half of the budget or less is left'}
              </td>
              <Notified rules={rules} alert={{ kind: 'status', status }} />
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

function Notified({ rules, alert, isOff = false }: { rules: Rule[] | undefined; alert: AlertKind; isOff?: boolean }) {
  const names = rules && [...new Set(rulesFor(rules, alert).map(({ channel }) => channel.name))]
  return (
    <td data-label="Notifies">
      {names === undefined || isOff ? '–' : names.length === 0 ? <span class="muted">nobody</span> : names.join(', ')}
    </td>
  )
}

/** Rules of the SLO with their channels, and a warning if none of them notifies of an alert. */
export function NotificationRules({ rules }: { rules: Rule[] }) {
  const shown = rules.filter(({ alert_type }) => alert_type !== 'manual')
  return (
    <>
      {!rules.some(isCovering) && (
        <p class="notice warning with-icon">
          <Icon name="bell-off" /> No channel is notified of this SLO. {whyNot(shown)}
        </p>
      )}
      {shown.length > 0 && (
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
                  {rule.severity !== null && `, ${rule.severity}s only`}
                </td>
                <td data-label="Priority">{capitalized(rule.priority)}</td>
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
      )}
    </>
  )
}

function whyNot(rules: Rule[]): string {
  if (rules.length === 0) return 'An alert of it is seen here alone. A rule connects it with a channel.'
  if (rules.some(({ enabled }) => enabled))
    return 'The channels of its rules are switched off, or are notified of recoveries alone.'
  return 'All of its rules are switched off.'
}

function State({ of: { enabled, channel } }: { of: Rule }) {
  if (!enabled) return <span class="muted">Rule switched off</span>
  if (!channel.enabled) return <span class="muted">Channel switched off</span>
  if (channel.health === 'unhealthy') {
    return <span class="crit-text">Fails{channel.last_error !== null && `: ${channel.last_error}`}</span>
  }
  return <>{channel.health === 'healthy' ? 'Works' : 'Not tried yet'}</>
}
