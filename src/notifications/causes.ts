import type { Cause } from '../db/tables/tables.ts'

/**
 * Causes that a rule may select, by each of their spellings in the API. The status of an SLO gives `violation` (critical),
 * `warning` and `recovery` (healthy again); its budget `error_budget_low` (at each threshold above 0) and
 * `error_budget_exhausted` (at 0); its tiers `burn_rate_too_fast`. A status that gets worse is one alert, notified as `warning`
 * and then as `violation`. `appliance_condition` belongs to no SLO: it is a problem of nines itself.
 */
export const causeOf = {
  violation: 'violation',
  slo_below_target: 'violation',
  warning: 'warning',
  recovery: 'recovery',
  slo_recovery: 'recovery',
  error_budget_low: 'error_budget_low',
  error_budget_exhausted: 'error_budget_exhausted',
  burn_rate_too_fast: 'burn_rate_too_fast',
  appliance_condition: 'appliance_condition',
} as const satisfies Record<string, Cause>

export type AlertType = keyof typeof causeOf

export const spellings = Object.keys(causeOf) as [AlertType, ...AlertType[]]

export function spellingsOf(cause: Cause): AlertType[] {
  return spellings.filter((type) => causeOf[type] === cause)
}

/** Alert types that a request may name. `manual` sends one notification and is the cause of no alert. */
export const alertTypes = [...spellings, 'manual'] as const
