import type { AlertSeverity, SloRow } from '../../db/tables/tables.ts'
import type { BurnRate } from '../../slos/arithmetic/burn-rates.ts'
import { thresholdsOf } from '../../slos/alerting/budget-thresholds.ts'
import type { Evaluation } from '../../evaluation/evaluation-store.ts'

/** What an evaluation says of one alert of an SLO. `firing` null: nothing, so that the alert stays as it is. */
export type Reading = { name: string; severity: AlertSeverity; firing: boolean | null }

type Evaluated = Pick<Evaluation, 'failed' | 'status' | 'budgetUsed' | 'burnRates'>

/** Of a budget, points that have to be regained beyond a threshold before its alert ends: it hovers about it for hours. */
const regainedPoints = 2

/** Every alert an SLO may have, as an evaluation finds it; nothing is said of what could not be measured. */
export function readingsOf(slo: SloRow, evaluated: Evaluated): Reading[] {
  const { failed, status, budgetUsed, burnRates } = evaluated
  const readings: Reading[] = [
    {
      name: 'status',
      severity: status === 'critical' ? 'critical' : 'warning',
      firing: status === 'unknown' ? null : status !== 'healthy',
    },
    ...thresholdsOf(slo).map((threshold): Reading => {
      const severity = threshold > 0 ? 'warning' : 'critical'
      const firing = budgetUsed === null ? null : isBelow(100 - budgetUsed, threshold)
      return { name: `budget:${threshold}`, severity, firing }
    }),
    ...burnRates
      .filter(({ enabled }) => enabled)
      .map((rate): Reading => ({ name: tierName(rate), severity: rate.severity, firing: rate.firing })),
  ]
  return failed ? readings.map((reading) => ({ ...reading, firing: null })) : readings
}

/** Both windows in seconds, which no two tiers of an SLO share. */
export function tierName({ long_seconds, short_seconds }: Pick<BurnRate, 'long_seconds' | 'short_seconds'>): string {
  return `burn_rate:${long_seconds}:${short_seconds}`
}

function isBelow(remainingPercent: number, threshold: number): boolean | null {
  if (remainingPercent <= threshold) return true
  return remainingPercent > threshold + regainedPoints ? false : null
}
