import type { AlertSeverity, Cause, Priority, RulePriority } from '../../db/tables/tables.ts'
import type { BurnRate } from '../../slos/arithmetic/burn-rates.ts'

/**
 * Parsed alert name: `down`, `status`, `budget:25` (percent remaining), `burn_rate:3600:300` (seconds), `condition:disk_full`,
 * `condition:certificate:FINGERPRINT` (`detail`: the last part).
 */
export type AlertName =
  | { kind: 'down' }
  | { kind: 'status' }
  | { kind: 'condition'; condition: string; detail: string }
  | { kind: 'budget'; threshold: number }
  | { kind: 'burn_rate'; longSeconds: number; shortSeconds: number }

export function readAlertName(name: string): AlertName {
  const [kind, first, second] = name.split(':')
  if (kind === 'budget') return { kind, threshold: Number(first) }
  if (kind === 'burn_rate') return { kind, longSeconds: Number(first), shortSeconds: Number(second) }
  if (kind === 'condition') return { kind, condition: first ?? '', detail: second ?? '' }
  return { kind: kind === 'down' ? 'down' : 'status' }
}

/** Alert name of a condition. */
export function conditionAlertName(condition: string): string {
  return `condition:${condition}`
}

/** Alert name of a tier: both windows in seconds. No two tiers of an SLO share both. */
export function tierName({ long_seconds, short_seconds }: Pick<BurnRate, 'long_seconds' | 'short_seconds'>): string {
  return `burn_rate:${long_seconds}:${short_seconds}`
}

/** True for an outage and for a tier: alerts of status and budget only attach to an incident. */
export function opensIncident({ name }: { name: string }): boolean {
  const { kind } = readAlertName(name)
  return kind === 'down' || kind === 'burn_rate'
}

/** True for the severities that somebody is to act on now. */
export function isUrgent({ severity }: { severity: AlertSeverity | null }): boolean {
  return severity === 'page' || severity === 'critical'
}

/** Cause that a rule must select to notify of an alert; an outage counts as a violation. */
export function causeOfAlert({ name, severity }: { name: string; severity: AlertSeverity }): Cause {
  const alert = readAlertName(name)
  if (alert.kind === 'burn_rate') return 'burn_rate_too_fast'
  if (alert.kind === 'condition') return 'appliance_condition'
  if (alert.kind === 'budget') return alert.threshold > 0 ? 'error_budget_low' : 'error_budget_exhausted'
  return severity === 'critical' ? 'violation' : 'warning'
}

/**
 * Priority of a notification of an alert by a rule. `auto` follows the severity: `critical` for an outage, a condition of nines
 * and a tier of severity `page`, `high` for what is critical but no outage, `medium` for a ticket or a warning.
 */
export function priorityOf(
  rule: RulePriority,
  { name, severity }: { name: string; severity: AlertSeverity },
): Priority {
  if (rule !== 'auto') return rule
  if (severity === 'page') return 'critical'
  if (severity !== 'critical') return 'medium'
  const { kind } = readAlertName(name)
  return kind === 'down' || kind === 'condition' ? 'critical' : 'high'
}
