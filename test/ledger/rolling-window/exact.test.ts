import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import {
  countedInChange,
  eventfulSeries,
  seriesOf,
  steadySeries,
  type SeriesHistory,
} from '../../support/series-histories.ts'
import { type CounterWorld, counterWorld } from '../../support/counter-world.ts'
import { monday } from '../ledger.ts'
import { isLong, rollingSlos } from './rolling-slos.ts'

const on = rollingSlos(['shop'])
const seed = 20_261_121
const minute = 60
const windowSeconds = 70 * minute
// minutes of history before the first evaluation
const before = 134
const told = before + 160

/** Minutes from one evaluation to the next. */
const steps = fc.array(
  fc.oneof({ weight: 6, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.integer({ min: 2, max: 12 }) }),
  { minLength: 15, maxLength: 30 },
)

/** Evaluates at these steps over a world with these series. */
async function live(
  histories: SeriesHistory[],
  isClosed: boolean,
  minutesBetween: number[],
  hasTime: boolean,
  look: (sums: { counted: number; total: number }, world: CounterWorld, atSeconds: number) => unknown,
): Promise<void> {
  await on.clear()
  const series = histories.map((history) => seriesOf(history, 'shop', monday - before * minute, told))
  const world = counterWorld(series, { isClosed })
  let at = monday
  for (const step of minutesBetween) {
    const [sums] = (await on.evaluate(world, at, { windowSeconds, hasTime: () => hasTime })).values()
    if (!sums || 'error' in sums) throw new Error('must be sums')
    await look(sums, world, at)
    at += step * minute
    if (at > monday + (told - before) * minute) return
  }
}

test('without churn the sums are those of the window, and it is asked for once an hour', async () => {
  await fc.assert(
    fc.asyncProperty(steadySeries, fc.boolean(), steps, async (histories, isClosed, minutesBetween) => {
      const asked: number[] = []
      await live(histories, isClosed, minutesBetween, true, (sums, world, at) => {
        expect(sums).toEqual(world.counted('shop', windowSeconds, at))
        if (world.asked.some(isLong)) asked.push(at)
      })
      // of each hour, or at the next evaluation if none runs then
      const own = (on.slos[0]?.slo.id ?? 0) * minute
      const isDue = (from: number, to: number) => Math.floor((to - own) / 3600) > Math.floor((from - own) / 3600)
      asked.slice(1).forEach((at, n) => expect(isDue(asked[n] ?? 0, at)).toBe(true))
      expect(asked.length).toBeLessThanOrEqual(1 + Math.ceil((told - before) / 60))
    }),
    { seed, numRuns: 4 },
  )
}, 60_000)

test('with churn they are too, where there is time to ask again', async () => {
  await fc.assert(
    fc.asyncProperty(eventfulSeries(told), fc.boolean(), steps, async (histories, isClosed, minutesBetween) => {
      await live(histories, isClosed, minutesBetween, true, (sums, world, at) =>
        expect(sums).toEqual(world.counted('shop', windowSeconds, at)),
      )
    }),
    { seed, numRuns: 5 },
  )
}, 60_000)

test('where there is none they are off by no more than what was counted in the churn', async () => {
  await fc.assert(
    fc.asyncProperty(eventfulSeries(told), fc.boolean(), steps, async (histories, isClosed, minutesBetween) => {
      const max = countedInChange(histories)
      await live(histories, isClosed, minutesBetween, false, (sums, world, at) => {
        const { counted, total } = world.counted('shop', windowSeconds, at)
        expect(Math.abs(sums.total - total)).toBeLessThanOrEqual(max)
        expect(Math.abs(sums.counted - counted)).toBeLessThanOrEqual(max)
      })
    }),
    { seed, numRuns: 5 },
  )
}, 60_000)
