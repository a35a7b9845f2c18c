import { allowedBad, round10 } from '../../../slos/arithmetic/budget.ts'
import { sumBetween } from '../../../slos/arithmetic/running-sums.ts'
import { ratioOf } from '../../../slos/arithmetic/window-sum.ts'
import { nominalSeconds, type SloWindow } from '../../../slos/arithmetic/windows.ts'
import { formatPercent } from '../format.ts'
import { windowWords } from '../slo/window-words.ts'
import { type Sums, sumsOver, type WhatIfData } from './sums.ts'

/** `target`: in percent; null: no suggestion. `reason`: sentence that explains the target, or why there is none. */
export type SuggestedTarget = { target: number | null; reason: string }

const targetSteps = [99.999, 99.99, 99.95, 99.9, 99.8, 99.5, 99, 98, 95, 90]
const minBudgetSeconds = 60 // if time is counted: with less, the first failed minute uses up the budget

/**
 * Suggests a target that the history would have met: the SLI of the worst window of this length, rounded down to a step, below
 * 90 to whole percents. `sliPercent`: the SLI of the window that ends now. The budget must allow one failure: an event, or a
 * minute. Rule: docs/slo-math.md, "Suggested target".
 */
export function suggestTarget(data: WhatIfData, window: SloWindow, sliPercent: number | null): SuggestedTarget {
  const seconds = nominalSeconds(window)
  const { start_time, end_time, counts_events } = data.steps
  const sums = sumsOver(data, (Date.parse(end_time) - Date.parse(start_time)) / 1000)
  const worst = worstWindow(sums, seconds)
  const latest = sumBetween(sums, sums.endSeconds - seconds, sums.endSeconds)
  if (worst === null || sliPercent === null) {
    const reason =
      latest.coveredSeconds * 2 < seconds
        ? `Less than half of the last ${windowWords(window)} has data: too little past to suggest a target.`
        : 'Nothing was counted in the past that could suggest a target.'
    return { target: null, reason }
  }
  const reached = Math.min(round10(worst * 100), sliPercent)
  const allowsFailure = (target: number) => allowedBad(latest.total, target) >= (counts_events ? 1 : minBudgetSeconds)
  const candidates = [...targetSteps, ...wholePercents(89)].filter((step) => step <= reached)
  const target = candidates.find(allowsFailure) ?? null
  const fact = `The worst ${windowWords(window)} reached ${formatFloor(reached, target ?? 99)}`
  if (target === null) return { target, reason: `${fact}: no target below that leaves a budget for one failure.` }
  const isLowered = target !== candidates[0]
  return {
    target,
    reason: isLowered ? `${fact}; the budget of a higher target would not hold one failure.` : `${fact}.`,
  }
}

/** Lowest SLI, 0 to 1, of all windows of this length within the sums; null if too little was measured. */
function worstWindow(sums: Sums, seconds: number): number | null {
  let worst: number | null = null
  for (let end = sums.startSeconds + seconds; end <= sums.endSeconds; end += sums.stepSeconds) {
    const ratio = ratioOf(sumBetween(sums, end - seconds, end), seconds)
    if (ratio !== null && (worst === null || ratio < worst)) worst = ratio
  }
  return worst
}

function wholePercents(from: number): number[] {
  return Array.from({ length: from }, (_, at) => from - at)
}

/** A percentage rounded down, with one decimal more than the target. */
function formatFloor(percent: number, target: number): string {
  if (percent === 100) return formatPercent(100)
  const decimals = Math.min(6, (String(target).split('.')[1] ?? '').length + 1)
  return formatPercent(Math.floor(percent * 10 ** decimals) / 10 ** decimals, decimals)
}
