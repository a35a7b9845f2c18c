import type { Alerting, Rule } from '../../../api/history.ts'
import { formatNumber } from '../../../format.ts'
import { ruleWords, tierSentence } from '../../../incidents/alert-words.ts'
import { severityWords } from '../../../slo/recipients/recipients.ts'

/** When a tier fires in a window, with its minimum number of failed events, if it has one. */
export function tierWords(tier: Alerting['burn_rate_tiers'][number], window: string): string {
  const fires = tierSentence(tier, window)
  return tier.min_events > 0 ? `${fires}, from ${formatNumber(tier.min_events)} failed events on` : fires
}

/** Type of alerts that a rule selects, with their severity if it selects by that: `Burning too fast: Page (urgent)`. */
export function selectedWords({ alert_type, severity }: Pick<Rule, 'alert_type' | 'severity'>): string {
  const type = ruleWords[alert_type] ?? alert_type
  return severity === null ? type : `${type}: ${severityWords[severity] ?? severity}`
}

/** A channel that fails, with its last error. */
export function failsWords(lastError: string | null): string {
  return lastError === null ? 'Fails' : `Fails: ${lastError}`
}

/** When an alert on the SLI itself fires. */
export const sliFiresWords = {
  warning: 'Below the target for an hour, more than half of the budget left',
  violation: 'Below the target for an hour, at most half of the budget left',
} as const

/** Reason why a tier cannot fire. */
export function neverFiresWords(reason: string): string {
  return `can never fire: ${reason}`
}
