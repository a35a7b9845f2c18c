import { round10 } from '../../slos/arithmetic/budget.ts'
import { type ServiceHistory, pastDays } from './daily-history.ts'
import { day } from '../../ledger/bucket.ts'

/** `target` null: none is suggested. `start`: initial value of a form, `target` or otherwise a reached step, at most 99.9. */
export type SuggestedTarget = { target: number | null; start: number; reason: string }

const steps = [
  99.999,
  99.99,
  99.95,
  99.9,
  99.8,
  99.5,
  99,
  98,
  95,
  90,
  ...Array.from({ length: 89 }, (_, at) => 89 - at),
]
const maxStart = 99.9
const minBudgetSeconds = 60 // a smaller budget in time is used up by the first minute that fails

/**
 * Suggests the highest step that the history reached and whose budget allows a failure: one event, or one minute. None is suggested
 * from less than half a window, whose events are then extrapolated for `start`, or from an estimate. Rule: docs/slo-math.md, "Suggested target".
 */
export function suggestTarget(past: ServiceHistory | null): SuggestedTarget {
  if (past === null) {
    return { target: null, start: maxStart, reason: 'The past could not be read, so no target is suggested.' }
  }
  const { sliPercent, knownDays, events, isEstimate } = past
  if (sliPercent === null) return { target: null, start: maxStart, reason: 'Nothing was counted in the past.' }
  const isYoung = knownDays * 2 < pastDays
  const eventsOfWindow = (events ?? knownDays * day) * (isYoung ? pastDays / Math.max(1, knownDays) : 1)
  const failures = (target: number) => (eventsOfWindow * (100 - target)) / 100
  const allowsFailure = (target: number) => round10(failures(target)) >= (events === null ? minBudgetSeconds : 1)
  const reachedSteps = steps.filter((step) => step <= round10(sliPercent))
  const target = reachedSteps.find(allowsFailure) ?? null
  const start =
    reachedSteps.find((step) => step <= maxStart && (target === null || step <= target)) ?? Math.min(...steps)
  const reached = formatFloor(sliPercent, target ?? start)
  if (isEstimate) {
    const why = 'There are too many samples to read them all; the preview does for one SLO.'
    return {
      target: null,
      start,
      reason: `About ${reached} in the last ${knownDays === 1 ? 'day' : `${knownDays} days`}. ${why}`,
    }
  }
  if (isYoung) {
    const known = knownDays === 1 ? 'one day' : `${knownDays} days`
    const verbs = knownDays === 1 ? ['is', 'it'] : ['are', 'they']
    return {
      target: null,
      start,
      reason: `Only ${known} of the last ${pastDays} ${verbs[0]} known; ${verbs[1]} reached ${reached}.`,
    }
  }
  const summary = `The last ${pastDays} days reached ${reached}`
  if (target === null) return { target, start, reason: `${summary}: no target leaves a budget for one failure.` }
  const isLowered = target !== reachedSteps[0]
  const reason = isLowered ? `${summary}; the budget of a higher target would not hold one failure.` : `${summary}.`
  return { target, start: target, reason }
}

/** Formats a percentage, rounded down, with one decimal more than the target next to it. */
function formatFloor(percent: number, target: number): string {
  if (percent >= 100) return '100 %'
  const decimals = (String(target).split('.')[1] ?? '').length + 1
  return `${(Math.floor(round10(percent) * 10 ** decimals) / 10 ** decimals).toFixed(decimals)} %`
}
