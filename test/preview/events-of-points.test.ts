import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { apportion } from '../../src/slos/arithmetic/apportion.ts'
import { day, nowSeconds } from '../support/calculator.ts'
import { previewer, traffic } from '../support/previewer.ts'

type Point = { sli: number | null; coverage: number; good: number | null; total: number | null }

const sumOf = (points: readonly ({ good: number | null; total: number | null } | null)[]) => ({
  good: points.reduce((all, one) => all + (one?.good ?? 0), 0),
  total: points.reduce((all, one) => all + (one?.total ?? 0), 0),
})

const seed = 20_261_122

describe('the events of a window, as those of its steps,', () => {
  const amount = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e9, noNaN: true }))
  const step = fc
    .tuple(amount, fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 30, 60))
    .map(([total, share, coveredSeconds]) =>
      coveredSeconds === 0 ? { good: 0, total: 0, coveredSeconds } : { good: total * share, total, coveredSeconds },
    )
  const window = fc
    .tuple(fc.integer({ min: 0, max: 2 ** 50 }), fc.integer({ min: 0, max: 2 ** 50 }))
    .map(([good, bad]) => ({ good, total: good + bad }))

  test('are whole numbers that add up to them', () => {
    fc.assert(
      fc.property(window, fc.array(step, { minLength: 1, maxLength: 200 }), (whole, steps) => {
        const points = apportion(whole, steps)
        for (const [at, point] of points.entries()) {
          if (point === null) continue
          const { good, total } = point
          expect(steps[at]?.coveredSeconds).toBeGreaterThan(0)
          expect([good, total].every(Number.isSafeInteger) && good >= 0 && total >= good).toBe(true)
        }
        const isMeasured = steps.some(({ total }) => total > 0)
        expect(sumOf(points)).toEqual(isMeasured ? whole : { good: 0, total: 0 })
      }),
      { seed, numRuns: 500 },
    )
  })

  test('are those that were measured, where these add up already', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(10_000), fc.nat(10_000)), { minLength: 1, maxLength: 50 }), (counted) => {
        const events = counted.map(([good, bad]) => ({ good, total: good + bad }))
        const steps = events.map((one) => ({ ...one, coveredSeconds: 60 }))
        fc.pre(events.some(({ good }) => good > 0) && events.some(({ good, total }) => good < total))
        expect(apportion(sumOf(events), steps)).toEqual(events)
      }),
      { seed, numRuns: 200 },
    )
  })

  test('lie where there was traffic, where no step shows the failures of the whole', () => {
    const steps = [0, 10, 0, 10].map((total) => ({ good: total, total, coveredSeconds: 60 }))
    const points = apportion({ good: 18, total: 20 }, steps)
    expect(points).toEqual([
      { good: 0, total: 0 },
      { good: 9, total: 10 },
      { good: 0, total: 0 },
      { good: 9, total: 10 },
    ])
  })
})

describe('the points of a preview', () => {
  const it = previewer()
  const windows = [
    ['1h', 3600],
    ['24h', day],
    ['7d', 7 * day],
    ['30d', 30 * day],
  ] as const
  const times = fc.tuple(
    fc.constantFrom(...windows),
    fc.nat(1000),
    fc.array(fc.tuple(fc.nat(1000), fc.nat(100)), { maxLength: 4 }),
  )

  test('have good and total that add up to the events of its own window, whatever happened in it', async () => {
    await fc.assert(
      fc.asyncProperty(
        times,
        fc.double({ min: 0, max: 1, noNaN: true }),
        async ([[window, seconds], age, lost], share) => {
          const at = (perMille: number) => nowSeconds - Math.round((seconds * perMille) / 1000)
          const outages = lost.map(([from, length]) => ({ from: at(from), to: at(Math.max(0, from - length)), share }))
          const steady = traffic(outages)
          const born = age < 800 ? 0 : at(age)
          it.source.script((expression, time) => {
            const range = Number(/\[(\d+)s\]/.exec(expression)?.[1])
            return range < seconds && time - range < born ? null : steady(expression, time)
          })
          const { body } = await it.preview({ time_window: window, target: 90 })
          const { good_events: good, total_events: total } = body.own.query_metrics
          expect(sumOf(body.history.points)).toEqual({ good, total })
          for (const point of body.history.points as Point[]) expect(point.total === null).toBe(point.coverage === 0)
        },
      ),
      { seed, numRuns: 40 },
    )
  }, 60_000)

  test('have neither where the query counts no events', async () => {
    it.source.script(() => 0.75)
    for (const metric_query of ['avg_over_time(up[5m])', 'job:ok:ratio']) {
      const { body } = await it.preview({ metric_query, time_window: '24h' })
      expect(body.own.query_metrics).toBeNull()
      expect(body.history.points).toHaveLength(144)
      for (const { good, total } of body.history.points) expect([good, total]).toEqual([null, null])
    }
  })
})
