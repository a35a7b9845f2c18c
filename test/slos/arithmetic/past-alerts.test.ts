import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { burnRateOfWindow, isTierFiring } from '../../../src/slos/arithmetic/burn-rates.ts'
import { alertsOf, type PastAlert, type TierRule } from '../../../src/slos/arithmetic/past-alerts.ts'
import { addUpSteps, type RunningSums, sumBetween } from '../../../src/slos/arithmetic/running-sums.ts'
import { sliOfSum, type WindowSum } from '../../../src/slos/arithmetic/window-sum.ts'

const stepSeconds = 300
const tier: TierRule = { severity: 'page', longSeconds: 3600, shortSeconds: 300, factor: 2, minEvents: 0 }

function sumsOf(steps: WindowSum[]): RunningSums {
  return addUpSteps(steps, { startSeconds: 0, endSeconds: steps.length * stepSeconds, stepSeconds })
}

/** Each step of some with a failed share of 100 events; null: not measured. */
function stepsOf(shares: (number | null)[]): WindowSum[] {
  return shares.map((share) =>
    share === null
      ? { good: 0, total: 0, coveredSeconds: 0 }
      : { good: 100 * (1 - share), total: 100, coveredSeconds: stepSeconds },
  )
}

/** The alerts of a tier as an evaluation at the end of each step would open and resolve them. */
function evaluated(sums: RunningSums, rule: TierRule, targetPercent: number, countsEvents: boolean): PastAlert[] {
  const whole = { ...rule, enabled: true, budgetPercent: 0, refused: null }
  const windowOf = (seconds: number, end: number) => {
    const sum = sumBetween(sums, end - seconds, end)
    const rate = burnRateOfWindow(sliOfSum(sum, seconds), targetPercent)
    return { rate, badEvents: countsEvents && rate !== null ? Math.max(0, Math.round(sum.total - sum.good)) : null }
  }
  const found: PastAlert[] = []
  let open: PastAlert | null = null
  for (let end = stepSeconds; end <= sums.endSeconds; end += stepSeconds) {
    const long = windowOf(rule.longSeconds, end)
    const firing = isTierFiring(whole, long, windowOf(rule.shortSeconds, end).rate)
    if (firing && !open) found.push((open = { tier: rule, startedSeconds: end, endedSeconds: null, peak: 0 }))
    if (firing === false && open) {
      open.endedSeconds = end
      open = null
    }
    if (open) open.peak = Math.max(open.peak, long.rate ?? 0)
  }
  return found.toReversed()
}

test('alerts of the past are those that evaluations of each step would have raised', () => {
  const share = fc.oneof(
    fc.constantFrom(null, 0, 0.02, 1), // with a target of 99, a share of 0.02 burns at the factor exactly
    fc.double({ min: 0, max: 0.1, noNaN: true }),
  )
  let fired = 0
  fc.assert(
    fc.property(
      fc.array(fc.tuple(share, fc.integer({ min: 1, max: 20 })), { minLength: 1, maxLength: 20 }),
      fc.constantFrom(0, 20),
      fc.boolean(),
      (stretches, minEvents, countsEvents) => {
        const sums = sumsOf(stepsOf(stretches.flatMap(([one, count]) => Array.from({ length: count }, () => one))))
        const found: PastAlert[] = alertsOf(sums, [{ ...tier, minEvents }], {
          targetPercent: 99,
          fromSeconds: 0,
          countsEvents,
        })
        expect(found).toEqual(evaluated(sums, { ...tier, minEvents }, 99, countsEvents))
        fired += found.length
      },
    ),
    { seed: 20_261_123, numRuns: 300 },
  )
  expect(fired).toBeGreaterThan(150)
})

test('a burn rate at the factor does not fire, one above it does', () => {
  const looked = { targetPercent: 99, fromSeconds: 0, countsEvents: true }
  const alertsAt = (share: number) => alertsOf(sumsOf(stepsOf(Array.from({ length: 24 }, () => share))), [tier], looked)
  expect([alertsAt(0.02), alertsAt(0.0201).length]).toEqual([[], 1])
})

test('a tier whose short window is shorter than a step is left out', () => {
  const sums = sumsOf(stepsOf([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]))
  const looked = { targetPercent: 99, fromSeconds: 0, countsEvents: true }
  expect(alertsOf(sums, [{ ...tier, shortSeconds: 60 }], looked)).toEqual([])
})
