import { burnedPercent, round10 } from '../../../slos/arithmetic/budget.ts'
import { burnDownTimes } from '../../../slos/arithmetic/burn-down-times.ts'
import { exhaustedAt } from '../../../slos/arithmetic/past-alerts.ts'
import { sumUntil } from '../../../slos/arithmetic/running-sums.ts'
import { type SloWindow, windowSeconds } from '../../../slos/arithmetic/windows.ts'
import type { Budget } from '../api/types.ts'
import type { Sums } from './sums.ts'

type Point = Budget['burn_down'][number]

/**
 * Burn-down of a window that ends with the sums, at the times of the server's burn-down: whole steps in UTC, the time the
 * budget was used up, and the end, which is at `percentageUsed`. Times inside a step of the sums are interpolated.
 */
export function burnDown(sums: Sums, window: SloWindow, targetPercent: number, percentageUsed: number): Point[] {
  const ownSeconds = windowSeconds(window)
  const startSeconds = sums.endSeconds - ownSeconds
  const before = sumUntil(sums, startSeconds)
  const since = (seconds: number) => {
    const { good, total, coveredSeconds } = sumUntil(sums, seconds)
    const bad = Math.max(0, total - before.total - (good - before.good))
    return { bad, total: total - before.total, coveredSeconds: coveredSeconds - before.coveredSeconds }
  }
  const allowed = (since(sums.endSeconds).total * (100 - targetPercent)) / 100
  const usedUpAt = percentageUsed >= 100 ? exhaustedAt(sums, window, targetPercent) : null
  return timesBetween(startSeconds, sums.endSeconds, usedUpAt).map((at) => {
    const { bad, coveredSeconds } = since(at)
    const burned = at === sums.endSeconds ? percentageUsed : burnedPercent(bad, allowed)
    return {
      timestamp: new Date(at * 1000).toISOString(),
      remaining_percent: coveredSeconds > 0 ? round10(100 - burned) : null,
      ideal_percent: round10(100 - (100 * (at - startSeconds)) / ownSeconds),
      coverage: round10(coveredSeconds / (at - startSeconds)),
    }
  })
}

function timesBetween(startSeconds: number, endSeconds: number, usedUpAt: number | null): number[] {
  const times = new Set([...burnDownTimes(startSeconds, endSeconds), ...(usedUpAt === null ? [] : [usedUpAt])])
  return [...times].toSorted((a, b) => a - b)
}
