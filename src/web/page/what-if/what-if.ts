import { allowedInWindow, errorBudget, minutesOf, round10, windowBudget } from '../../../slos/arithmetic/budget.ts'
import {
  alertSeconds,
  alertsOf,
  type PastAlert,
  exhaustedAt,
  lookBackSeconds,
  type TierRule,
} from '../../../slos/arithmetic/past-alerts.ts'
import { shareSince } from '../../../slos/arithmetic/reach.ts'
import { coveredFrom } from '../../../slos/arithmetic/running-sums.ts'
import { standardTiers } from '../../../slos/arithmetic/tiers.ts'
import type { SloWindow } from '../../../slos/arithmetic/windows.ts'
import { type Sums, sumsOver, type WhatIfData } from './sums.ts'
import { canFire } from './tiers.ts'

/**
 * SLI of a window in percent, and its events; `sli` null: no SLI, for `reason` and `message`. `seconds`: its length so far, of
 * `wholeSeconds` of a calendar period.
 */
export type MeasuredWindow = {
  window: SloWindow
  seconds: number
  wholeSeconds: number
  sli: number | null
  reason: string | null
  message: string | null
  events: { good: number; total: number } | null
}

/**
 * A window with its history, from which the results for any target are computed. `firstSeconds`: time of the first sample; null: not
 * known. `share`: part of the whole window since then, 0..1; if it is not known, part of the whole window that has passed.
 */
export type KnownWindow = { measured: MeasuredWindow; sums: Sums; firstSeconds: number | null; share: number }

/**
 * Result for a target, as the server would compute it. `usedPercent`: percent of the budget of the whole window; null: not known.
 * `events.allowed`: events that may fail in the whole window at the present traffic. `minutes`: allowed time of complete failure.
 * `exhaustedSeconds`: time at which the budget was used up; null: budget remains, or the time is not known. `alerts`: alerts between
 * `alertsFromSeconds` and `alertsToSeconds`, newest first.
 */
export type WhatIf = {
  targetPercent: number
  usedPercent: number | null
  events: { bad: number; total: number; allowed: number } | null
  minutes: number
  exhaustedSeconds: number | null
  alerts: PastAlert[]
  alertsFromSeconds: number
  alertsToSeconds: number
}

/** Data of a window; null if the preview does not cover it. `firstSampleAt`: as the preview says. */
export function knownWindow(data: WhatIfData, window: SloWindow, firstSampleAt: string | null): KnownWindow | null {
  const found = data.windows.find(({ time_window }) => time_window === window)
  if (!found) return null
  const { sli, status_reason: reason, status_message: message, query_metrics: counts } = found
  const { window_seconds: seconds, whole_seconds: wholeSeconds } = found
  const events = counts && { good: counts.good_events, total: counts.total_events }
  const sums = sumsOver(data, lookBackSeconds(window, seconds))
  const firstSeconds = firstSampleAt === null ? null : Date.parse(firstSampleAt) / 1000
  const share = (shareSince(firstSeconds, sums.endSeconds, seconds) ?? 1) * (seconds / wholeSeconds)
  return { measured: { window, seconds, wholeSeconds, sli, reason, message, events }, sums, firstSeconds, share }
}

/** Seconds of a window since the first sample, at most its whole length. */
export function existingSeconds({
  measured: { wholeSeconds },
  share,
}: Pick<KnownWindow, 'share'> & { measured: Pick<MeasuredWindow, 'window' | 'wholeSeconds'> }): number {
  return share * wholeSeconds
}

/** Computes the result of a window for a target from its measured data. `tiers`: by default the standard ones. */
export function whatIf(
  { measured: { window, seconds, wholeSeconds, sli, events }, sums, firstSeconds, share }: KnownWindow,
  targetPercent: number,
  tiers: readonly TierRule[] = standardTiers(window),
): WhatIf {
  const { usedPercent } = windowBudget(errorBudget(sli, targetPercent).percentageUsed, targetPercent, {
    windowShare: share,
    countsEvents: sums.countsEvents,
  })
  const isSpent = (usedPercent ?? 0) >= 100
  const fromSeconds = Math.max(sums.endSeconds - alertSeconds(window), coveredFrom(sums) ?? sums.endSeconds)
  return {
    targetPercent,
    usedPercent,
    events: events && {
      bad: events.total - events.good,
      total: events.total,
      allowed: round10(allowedInWindow(events.total, targetPercent, share)),
    },
    minutes: minutesOf(wholeSeconds, round10(100 - targetPercent)),
    exhaustedSeconds: isSpent ? exhaustedAt(sums, seconds, { targetPercent, windowShare: share }) : null,
    alerts: alertsOf(
      sums,
      tiers.filter((tier) => canFire(tier, window, targetPercent)),
      { targetPercent, fromSeconds, firstSeconds, countsEvents: sums.countsEvents },
    ),
    alertsFromSeconds: fromSeconds,
    alertsToSeconds: sums.endSeconds,
  }
}
