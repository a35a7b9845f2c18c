import type { OverviewSlo } from '../../../api/types.ts'
import type { RuleGroup, Selector } from '../../../api/history.ts'
import { formatDuration } from '../../../format.ts'
import { capitalized, ruleWords } from '../../../incidents/alert-words.ts'
import { severityWords } from '../../../slo/recipients/recipients.ts'

/** Kinds of SLO alerts that a rule can be for, the most useful first. */
export const kinds = [
  { type: 'burn_rate_too_fast', hint: 'The budget would not last its window. The usual choice.' },
  { type: 'error_budget_exhausted', hint: 'No budget is left.' },
  { type: 'error_budget_low', hint: 'At most 50, 25 or 10 % of the budget is left.' },
  {
    type: 'violation',
    hint: 'Its checks fail; or below the target for an hour, with at most half of the budget left.',
  },
  { type: 'warning', hint: 'Below the target for an hour; more than half of the budget is left.' },
  { type: 'recovery', hint: 'Its texts stand for all recoveries; they are sent without it too.' },
] as const

export type Kind = (typeof kinds)[number]['type'] | typeof selfMonitoringAlertType

/** Kind of the alerts about nines itself and about certificates, which have no SLO. */
export const selfMonitoringAlertType = 'appliance_condition'

export const selfMonitoringTitle = 'Certificates, and nines itself'

export function isOfNines({ alert_type }: Pick<RuleGroup, 'alert_type'>): boolean {
  return alert_type === selfMonitoringAlertType
}

/** Groups of default channels, which are notified of every SLO without a rule: one group for each channel. */
export function defaultGroups(groups: readonly RuleGroup[]): RuleGroup[] {
  const ofChannels = Map.groupBy(
    groups.filter(({ by }) => by === 'default'),
    ({ channel_id }) => channel_id,
  )
  return [...ofChannels.values()].flatMap(([first, ...others]) => {
    if (!first) return []
    const slo_ids = [...new Set([first, ...others].flatMap((one) => one.slo_ids))]
    return { ...first, slo_ids, selector: { all: true }, min_interval_seconds: 0 }
  })
}

/** Alerts that a rule notifies of: `Burning too fast: Page (urgent)`. */
export function kindOf({ alert_type, severity }: Pick<RuleGroup, 'alert_type' | 'severity'>): string {
  if (alert_type === selfMonitoringAlertType) return selfMonitoringTitle
  const name = ruleWords[alert_type] ?? alert_type
  return severity === null ? name : `${name}: ${severityWords[severity] ?? severity}`
}

const usualIntervals = [0, 900, 3600, 14_400, 86_400]

/** Minimum intervals between two alerts to choose from, with the current one, which the API may have set. */
export function intervals(current: number): { seconds: number; label: string }[] {
  return [...new Set([...usualIntervals, current])]
    .toSorted((a, b) => a - b)
    .map((seconds) => ({ seconds, label: seconds === 0 ? 'Each alert' : `At most every ${formatDuration(seconds)}` }))
}

export const priorities = ['auto', 'low', 'medium', 'high', 'critical']

export function priorityWord(priority: string): string {
  return priority === 'auto' ? 'As the alert' : capitalized(priority)
}

/** Ids of the SLOs that a selector selects now. */
export function selectedIds(
  { labels, team_id }: Selector,
  slos: readonly Pick<OverviewSlo, 'id' | 'labels' | 'team_id'>[],
): number[] {
  const pairs = Object.entries(labels ?? {})
  return slos
    .filter((slo) => team_id === undefined || slo.team_id === team_id)
    .filter((slo) => pairs.every(([name, value]) => slo.labels[name] === value))
    .map(({ id }) => id)
}

/**
 * Request body that stores a group of rules for SLOs, or the rule of its selector. It includes texts and retries, so that the rules stay
 * one group.
 */
export function bodyOf(
  {
    channel_id,
    alert_type,
    selector,
    severity,
    priority,
    subject,
    message,
    max_retries,
    min_interval_seconds,
    enabled,
  }: RuleGroup,
  slo_ids: readonly number[],
) {
  const scope = selector === null ? { slo_ids } : { selector }
  const texts = { subject, message }
  return { channel_id, alert_type, ...scope, severity, priority, ...texts, max_retries, min_interval_seconds, enabled }
}
