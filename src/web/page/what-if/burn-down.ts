import type { Budget } from '../api/types.ts'
import { windowSeconds } from '../charts/burn.ts'
import { burnedPercent, tidy } from './budget.ts'
import { sumBetween, type Sums, sumUntil } from './sums.ts'
import type { SloWindow } from './tiers.ts'

const maxPoints = 200
const steps = [60, 600, 3600, 6 * 3600, 86_400]

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
      remaining_percent: coveredSeconds > 0 ? tidy(100 - burned) : null,
      ideal_percent: tidy(100 - (100 * (at - startSeconds)) / ownSeconds),
      coverage: tidy(coveredSeconds / (at - startSeconds)),
    }
  })
}

function timesBetween(startSeconds: number, endSeconds: number, usedUpAt: number | null): number[] {
  const step = steps.find((seconds) => (endSeconds - startSeconds) / seconds <= maxPoints) ?? 86_400
  const times: number[] = []
  for (let at = (Math.floor(startSeconds / step) + 1) * step; at < endSeconds; at += step) times.push(at)
  const all = new Set([...times, ...(usedUpAt === null ? [] : [usedUpAt]), endSeconds])
  return [...all].toSorted((a, b) => a - b)
}

/** Time at which a window had used up the whole budget that it has at its end, in seconds; null if it had not. */
export function exhaustedAt(sums: Sums, window: SloWindow, targetPercent: number): number | null {
  const { endSeconds, stepSeconds } = sums
  const startSeconds = endSeconds - windowSeconds(window)
  const { total } = sumBetween(sums, startSeconds, endSeconds)
  const allowed = Math.max((total * (100 - targetPercent)) / 100, total * 1e-9)
  for (let end = startSeconds + stepSeconds; end <= endSeconds; end += stepSeconds) {
    const soFar = sumBetween(sums, startSeconds, end)
    if (soFar.total - soFar.good > allowed) return end
  }
  return null
}
