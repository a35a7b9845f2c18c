import type { ComponentChildren } from 'preact'
import type { Alerting, Recipients, Rule } from '../../../api/history.ts'
import type { Slo } from '../../../api/types.ts'
import { formatDuration } from '../../../format.ts'
import { type Column, Table } from '../../../ui/table.tsx'
import { severityWords } from '../../../slo/recipients/recipients.ts'
import { capitalized, thresholdTitle } from '../../../incidents/alert-words.ts'
import { failsWords, neverFiresWords, selectedWords, sliFiresWords, tierWords } from './words.ts'

type Props = {
  slo: Slo
  alerting: Alerting
  /** Undefined: not known yet, or the SLO is deleted. */
  recipients: Recipients | undefined
}

/** Alert that an SLO can have. `type`, `severity`: those of the rules that notify of it. */
type Condition = {
  key: string
  alert: string
  fires: ComponentChildren
  type: string
  severity?: string
  isOff?: boolean
}

/** Alerts that the SLO can have: their conditions, and the channels that are notified. */
export function Conditions({ slo, alerting, recipients }: Props) {
  const { burn_rate_tiers: tiers, budget_thresholds: thresholds } = alerting
  const conditions: Condition[] = [
    ...tiers.map((tier) => ({
      key: `${tier.long_window} ${tier.short_window}`,
      alert: severityWords[tier.severity] ?? tier.severity,
      fires: <TierFires of={tier} slo={slo} />,
      type: 'burn_rate_too_fast',
      severity: tier.severity,
      isOff: !tier.enabled,
    })),
    ...thresholds.map((percent) => ({
      key: String(percent),
      alert: 'Budget',
      fires: capitalized(thresholdTitle(percent)),
      type: percent === 0 ? 'error_budget_exhausted' : 'error_budget_low',
    })),
    ...(['warning', 'violation'] as const).map((type) => ({
      key: type,
      alert: 'SLI',
      fires: sliFiresWords[type],
      type,
    })),
  ]
  return (
    <>
      <Table
        columns={[
          { head: 'Alert', cell: ({ alert }) => alert },
          { head: 'Fires', cell: ({ fires }) => fires },
          { head: 'Notifies', cell: (condition) => notifiedNames(condition, recipients) },
        ]}
        rows={conditions}
        rowKey={({ key }) => key}
      />
      <p class="muted">{originWords(alerting)}</p>
    </>
  )
}

function TierFires({ of: tier, slo }: { of: Alerting['burn_rate_tiers'][number]; slo: Slo }) {
  return (
    <>
      {tierWords(tier, slo.time_window)}
      {!tier.enabled && <span class="muted"> · switched off</span>}
      {tier.refused !== null && <span class="warning"> · {neverFiresWords(tier.refused)}</span>}
    </>
  )
}

function originWords({
  burn_rate_tiers_are_standard: tiers,
  budget_thresholds_are_standard: thresholds,
}: Alerting): string {
  if (tiers === thresholds) return tiers ? 'Usual alerts of this window.' : 'Tiers and thresholds are its own.'
  return tiers ? 'Usual tiers of this window, thresholds of its own.' : 'Tiers of its own, usual thresholds.'
}

function notifiedNames(
  { type, severity, isOff = false }: Condition,
  recipients: Recipients | undefined,
): ComponentChildren {
  const cause = recipients?.causes.find(
    (one) => one.alert_type === type && (severity === undefined || one.severity === severity),
  )
  const ids = cause?.recipients.map(({ channel_id }) => channel_id)
  const names = ids && recipients?.channels.filter(({ id }) => ids.includes(id)).map(({ name }) => name)
  if (names === undefined || isOff) return '–'
  return names.length === 0 ? <span class="muted">nobody</span> : names.join(', ')
}

/** Rules that name the SLO, with their channels; nothing if there are none. */
export function NotificationRules({ rules }: { rules: Rule[] }) {
  const shown = rules.filter(({ alert_type }) => alert_type !== 'manual')
  return (
    shown.length > 0 && (
      <>
        <h3>Rules of this SLO alone</h3>
        <Table columns={ruleColumns} rows={shown} rowKey={({ id }) => id} />
      </>
    )
  )
}

const ruleColumns: Column<Rule>[] = [
  { head: 'Channel', cell: ({ channel }) => channel.name },
  {
    head: 'Notified of',
    cell: selectedWords,
  },
  { head: 'Priority', cell: ({ priority }) => (priority === 'auto' ? 'As the alert' : capitalized(priority)) },
  {
    head: 'At most every',
    cell: ({ min_interval_seconds: seconds }) => (seconds === 0 ? '–' : formatDuration(seconds)),
  },
  { head: 'State', cell: (rule) => <State of={rule} /> },
]

function State({ of: { enabled, channel } }: { of: Rule }) {
  if (!enabled) return <span class="muted">Switched off: not notified of this</span>
  if (!channel.enabled) return <span class="muted">Channel switched off</span>
  if (channel.health === 'unhealthy') {
    return <span class="crit-text">{failsWords(channel.last_error)}</span>
  }
  return <>{channel.health === 'healthy' ? 'Works' : 'Not tried yet'}</>
}
