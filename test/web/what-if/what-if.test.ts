import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { burnedPercent, errorBudget, round10 } from '../../../src/slos/arithmetic/budget.ts'
import { burnDownTimes } from '../../../src/slos/arithmetic/burn-down-times.ts'
import { exhaustedAt } from '../../../src/slos/arithmetic/past-alerts.ts'
import { sumBetween } from '../../../src/slos/arithmetic/running-sums.ts'
import { windowSeconds } from '../../../src/slos/arithmetic/windows.ts'
import { burnDown } from '../../../src/web/page/what-if/burn-down.ts'
import { knownWindow, whatIf } from '../../../src/web/page/what-if/what-if.ts'
import { endSeconds, lookedBack, pastOf, targets, windows } from './past.ts'

const seed = 20_261_123
const percent = fc.oneof(fc.constantFrom(0, 99.9, 100), fc.double({ min: 0, max: 100, noNaN: true }))
const cases = fc
  .constantFrom(...windows)
  .chain((window) =>
    fc.record({ window: fc.constant(window), past: pastOf(window), target: targets, first: targets, sli: percent }),
  )

function known<T>(value: T | null): T {
  if (value === null) throw new Error('must be known')
  return value
}

describe('the page says of another target what the server says of it:', () => {
  test('the alerts that would have fired, and when the budget was used up', async () => {
    let fired = 0
    await fc.assert(
      fc.asyncProperty(cases, async ({ window, past, target, first, sli }) => {
        const { data } = await lookedBack(past, { window, target: first, sli })
        const sent = JSON.parse(JSON.stringify(data))
        const ours = whatIf(known(knownWindow(sent, window)), target)
        const { past: theirs } = await lookedBack(past, { window, target, sli })
        expect(
          ours.alerts.map(({ tier, ...rest }) => ({ long: tier.longSeconds, short: tier.shortSeconds, ...rest })),
        ).toEqual(
          theirs.alerts.map(({ tier, ...rest }) => ({ long: tier.longSeconds, short: tier.shortSeconds, ...rest })),
        )
        expect(ours.alertsFromSeconds).toBe(theirs.alertsFromSeconds)
        expect(ours.exhaustedSeconds).toBe(theirs.exhaustedAtSeconds)
        fired += ours.alerts.length
      }),
      { seed, numRuns: 60 },
    )
    expect(fired).toBeGreaterThan(40)
  }, 60_000)

  test('the same of a shorter window, from the past of a longer one', async () => {
    const pairs = fc
      .constantFrom(['90d', '30d'] as const, ['90d', '7d'] as const, ['30d', '7d'] as const, ['30d', '24h'] as const)
      .chain(([long, short]) => fc.record({ long: fc.constant(long), short: fc.constant(short), past: pastOf(short) }))
    await fc.assert(
      fc.asyncProperty(pairs, targets, percent, async ({ long, short, past }, target, sli) => {
        const { data } = await lookedBack(past, { window: long, target: 99, sli })
        const own = known(data.windows[0] ?? null)
        const both = { ...data, windows: [{ ...own, time_window: short }, own] }
        const ours = whatIf(known(knownWindow(both, short)), target)
        const { past: theirs } = await lookedBack(past, { window: short, target, sli })
        expect(
          ours.alerts.map(({ startedSeconds, endedSeconds, peak }) => [startedSeconds, endedSeconds, peak]),
        ).toEqual(theirs.alerts.map(({ startedSeconds, endedSeconds, peak }) => [startedSeconds, endedSeconds, peak]))
        expect(ours.alertsFromSeconds).toBe(theirs.alertsFromSeconds)
        expect(ours.exhaustedSeconds).toBe(theirs.exhaustedAtSeconds)
      }),
      { seed, numRuns: 15 },
    )
  }, 60_000)

  test('the burn-down, at the times of that of the budget', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ window, past, target, sli }) => {
        const { past: theirs, data } = await lookedBack(past, { window, target: 99, sli })
        const { sums } = known(knownWindow(data, window))
        const { percentageUsed } = errorBudget(sli, target)
        const ours = burnDown(sums, window, target, percentageUsed ?? 0)
        const startSeconds = endSeconds - windowSeconds(window)
        const allowed = (sumBetween(theirs, startSeconds, endSeconds).total * (100 - target)) / 100
        const usedUpAt = (percentageUsed ?? 0) >= 100 ? exhaustedAt(sums, window, target) : null
        const times = new Set([...burnDownTimes(startSeconds, endSeconds), ...(usedUpAt === null ? [] : [usedUpAt])])
        expect(ours.map(({ timestamp }) => Date.parse(timestamp) / 1000)).toEqual([...times].toSorted((a, b) => a - b))
        expect(ours.at(-1)?.remaining_percent ?? null).toBe(
          sumBetween(theirs, startSeconds, endSeconds).coveredSeconds > 0 ? round10(100 - (percentageUsed ?? 0)) : null,
        )
        for (const { timestamp, remaining_percent: left } of ours.slice(0, -1)) {
          const at = Date.parse(timestamp) / 1000
          const before = Math.floor((at - startSeconds) / theirs.stepSeconds) * theirs.stepSeconds + startSeconds
          const [min, max] = [before, Math.min(endSeconds, before + theirs.stepSeconds)].map((end) => {
            const { good, total } = sumBetween(theirs, startSeconds, end)
            return 100 - burnedPercent(Math.max(0, total - good), allowed)
          }) as [number, number]
          if (left === null) continue
          expect(left).toBeLessThanOrEqual(min + 1e-6 * Math.abs(min) + 1e-6)
          expect(left).toBeGreaterThanOrEqual(max - 1e-6 * Math.abs(max) - 1e-6)
        }
      }),
      { seed, numRuns: 40 },
    )
  }, 60_000)
})
