import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { hoursKeptSeconds, minutesKeptSeconds } from '../../src/ledger/bucket.ts'
import {
  finestStoredResolution,
  spansOf,
  storedPart,
  wholeBuckets,
  type Window,
} from '../../src/ledger/window-spans.ts'

const minute = 60
const hour = 3600
const day = 86_400
const monday = 1_795_392_000 // 2026-11-23T00:00:00Z

/** Any window of whole minutes within four days, including empty ones. */
const windows = fc
  .tuple(fc.nat({ max: 4 * 1440 }), fc.nat({ max: 4 * 1440 }))
  .map(([a, b]) => ({ startSeconds: monday + Math.min(a, b) * minute, endSeconds: monday + Math.max(a, b) * minute }))

const someOf = (count: number, seconds: number) =>
  fc
    .uniqueArray(fc.nat({ max: count - 1 }), { maxLength: count })
    .map((indexes) => new Set(indexes.map((index) => monday + index * seconds)))

const stored = fc.record({ days: someOf(4, day), hours: someOf(96, hour) })

test('buckets tile any window exactly once, and only with days and hours that are stored', () => {
  fc.assert(
    fc.property(windows, stored, (window, { days, hours }) => {
      const spans = spansOf(window, { days, hours })
      let reached = window.startSeconds
      for (const { resolution, startSeconds, endSeconds } of spans) {
        expect(startSeconds).toBe(reached)
        expect([startSeconds % resolution, endSeconds % resolution]).toEqual([0, 0])
        for (let at = startSeconds; at < endSeconds; at += resolution) {
          if (resolution !== minute) expect(resolution === day ? days : hours).toContain(at)
        }
        reached = endSeconds
      }
      expect(reached).toBe(window.endSeconds)
    }),
  )
})

test('no fewer buckets tile a window', () => {
  fc.assert(
    fc.property(windows, stored, (window, { days, hours }) => {
      const spans = spansOf(window, { days, hours })
      const buckets = spans.reduce((sum, span) => sum + (span.endSeconds - span.startSeconds) / span.resolution, 0)
      expect(buckets).toBe(fewest(window, days, hours))
      expect(spans.some(({ resolution }, n) => resolution === spans[n - 1]?.resolution)).toBe(false)
    }),
  )
})

/** Minimum number of spans, by trying all ways to reach each minute. */
function fewest({ startSeconds, endSeconds }: Window, days: Set<number>, hours: Set<number>): number {
  const needed = new Map([[startSeconds, 0]])
  for (let at = startSeconds + minute; at <= endSeconds; at += minute) {
    const ways = [(needed.get(at - minute) ?? Infinity) + 1]
    if (hours.has(at - hour)) ways.push((needed.get(at - hour) ?? Infinity) + 1)
    if (days.has(at - day)) ways.push((needed.get(at - day) ?? Infinity) + 1)
    needed.set(at, Math.min(...ways))
  }
  return needed.get(endSeconds) ?? 0
}

test('a window is tiled by days, then hours, then minutes; what is not stored by what is finer', () => {
  const window = { startSeconds: monday - hour - 2 * minute, endSeconds: monday + 2 * day + 2 * hour + 5 * minute }
  const days = new Set([monday])
  const hours = new Set([monday - hour, monday + day, monday + day + hour, monday + 2 * day])
  expect(spansOf(window, { days, hours })).toEqual([
    { resolution: 60, startSeconds: window.startSeconds, endSeconds: monday - hour },
    { resolution: 3600, startSeconds: monday - hour, endSeconds: monday },
    { resolution: 86_400, startSeconds: monday, endSeconds: monday + day },
    { resolution: 3600, startSeconds: monday + day, endSeconds: monday + day + 2 * hour },
    { resolution: 60, startSeconds: monday + day + 2 * hour, endSeconds: monday + 2 * day },
    { resolution: 3600, startSeconds: monday + 2 * day, endSeconds: monday + 2 * day + hour },
    { resolution: 60, startSeconds: monday + 2 * day + hour, endSeconds: window.endSeconds },
  ])
})

test.each([
  [0, day, 3600, [0, day]],
  [60, day, 3600, [hour, day]],
  [60, hour, 3600, null],
  [60, 2 * hour + 60, 3600, [hour, 2 * hour]],
  [hour, 2 * day - 60, 86_400, null],
  [0, 0, 60, null],
] as const)('from %p to %p s there are these whole buckets of %p s: %p', (from, to, resolution, expected) => {
  const span = wholeBuckets({ startSeconds: monday + from, endSeconds: monday + to }, resolution)
  expect(span && [span.startSeconds - monday, span.endSeconds - monday]).toEqual(expected as never)
})

test('a window of which all is kept is known whole', () => {
  const now = monday + 4 * day
  fc.assert(
    fc.property(windows, (window) => {
      fc.pre(window.startSeconds >= now - minutesKeptSeconds)
      expect(storedPart(window, now)).toEqual(window)
    }),
  )
})

test('what is known of a window lies inside it and ends where buckets of that age still do', () => {
  const ages = fc.nat({ max: 2 * hoursKeptSeconds })
  fc.assert(
    fc.property(windows, ages, (window, age) => {
      const now = monday + age
      const { startSeconds, endSeconds } = storedPart(window, now)
      expect(startSeconds).toBeGreaterThanOrEqual(window.startSeconds)
      expect(endSeconds).toBeGreaterThanOrEqual(startSeconds)
      expect(startSeconds % finestStoredResolution(window.startSeconds, now)).toBe(0)
      if (endSeconds === startSeconds) return
      expect(endSeconds).toBeLessThanOrEqual(window.endSeconds)
      expect(endSeconds % finestStoredResolution(window.endSeconds, now)).toBe(0)
    }),
  )
})

test.each([
  ['all of its minutes', 0, [0, 90 * minute]],
  ['whole hours of it', minutesKeptSeconds + minute, [0, hour]],
  ['no whole day of it', hoursKeptSeconds + day, [0, 0]],
] as const)('the ledger still tells %s', (_, age, [from, to]) => {
  const known = storedPart({ startSeconds: monday, endSeconds: monday + 90 * minute }, monday + 90 * minute + age)
  expect([known.startSeconds - monday, known.endSeconds - monday]).toEqual([from, to])
})
