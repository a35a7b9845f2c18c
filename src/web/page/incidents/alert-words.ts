import type { Alert, SloIncident, TierRule } from '../api/history.ts'
import { isOver, windowSeconds } from '../slo/burn.ts'
import { formatBurn, formatCost, formatDuration, formatNumber, formatPercent, formatWindow } from '../format.ts'
import { minOverPercent } from '../../../slos/arithmetic/share.ts'
import { words } from '../words.ts'

type NamedAlert = Pick<Alert, 'kind' | 'severity' | 'long_window' | 'short_window' | 'threshold_percent' | 'condition'>

const tierWords: Record<string, string> = { page: 'page (urgent)', ticket: 'ticket (can wait)' }

/** Severity of an alert in words: `page (urgent)`, `critical`. */
export function severityWord({ severity }: Pick<Alert, 'severity'>): string {
  return tierWords[severity] ?? severity
}

/** Title of an alert: `page (urgent), 1 h and 5 min`, `25 % of the budget left`. */
export function alertTitle(alert: NamedAlert): string {
  const { kind, long_window: long, short_window: short, threshold_percent: percent, condition } = alert
  if (long !== null && short !== null) return `${severityWord(alert)}, ${formatWindow(long)} and ${formatWindow(short)}`
  if (percent !== null) return thresholdTitle(percent)
  if (kind === 'down') return 'down'
  if (condition === certificateCondition) return 'renewal due'
  if (condition !== null) return condition.replaceAll('_', ' ')
  return 'recently below target' // in the last hour or minutes; its window may meet the target
}

/** Condition of a certificate that has expired or expires soon. */
export const certificateCondition = 'certificate'

/** Subject of an alert: its SLO, a certificate, or nines itself. */
export function aboutOf({ slo_name, condition }: Pick<Alert, 'slo_name' | 'condition'>): string {
  return slo_name ?? (condition === certificateCondition ? 'Certificate' : words.product)
}

/** The shape of an alert's severity. */
export function shapeOf({ severity }: Pick<Alert, 'severity'>): 'critical' | 'warning' {
  return severity === 'page' || severity === 'critical' ? 'critical' : 'warning'
}

/**
 * Burn rate of an alert over the long window of its tier: `Burning 6.1× over 6 h` while both its windows exceed the threshold, otherwise
 * `0.4× over 6 h`; undefined: not known, or an alert of no tier.
 */
export function burnWords({ burn_rate: rate }: Pick<Alert, 'burn_rate'>): string | undefined {
  if (rate === null || rate.long === null) return undefined
  const isBurning = isOver({ long_burn_rate: rate.long, short_burn_rate: rate.short, factor: rate.factor })
  const over = `${formatBurn(rate.long)} over ${formatWindow(rate.long_window)}`
  return isBurning ? `Burning ${over}` : over
}

/**
 * Share of the budget that an alert cost: `61 %`; `about 61 %` if its begin and end are known only to the hour or day; more than the whole
 * budget: `3.2 times`; a dash: not known.
 */
export function costWords({ budget_percent: percent, budget_resolution_seconds: resolutionSeconds }: Cost): string {
  if (percent === null) return '–'
  const isRough = (resolutionSeconds ?? 0) > 60 && percent >= 0.05 && percent < minOverPercent
  return isRough ? `about ${formatCost(percent)}` : formatCost(percent)
}

/** Cost in a sentence: `61 % of the budget`, `3.2 times the budget`. */
export function costOfBudget(cost: Cost): string {
  const words = costWords(cost)
  return (cost.budget_percent ?? 0) >= minOverPercent ? `${words} the budget` : `${words} of the budget`
}

type Cost = Pick<Alert, 'budget_percent' | 'budget_resolution_seconds'>

export function thresholdTitle(percent: number): string {
  return percent === 0 ? 'budget used up' : `${formatPercent(percent)} of the budget left`
}

const longHours = 96 // from here on in days

type Windows = Pick<TierRule, 'factor' | 'long_window' | 'short_window'>

/** Condition of a tier: `14.4× over 1 h and 5 min: budget gone in 50 h`. */
export function tierSentence({ factor, long_window, short_window }: Windows, ownWindow: string): string {
  const rate = Number.isInteger(factor) ? `${formatNumber(factor)}×` : formatFactor(factor)
  const hours = windowSeconds(ownWindow) / factor / 3600
  const rounded = hours >= longHours ? Math.round(hours / 24) * 86_400 : hours * 3600
  const time = hours >= 1 && hours < longHours ? `${formatNumber(Math.round(hours))}\u2009h` : formatDuration(rounded)
  return `${rate} over ${formatWindow(long_window)} and ${formatWindow(short_window)}: budget gone in ${time}`
}

/** A threshold with the decimals it was set with, at most two: 14.4 stays 14.4. */
function formatFactor(factor: number): string {
  const decimals = Math.min(2, (String(factor).split('.')[1] ?? '').length)
  return decimals === 0 ? formatBurn(factor) : `${formatNumber(factor, decimals)}×`
}

/** Alerts that a rule notifies of, by its `alert_type`. */
export const ruleWords: Record<string, string> = {
  burn_rate_too_fast: 'Burning too fast',
  error_budget_low: 'Budget low',
  error_budget_exhausted: 'Budget used up',
  violation: 'Down, or far below the target',
  slo_below_target: 'Down, or far below the target',
  warning: 'Below the target',
  recovery: 'Up again',
  slo_recovery: 'Up again',
}

/** Delivery status in words; `isProblem` marks a failure. */
export const deliveryWords: Record<string, { word: string; isProblem: boolean }> = {
  pending: { word: 'waiting', isProblem: false },
  sending: { word: 'being sent', isProblem: false },
  sent: { word: 'sent', isProblem: false },
  delivered: { word: 'delivered', isProblem: false },
  failed: { word: 'failed', isProblem: true },
  throttled: { word: 'throttled', isProblem: false },
}

export function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

type Incident = Omit<SloIncident, 'notifications'>

/**
 * Cost of an incident: `40 % of the budget so far`, `3.2 times the budget`; null: not known. `cost` is `costWords` below a heading
 * that says "Budget".
 */
export function budgetWords(incident: Incident, cost = costOfBudget): string | null {
  if (incident.budget_percent === null) return null
  const isFinal = incident.state === 'recovering' || incident.state === 'closed'
  return isFinal ? cost(incident) : `${cost(incident)} so far`
}
