import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { allowedInWindow, burnedPercent, round10 } from '../../../src/slos/arithmetic/budget.ts'
import { burnDownTimes, finerTimesSince } from '../../../src/slos/arithmetic/burn-down-times.ts'
import { sumBetween } from '../../../src/slos/arithmetic/running-sums.ts'
import { windowSeconds } from '../../../src/slos/arithmetic/windows.ts'
import { burnDown } from '../../../src/web/page/what-if/burn-down.ts'
import { knownWindow, whatIf } from '../../../src/web/page/what-if/what-if.ts'
import { endSeconds, measureWhatIf, pastTraffic, targets, windows } from './past.ts'

const seed = 20_261_123
const percent = fc.oneof(fc.constantFrom(0, 99.9, 100), fc.double({ min: 0, max: 100, noNaN: true }))
const cases = fc.constantFrom(...windows).chain((window) =>
  fc.record({
    window: fc.constant(window),
    traffic: pastTraffic(window),
    target: targets,
    otherTarget: targets,
    sli: percent,
  }),
)

function known<T>(value: T | null): T {
  if (value === null) throw new Error('must be known')
  return value
}

describe('the page says of another target what the server says of it:', () => {
  test('the alerts that would have fired, and when the budget was used up', async () => {
    let fired = 0
    await fc.assert(
      fc.asyncProperty(cases, async ({ window, traffic, target, otherTarget, sli }) => {
        const { data, first } = await measureWhatIf(traffic, { window, target: otherTarget, sli })
        const sent = JSON.parse(JSON.stringify(data))
        const computed = whatIf(known(knownWindow(sent, window, first)), target)
        const { past: expected } = await measureWhatIf(traffic, { window, target, sli })
        expect(
          computed.alerts.map(({ tier, ...rest }) => ({ long: tier.longSeconds, short: tier.shortSeconds, ...rest })),
        ).toEqual(
          expected.alerts.map(({ tier, ...rest }) => ({ long: tier.longSeconds, short: tier.shortSeconds, ...rest })),
        )
        expect(computed.alertsFromSeconds).toBe(expected.alertsFromSeconds)
        expect(computed.exhaustedSeconds).toBe(expected.exhaustedAtSeconds)
        expect(computed.usedPercent).toBe(expected.windowBudget.usedPercent)
        fired += computed.alerts.length
      }),
      { seed, numRuns: 25 },
    )
    expect(fired).toBeGreaterThan(13)
  }, 60_000)

  test('the same of a shorter window, from the past of a longer one', async () => {
    const pairs = fc
      .constantFrom(['90d', '30d'] as const, ['90d', '7d'] as const, ['30d', '7d'] as const, ['30d', '24h'] as const)
      .chain(([long, short]) =>
        fc.record({ long: fc.constant(long), short: fc.constant(short), traffic: pastTraffic(short) }),
      )
    await fc.assert(
      fc.asyncProperty(pairs, targets, percent, async ({ long, short, traffic }, target, sli) => {
        const { data } = await measureWhatIf(traffic, { window: long, target: 99, sli })
        const { past: expected, first } = await measureWhatIf(traffic, { window: short, target, sli })
        const own = known(data.windows[0] ?? null)
        const seconds = windowSeconds(short)
        const shorter = { ...own, time_window: short, window_seconds: seconds, whole_seconds: seconds }
        const both = { ...data, windows: [shorter, own] }
        const computed = whatIf(known(knownWindow(both, short, first)), target)
        expect(
          computed.alerts.map(({ startedSeconds, endedSeconds, peak }) => [startedSeconds, endedSeconds, peak]),
        ).toEqual(expected.alerts.map(({ startedSeconds, endedSeconds, peak }) => [startedSeconds, endedSeconds, peak]))
        expect(computed.alertsFromSeconds).toBe(expected.alertsFromSeconds)
        expect(computed.exhaustedSeconds).toBe(expected.exhaustedAtSeconds)
      }),
      { seed, numRuns: 6 },
    )
  }, 60_000)

  test('the burn-down, at the times of that of the budget', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ window, traffic, target, sli }) => {
        const { past: expected, data, first } = await measureWhatIf(traffic, { window, target: 99, sli })
        const shown = known(knownWindow(data, window, first))
        const would = whatIf(shown, target)
        const computed = burnDown(shown, would)
        const startSeconds = endSeconds - windowSeconds(window)
        const { total } = sumBetween(expected, startSeconds, endSeconds)
        const allowed = allowedInWindow(total, target, shown.share)
        const usedUpAt = would.exhaustedSeconds
        const times = new Set([
          ...burnDownTimes(startSeconds, endSeconds),
          ...(expected.firstSeconds === null ? [] : finerTimesSince(startSeconds, endSeconds, expected.firstSeconds)),
          ...(usedUpAt === null ? [] : [usedUpAt]),
        ])
        expect(computed.map(({ timestamp }) => Date.parse(timestamp) / 1000)).toEqual(
          [...times].toSorted((a, b) => a - b),
        )
        expect(computed.at(-1)?.remaining_percent ?? null).toBe(
          sumBetween(expected, startSeconds, endSeconds).coveredSeconds > 0
            ? round10(100 - (would.usedPercent ?? 0))
            : null,
        )
        for (const { timestamp, remaining_percent: left } of computed.slice(0, -1)) {
          const at = Date.parse(timestamp) / 1000
          const before = Math.floor((at - startSeconds) / expected.stepSeconds) * expected.stepSeconds + startSeconds
          const [min, max] = [before, Math.min(endSeconds, before + expected.stepSeconds)].map((end) => {
            const { good, total } = sumBetween(expected, startSeconds, end)
            return 100 - burnedPercent(Math.max(0, total - good), allowed)
          }) as [number, number]
          if (left === null) continue
          expect(left).toBeLessThanOrEqual(min + 1e-6 * Math.abs(min) + 1e-6)
          expect(left).toBeGreaterThanOrEqual(max - 1e-6 * Math.abs(max) - 1e-6)
        }
      }),
      { seed, numRuns: 14 },
    )
  }, 60_000)
})
