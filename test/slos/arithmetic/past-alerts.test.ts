import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { tierRateOfSum } from '../../../src/ledger/window-sums.ts'
import type { PlannedSlo } from '../../../src/sli/plan/plan.ts'
import { isTierFiring, wholeRateOf } from '../../../src/slos/arithmetic/burn-rates.ts'
import { alertsOf, type PastAlert, type TierRule } from '../../../src/slos/arithmetic/past-alerts.ts'
import { addUpSteps, coveredFrom, type RunningSums, sumBetween } from '../../../src/slos/arithmetic/running-sums.ts'
import type { WindowSum } from '../../../src/slos/arithmetic/window-sum.ts'

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

type Search = Parameters<typeof alertsOf>[2]

/** The alerts of a tier as an evaluation at the end of each step would open and resolve them. */
function evaluated(
  sums: RunningSums,
  rule: TierRule,
  { targetPercent, firstSeconds, countsEvents }: Search,
): PastAlert[] {
  const method = countsEvents ? 'events' : 'worst'
  const planned = { slo: { target: targetPercent }, plan: { composite: { method } } } as PlannedSlo
  const isKnown = firstSeconds !== null && firstSeconds > sums.startSeconds
  const reach = isKnown ? { firstSeconds, completeFromSeconds: -Infinity, isFilling: false } : null
  const whole = { ...rule, enabled: true, budgetPercent: 0, refused: null }
  const windowOf = (seconds: number, end: number) => {
    if (isKnown && end <= firstSeconds) return { rate: null, badEvents: null }
    return tierRateOfSum(planned, sumBetween(sums, end - seconds, end), { seconds, endSeconds: end, reach })
  }
  const found: PastAlert[] = []
  let open: PastAlert | null = null
  for (let end = stepSeconds; end <= sums.endSeconds; end += stepSeconds) {
    const long = windowOf(rule.longSeconds, end)
    const firing = isTierFiring(whole, long, wholeRateOf(windowOf(rule.shortSeconds, end)))
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
      fc.constantFrom(null, 0, 60, 240), // seconds between the start of the first step with data and the first sample
      (stretches, minEvents, countsEvents, delaySeconds) => {
        const sums = sumsOf(stepsOf(stretches.flatMap(([one, count]) => Array.from({ length: count }, () => one))))
        const measuredFrom = coveredFrom(sums)
        const firstSeconds = delaySeconds === null || measuredFrom === null ? null : measuredFrom + delaySeconds
        const search = { targetPercent: 99, fromSeconds: 0, firstSeconds, countsEvents }
        const found: PastAlert[] = alertsOf(sums, [{ ...tier, minEvents }], search)
        expect(found).toEqual(evaluated(sums, { ...tier, minEvents }, search))
        fired += found.length
      },
    ),
    { seed: 20_261_123, numRuns: 300 },
  )
  expect(fired).toBeGreaterThan(150)
})

test('a burn rate at the factor does not fire, one above it does', () => {
  const looked = { targetPercent: 99, fromSeconds: 0, firstSeconds: null, countsEvents: true }
  const alertsAt = (share: number) => alertsOf(sumsOf(stepsOf(Array.from({ length: 24 }, () => share))), [tier], looked)
  expect([alertsAt(0.02), alertsAt(0.0201).length]).toEqual([[], 1])
})

test('a tier whose short window is shorter than a step is left out', () => {
  const sums = sumsOf(stepsOf([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]))
  const looked = { targetPercent: 99, fromSeconds: 0, firstSeconds: null, countsEvents: true }
  expect(alertsOf(sums, [{ ...tier, shortSeconds: 60 }], looked)).toEqual([])
})

test.each([
  [null, []],
  [3600, [3600 + 600]], // one burns at 100: after two steps of twelve the long rate is 16.7
] as const)('after a first sample at %p s a tier fires at %j, as when it is evaluated', (firstSeconds, expected) => {
  const failing = stepsOf([...Array.from({ length: 12 }, () => null), 1, 1, 1])
  const search = { targetPercent: 99, fromSeconds: 0, firstSeconds, countsEvents: true }
  const found = alertsOf(sumsOf(failing), [{ ...tier, factor: 14.4 }], search)
  expect(found.map(({ startedSeconds }) => startedSeconds)).toEqual([...expected])
})
