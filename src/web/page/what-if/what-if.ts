import { allowedBad, errorBudget, type KnownBudget, minutesOf, round10 } from '../../../slos/arithmetic/budget.ts'
import {
  alertSeconds,
  alertsOf,
  type PastAlert,
  exhaustedAt,
  lookBackSeconds,
  type TierRule,
} from '../../../slos/arithmetic/past-alerts.ts'
import { coveredFrom } from '../../../slos/arithmetic/running-sums.ts'
import { standardTiers } from '../../../slos/arithmetic/tiers.ts'
import { type SloWindow, windowSeconds } from '../../../slos/arithmetic/windows.ts'
import { type Sums, sumsOver, type WhatIfData } from './sums.ts'
import { canFire } from './tiers.ts'

/** SLI of a window in percent, and its events; `sli` null: no SLI, for `reason` and `message`. */
export type MeasuredWindow = {
  window: SloWindow
  sli: number | null
  reason: string | null
  message: string | null
  events: { good: number; total: number } | null
}

/** A window with its history, from which the results for any target are computed. */
export type KnownWindow = { measured: MeasuredWindow; sums: Sums }

/**
 * Result for a target, as the server would compute it. `bad` and `allowed` count events, `minutes` is the allowed time of
 * complete failure; `exhaustedSeconds` null: budget remains. `alerts`: those between `alertsFromSeconds` and `alertsToSeconds`,
 * newest first.
 */
export type WhatIf = {
  targetPercent: number
  budget: KnownBudget | null
  events: { bad: number; total: number; allowed: number } | null
  minutes: number
  exhaustedSeconds: number | null
  alerts: PastAlert[]
  alertsFromSeconds: number
  alertsToSeconds: number
}

/** Data of a window; null if the preview does not cover it. */
export function knownWindow(data: WhatIfData, window: SloWindow): KnownWindow | null {
  const found = data.windows.find(({ time_window }) => time_window === window)
  if (!found) return null
  const { sli, status_reason: reason, status_message: message, query_metrics: counts } = found
  const events = counts && { good: counts.good_events, total: counts.total_events }
  return { measured: { window, sli, reason, message, events }, sums: sumsOver(data, lookBackSeconds(window)) }
}

/** Computes the result of a window for a target from its measured data. `tiers`: by default the standard ones. */
export function whatIf(
  { measured: { window, sli, events }, sums }: KnownWindow,
  targetPercent: number,
  tiers: readonly TierRule[] = standardTiers(window),
): WhatIf {
  const budget = sli === null ? null : errorBudget(sli, targetPercent)
  const fromSeconds = Math.max(sums.endSeconds - alertSeconds(window), coveredFrom(sums) ?? sums.endSeconds)
  return {
    targetPercent,
    budget,
    events: events && {
      bad: events.total - events.good,
      total: events.total,
      allowed: allowedBad(events.total, targetPercent),
    },
    minutes: minutesOf(windowSeconds(window), round10(100 - targetPercent)),
    exhaustedSeconds: (budget?.percentageUsed ?? 0) >= 100 ? exhaustedAt(sums, window, targetPercent) : null,
    alerts: alertsOf(
      sums,
      tiers.filter((tier) => canFire(tier, window, targetPercent)),
      { targetPercent, fromSeconds, countsEvents: sums.countsEvents },
    ),
    alertsFromSeconds: fromSeconds,
    alertsToSeconds: sums.endSeconds,
  }
}
