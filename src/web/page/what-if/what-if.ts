import { windowSeconds } from '../charts/burn.ts'
import { alertsOf, type Episode } from './alerts.ts'
import { allowedBad, allowedMinutes, type ErrorBudget, errorBudget } from './budget.ts'
import { exhaustedAt } from './burn-down.ts'
import { coveredFrom, type Sums, sumsOver, type WhatIfData } from './sums.ts'
import { alertSeconds, lookBackSeconds, type SloWindow, standardTiers, type TierRule } from './tiers.ts'

/** The SLI of a window, in percent, and its events; `sli` null: there is none, as `reason` and `message` say. */
export type MeasuredWindow = {
  window: SloWindow
  sli: number | null
  reason: string | null
  message: string | null
  events: { good: number; total: number } | null
}

/** A window with its past; of any target the rest is computed. */
export type KnownWindow = { measured: MeasuredWindow; sums: Sums }

/**
 * What the server would say of a target. `bad` and `allowed` count events, `minutes` what may fail wholly; `exhaustedSeconds`
 * null: there is budget left. `alerts`: those between `alertsFromSeconds` and `alertsToSeconds`, the newest first.
 */
export type WhatIf = {
  targetPercent: number
  budget: ErrorBudget | null
  events: { bad: number; total: number; allowed: number } | null
  minutes: number
  exhaustedSeconds: number | null
  alerts: Episode[]
  alertsFromSeconds: number
  alertsToSeconds: number
}

/** What is known of a window; null where the data do not cover it. */
export function knownWindow(data: WhatIfData, window: SloWindow): KnownWindow | null {
  const found = data.windows.find(({ time_window }) => time_window === window)
  if (!found) return null
  const { sli, status_reason: reason, status_message: message, query_metrics: counts } = found
  const events = counts && { good: counts.good_events, total: counts.total_events }
  return { measured: { window, sli, reason, message, events }, sums: sumsOver(data, lookBackSeconds(window)) }
}

/** What the server would say of a window with this target, from what was measured in it. `tiers`: the standard ones. */
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
    minutes: allowedMinutes(windowSeconds(window), targetPercent),
    exhaustedSeconds: (budget?.percentageUsed ?? 0) >= 100 ? exhaustedAt(sums, window, targetPercent) : null,
    alerts: alertsOf(sums, tiers, { window, targetPercent, fromSeconds }),
    alertsFromSeconds: fromSeconds,
    alertsToSeconds: sums.endSeconds,
  }
}
