import type { Cause } from '../db/tables/tables.ts'

/**
 * Cause of each alert type that a rule may select. Two alert types of the same cause mean the same. The status of an SLO gives
 * `violation` (critical), `warning` and `recovery` (healthy again); its budget `error_budget_low` (at each threshold above 0) and
 * `error_budget_exhausted` (at 0); its tiers `burn_rate_too_fast`. A status that gets worse is one alert, notified as `warning`
 * and then as `violation`. `appliance_condition` belongs to no SLO: it is a problem of nines itself, or a certificate that expires
 * soon.
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

/** Alert types that a rule may select. */
export const ruleAlertTypes = Object.keys(causeOf) as [AlertType, ...AlertType[]]

/** Alert types of a cause: they mean the same. */
export function alertTypesOf(cause: Cause): AlertType[] {
  return ruleAlertTypes.filter((type) => causeOf[type] === cause)
}

/** Alert types that a request may name. `manual` sends one notification and is the cause of no alert. */
export const alertTypes = [...ruleAlertTypes, 'manual'] as const
