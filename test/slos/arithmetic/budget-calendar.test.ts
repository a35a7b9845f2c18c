import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { budgetCalendar, type WindowUse } from '../../../src/slos/arithmetic/budget-calendar.ts'
import { ownWindow } from '../../../src/slos/arithmetic/own-window.ts'
import { calendarStep, type MovingWindow, type Window, windowSeconds } from '../../../src/slos/arithmetic/windows.ts'

const windows: MovingWindow[] = ['1h', '6h', '24h', '36h', '7d', '2w', '30d', '90d', '366d']
const hour = 3600
const day = 24 * hour
const week = 7 * day
const end = 100 * day + 10 * hour // 10:00

/** A week with failed events at these times, in seconds before its end. */
const weekWith = (failed: [beforeEnd: number, bad: number][], change: Partial<WindowUse> = {}): WindowUse => ({
  used: 50,
  targetPercent: 99,
  own: ownWindow({ time_window: '7d', time_zone: null }, end),
  failed: Array.from({ length: 7 * 24 }, (_, at) => {
    const atSeconds = end - week + (at + 1) * hour
    const until = failed.filter(([beforeEnd]) => end - beforeEnd < atSeconds)
    return { atSeconds, bad: until.reduce((sum, [, bad]) => sum + bad, 0) }
  }),
  ...change,
})

describe('the budget calendar', () => {
  test('gives back on the day on which what failed leaves the window', () => {
    const calendar = budgetCalendar(
      weekWith([
        [week - 3 * hour, 10], // 13:00 a week ago
        [2 * day, 30],
      ]),
    )
    expect(calendar).toEqual([
      { startSeconds: end, endSeconds: 101 * day, givesBack: 12.5, usedAfter: 37.5 },
      { startSeconds: 105 * day, endSeconds: 106 * day, givesBack: 37.5, usedAfter: 0 },
    ])
  })

  test('gives back on its last day, which ends with the window, what failed this morning', () => {
    expect(budgetCalendar(weekWith([[hour, 5]]))).toEqual([
      { startSeconds: 107 * day, endSeconds: end + week, givesBack: 50, usedAfter: 0 },
    ])
  })

  test('of a target of 100 gives all back with the last failure', () => {
    const failed: [number, number][] = [
      [6 * day, 3],
      [2 * day, 1],
    ]
    expect(budgetCalendar(weekWith(failed, { used: 100, targetPercent: 100 }))).toEqual([
      { startSeconds: 105 * day, endSeconds: 106 * day, givesBack: 100, usedAfter: 0 },
    ])
  })

  test('of a calendar period gives all back on the first day of the next, whatever failed when', () => {
    const own = ownWindow({ time_window: 'month', time_zone: 'Europe/Zurich' }, Date.UTC(2026, 2, 10) / 1000)
    expect(budgetCalendar(weekWith([[2 * day, 30]], { own }))).toEqual([
      {
        startSeconds: Date.UTC(2026, 2, 31, 22) / 1000,
        endSeconds: Date.UTC(2026, 3, 1, 22) / 1000,
        givesBack: 50,
        usedAfter: 0,
      },
    ])
    expect(budgetCalendar(weekWith([], { own, used: 0 }))).toEqual([])
  })

  test('is empty where nothing was used, and where it is not known when it was', () => {
    expect(budgetCalendar(weekWith([[day, 5]], { used: 0 }))).toEqual([])
    expect(budgetCalendar(weekWith([]))).toEqual([])
    expect(budgetCalendar(weekWith([], { failed: [] }))).toEqual([])
  })

  test('dates by days, of 4 to 48 hours by hours, of less by five minutes', () => {
    const stepOf = (window: Window) => calendarStep(windowSeconds(window))
    expect((['1h', '3h'] as const).map(stepOf)).toEqual([300, 300])
    expect((['4h', '24h', '36h', '2d'] as const).map(stepOf)).toEqual([hour, hour, hour, hour])
    expect((['3d', '7d', '30d', '366d'] as const).map(stepOf)).toEqual([day, day, day, day])
  })
})

test('what a window gives back adds up to what was used of it, and never takes any', () => {
  const uses = fc.record({
    used: fc.double({ min: 0.001, max: 1000, noNaN: true }),
    targetPercent: fc.constantFrom(50, 99, 99.9, 100),
    endSeconds: fc.integer({ min: 100 * day, max: 101 * day }),
    time_window: fc.constantFrom(...windows),
    shares: fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 500 }))),
  })
  fc.assert(
    fc.property(uses, ({ shares, endSeconds: windowEnd, time_window, ...use }) => {
      const own = ownWindow({ time_window, time_zone: null }, windowEnd)
      const times = shares.toSorted(([a], [b]) => a - b)
      let bad = 0
      const failed = times.map(([share, more]) => {
        bad += more
        return { atSeconds: Math.floor(own.startSeconds + share * own.seconds), bad }
      })
      failed.push({ atSeconds: windowEnd, bad })
      const calendar = budgetCalendar({ ...use, own, failed })
      if (bad === 0) return expect(calendar).toEqual([])
      const sum = calendar.reduce((total, { givesBack }) => total + givesBack, 0)
      expect(Math.abs(sum - use.used)).toBeLessThan(1e-9 * use.used + 1e-9)
      expect(calendar.at(-1)?.usedAfter).toBe(0)
      expect(calendar.every(({ givesBack }) => givesBack > 0)).toBe(true)
      for (const [at, { startSeconds, endSeconds }] of calendar.entries()) {
        expect(endSeconds).toBeGreaterThan(startSeconds)
        expect(startSeconds).toBeGreaterThanOrEqual(calendar[at - 1]?.endSeconds ?? windowEnd)
        expect(endSeconds).toBeLessThanOrEqual(windowEnd + own.seconds)
      }
    }),
  )
})
