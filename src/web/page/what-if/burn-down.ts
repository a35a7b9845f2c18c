import { allowedInWindow, burnedPercent, round10 } from '../../../slos/arithmetic/budget.ts'
import { burnDownTimes, finerTimesSince } from '../../../slos/arithmetic/burn-down-times.ts'
import { sumUntil } from '../../../slos/arithmetic/running-sums.ts'
import type { Budget } from '../api/types.ts'
import { existingSeconds, type KnownWindow, type WhatIf } from './what-if.ts'

type Point = Budget['burn_down'][number]

/**
 * Burn-down of the budget of a whole window that ends with the sums, at the times of the server's burn-down: whole steps in UTC, finer
 * ones since a first sample, the time the budget was used up, and the end, which is at `usedPercent`. Times inside a step of the sums
 * are interpolated.
 */
export function burnDown(
  known: KnownWindow,
  { targetPercent, usedPercent, exhaustedSeconds }: Pick<WhatIf, 'targetPercent' | 'usedPercent' | 'exhaustedSeconds'>,
): Point[] {
  const { sums, share, measured } = known
  const startSeconds = sums.endSeconds - measured.seconds
  const firstSeconds = Math.round(sums.endSeconds - existingSeconds(known))
  // seconds fill the first step also before the first sample, events do not
  const base = sumUntil(sums, sums.countsEvents ? startSeconds : firstSeconds)
  const sumsSinceStart = (seconds: number) => {
    const { good, total, coveredSeconds } = sumUntil(sums, seconds)
    const bad = Math.max(0, total - base.total - (good - base.good))
    const isBefore = seconds <= firstSeconds
    return { bad, total: total - base.total, coveredSeconds: isBefore ? 0 : coveredSeconds - base.coveredSeconds }
  }
  const allowed = allowedInWindow(sumsSinceStart(sums.endSeconds).total, targetPercent, share)
  const times = [
    ...burnDownTimes(startSeconds, sums.endSeconds),
    ...finerTimesSince(startSeconds, sums.endSeconds, firstSeconds),
    ...(exhaustedSeconds === null ? [] : [exhaustedSeconds]),
  ]
  return [...new Set(times)]
    .toSorted((a, b) => a - b)
    .map((at) => {
      const { bad, coveredSeconds } = sumsSinceStart(at)
      const burned = at === sums.endSeconds ? (usedPercent ?? 0) : burnedPercent(bad, allowed)
      return {
        timestamp: new Date(at * 1000).toISOString(),
        remaining_percent: coveredSeconds > 0 ? round10(100 - burned) : null,
        ideal_percent: round10(100 - (100 * (at - startSeconds)) / measured.wholeSeconds),
        coverage: round10(coveredSeconds / (at - startSeconds)),
      }
    })
}
