import { beforeEach, expect, test } from 'bun:test'
import { AppError } from '../../../src/errors.ts'
import { seriesOf, type SeriesHistory } from '../../support/series-histories.ts'
import { type CounterWorld, counterWorld } from '../../support/counter-world.ts'
import { monday } from '../ledger.ts'
import { isLong, rollingSlos } from './rolling-slos.ts'

const on = rollingSlos(['shop'])
const minute = 60
const windowSeconds = 7200
// minutes of history before the first evaluation
const before = 130
// minute of its history at which the window then begins
const startsAt = before - windowSeconds / minute
const hasTime = () => false

let world: CounterWorld
beforeEach(() => on.clear())

function tell(change: Partial<SeriesHistory> = {}): void {
  const history = {
    everySeconds: 30,
    phaseSeconds: 7,
    counts: [5, 3, 1],
    begins: -1,
    ends: null,
    events: [],
    ...change,
  }
  world = counterWorld(
    ['200', '500'].map((code) => seriesOf({ ...history, code }, 'shop', monday - before * minute, 300)),
  )
}

const at = (minutes: number) => monday + minutes * minute
const truth = (minutes: number) => world.counted('shop', windowSeconds, at(minutes))
const isOfStart = (expression: string) => expression.includes('min_over_time') && expression.includes('[300s]')

async function sumsAt(minutes: number, options: Parameters<typeof on.evaluate>[2] = {}) {
  const [sums] = (await on.evaluate(world, at(minutes), { windowSeconds, ...options })).values()
  return sums
}

async function checkpoint() {
  const [only] = (await on.checkpoints()).values()
  if (!only) throw new Error('must be a checkpoint')
  return only
}

test('what leaves is asked for many minutes at once', async () => {
  tell()
  let asked = 0
  for (let n = 0; n <= 40; n += 1) {
    expect(await sumsAt(n, { hasTime })).toEqual(truth(n))
    asked += world.asked.some(isOfStart) ? 1 : 0
  }
  expect(asked).toBeGreaterThan(1)
  expect(asked).toBeLessThanOrEqual(7)
})

test('after a restart of nines it is asked for from where the window was', async () => {
  tell()
  await sumsAt(0)
  on.forget()
  expect(await sumsAt(30, { hasTime })).toEqual(truth(30))
  expect(await checkpoint()).toMatchObject({ end_at: at(-2), left_until: at(30) - windowSeconds, invalidated_by: null })
})

test('a window whose minutes the source will not give stays where it is, in invalidated_by, and moves on when it does', async () => {
  tell()
  await sumsAt(0)
  on.forget()
  world.refuse = (expression) =>
    isOfStart(expression) ? new AppError('source_unavailable', 'metrics source did not answer') : null
  for (const n of [1, 2, 3]) {
    const sums = await sumsAt(n, { hasTime })
    expect(sums).toMatchObject({
      total: truth(n).total + truth(0).total - world.counted('shop', at(0) - at(n) + windowSeconds, at(0)).total,
    })
  }
  expect(await checkpoint()).toMatchObject({
    left_until: at(0) - windowSeconds,
    invalidated_by: 'the source gave no minutes where the window starts',
  })
  world.refuse = () => null
  expect(await sumsAt(4, { hasTime })).toEqual(truth(4))
  expect((await checkpoint()).left_until).toBe(at(4) - windowSeconds)
})

test('scrapes that were missed where the window starts cost nothing', async () => {
  tell({ events: [{ kind: 'silent', at: startsAt + 3, minutes: 4 }] })
  for (let n = 0; n <= 12; n += 1) {
    expect(await sumsAt(n)).toEqual(truth(n))
    expect(world.asked.some(isLong)).toBe(n === 0)
  }
  expect((await checkpoint()).invalidated_by).toBeNull()
})

test('where series came or went at the start of the window, it is asked for again until that has passed', async () => {
  tell({ events: [{ kind: 'away', at: startsAt + 8, minutes: 2 }] })
  const asked: number[] = []
  for (let n = 0; n <= 25; n += 1) {
    expect(await sumsAt(n)).toEqual(truth(n))
    if (world.asked.some(isLong)) asked.push(n)
  }
  expect(asked.filter((n) => n > 2)).not.toEqual([])
  expect(asked.every((n) => n <= 12)).toBe(true)
})
