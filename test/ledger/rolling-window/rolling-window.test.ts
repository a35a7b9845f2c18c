import { beforeEach, expect, test } from 'bun:test'
import { AppError } from '../../../src/errors.ts'
import { seriesOf } from '../../support/series-histories.ts'
import { type CounterSeries, type CounterWorld, counterWorld } from '../../support/counter-world.ts'
import { monday } from '../ledger.ts'
import { isLong, rollingSlos } from './rolling-slos.ts'

const services = Array.from({ length: 60 }, (_, n) => `s${n}`)
const on = rollingSlos(services)
const minute = 60
const windowSeconds = 7200
// minutes of history before the first evaluation
const before = 130
const down = new AppError('source_unavailable', 'metrics source did not answer')

let world: CounterWorld
beforeEach(async () => {
  await on.clear()
  world = counterWorld(services.flatMap(servedBy))
})

function servedBy(service: string, n: number): CounterSeries[] {
  const history = { everySeconds: 30, phaseSeconds: 7, counts: [5, n % 7], begins: -1, ends: null, events: [] }
  return ['200', '500'].map((code) => seriesOf({ ...history, code }, service, monday - before * minute, 300))
}

/** Resets the counters of a service at a minute. */
function beginAnew(service: string, atSeconds: number): void {
  for (const one of world.series.filter((series) => series.service === service)) {
    const lost = one.samples.findLast(([time]) => time < atSeconds)?.[1] ?? 0
    one.samples = one.samples.map(([time, value]) => [time, time < atSeconds ? value : value - lost])
  }
}

const [one, other] = [() => on.slos.slice(0, 1), () => on.slos.slice(1, 2)]
const at = (minutes: number) => monday + minutes * minute
const truth = (minutes: number, service = 's0') => world.counted(service, windowSeconds, at(minutes))

async function sumsAt(minutes: number, options: Parameters<typeof on.evaluate>[2] = {}) {
  const [sums] = (await on.evaluate(world, at(minutes), { slos: one(), ...options })).values()
  return sums
}

async function checkpointOf([planned] = one()) {
  const checkpoint = (await on.checkpoints()).get(planned?.slo.id ?? 0)
  if (!checkpoint) throw new Error('must be a checkpoint')
  return checkpoint
}

test('a window is asked for once an hour, at a minute of its own, and those of sixty SLOs at sixty', async () => {
  await on.evaluate(world, monday)
  const perMinute: number[] = []
  for (let n = 1; n <= 70; n += 1) {
    const sums = await on.evaluate(world, at(n))
    for (const [place, { slo }] of on.slos.entries()) expect(sums.get(slo.id)).toEqual(truth(n, `s${place}`))
    const renewed = [...(await on.checkpoints()).values()].filter(({ end_at }) => end_at === at(n - 2))
    for (const { slo_id } of renewed) expect((at(n) / minute - slo_id) % 60).toBe(0)
    perMinute.push(renewed.length)
  }
  expect(perMinute.slice(0, 7)).toEqual([0, 0, 0, 0, 0, 0, 0])
  expect(perMinute.slice(7, 67)).toEqual(Array(60).fill(1))
}, 60_000)

test('an invalidated checkpoint stays so until it is asked for again', async () => {
  await sumsAt(0)
  beginAnew('s0', at(3))
  const hasTime = () => false
  for (const n of [2, 4, 6, 8]) await sumsAt(n, { hasTime })
  expect(await checkpointOf()).toMatchObject({ end_at: at(-2), invalidated_by: 'series came, went or began again' })
  expect(world.asked.filter(isLong)).toEqual([])
  expect(await sumsAt(9)).toEqual(truth(9))
  expect(await checkpointOf()).toMatchObject({ end_at: at(9), invalidated_by: null })
  await sumsAt(10)
  expect(world.asked.filter(isLong)).toEqual([])
})

test('what happens in the minutes that a new checkpoint leaves out is not missed', async () => {
  beginAnew('s0', at(-1))
  expect(await sumsAt(0)).toEqual(truth(0))
  expect(await checkpointOf()).toMatchObject({ end_at: at(0), invalidated_by: null })
})

test('a checkpoint of which minutes are missing is asked for again', async () => {
  await sumsAt(0)
  await sumsAt(5)
  await on.db.write.deleteFrom('buckets').where('start', '=', at(1)).execute()
  await sumsAt(6, { hasTime: () => false })
  expect(await checkpointOf()).toMatchObject({ end_at: at(-2), invalidated_by: 'minutes are missing' })
  expect(await sumsAt(7)).toEqual(truth(7))
  expect(await checkpointOf()).toMatchObject({ end_at: at(7), invalidated_by: null })
})

test.each([
  ['window', () => ({ windowSeconds: 5400 })],
  ['source', () => ({ origin: 'elsewhere' })],
  ['revision', () => ({ slos: one().map(({ slo, plan }) => ({ plan, slo: { ...slo, revision: 2 } })) })],
])('another %s is another checkpoint, also where there is no time', async (_name, change) => {
  await sumsAt(0)
  const options = { ...change(), hasTime: () => false }
  const own = 'windowSeconds' in options ? options.windowSeconds : windowSeconds
  expect(await sumsAt(3, options)).toEqual(world.counted('s0', own, at(3)))
  expect(await checkpointOf()).toMatchObject({ end_at: at(1), invalidated_by: null })
})

test('a checkpoint of more than two hours ago is none any more', async () => {
  await sumsAt(0)
  expect(await sumsAt(119, { hasTime: () => false })).toEqual(truth(119))
  expect((await checkpointOf()).end_at).toBe(at(117))
})

test('a checkpoint that could not be renewed stays, and so does what it says', async () => {
  await sumsAt(0)
  world.refuse = (expression) => (isLong(expression) ? down : null)
  for (let n = 50; n < 110; n += 20) expect(await sumsAt(n)).toEqual(truth(n))
  expect(world.asked.filter(isLong).length).toBeGreaterThan(0)
  expect((await checkpointOf()).end_at).toBe(at(-2))
  world.refuse = () => null
  expect(await sumsAt(111)).toEqual(truth(111))
  expect((await checkpointOf()).end_at).toBe(at(109))
})

test('an SLO whose first checkpoint fails has no sums, and no other is touched', async () => {
  await sumsAt(0, { slos: other() })
  const untouched = await checkpointOf(other())
  const refused = new AppError('source_refused', 'metrics source refused the query')
  world.refuse = (expression) => (isLong(expression) && /\bs0\b/.test(expression) ? refused : null)
  const sums = await on.evaluate(world, at(1), { slos: [...one(), ...on.slos.slice(2, 9)] })
  const [failed, ...well] = [...sums.keys()].toSorted((a, b) => a - b).map((id) => sums.get(id))
  expect(failed).toEqual({ error: refused })
  expect(well).toEqual([2, 3, 4, 5, 6, 7, 8].map((n) => truth(1, `s${n}`)))
  expect(await checkpointOf(other())).toEqual(untouched)
})

test('a window of an hour or less is asked for as it is', async () => {
  expect(await sumsAt(0, { windowSeconds: 3600 })).toEqual(world.counted('s0', 3600, at(0)))
  expect((await on.checkpoints()).size).toBe(0)
})
