import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test'
import { evaluateInline } from '../../src/embedded/engine.ts'
import { type EngineWorld, engineWorld, startEngineWorkers } from './engine-world.ts'
import { labels, where } from './store/store-world.ts'

const workers = startEngineWorkers()
afterAll(() => workers.close())

let world: EngineWorld
beforeEach(() => {
  world = engineWorld(workers)
})
afterEach(() => world.close())

const append = (job: string, timeMs: number, value: number) => world.store().append(1, labels({ job }), timeMs, value)

test.each([
  'm',
  'm{job="a"}',
  'm{job="none"}',
  'sum by (job) (rate(m[5m]))',
  'sum(increase(m{job="a"}[10m])) / sum(increase(m[10m]))',
  'max_over_time(m[10m:1m])',
  'topk(1, m)',
  'm{job=~"a|b"}',
  'sum(rate(m{job!~"b.*"}[5m])) / sum(rate(m[5m]))',
  'm offset 1m',
  'absent(m{job="none"})',
  '1 + 2',
  '"text"',
  'scalar(m{job="a"})',
  'm[3m]',
])('%s is the same evaluated at once as by a worker', async (query) => {
  for (let n = 1; n <= 90; n += 1) {
    append('a', n * 10_000, n)
    append('b', n * 10_000, n * n)
    if (n === 50) world.store().flush()
  }
  const [here, worker] = [world.queries({ isHere: true }).engine, world.queries().engine]
  expect(await here.instant(1, query, 900_000)).toEqual(await worker.instant(1, query, 900_000))
  if (query === '"text"' || query === 'm[3m]') return // cannot be range queries
  const range = { startMs: 300_000, endMs: 900_000, stepMs: 30_000 }
  expect(await here.range(1, query, range)).toEqual(await worker.range(1, query, range))
})

test.each([
  ['many steps', 'rate(m[5m])', { startMs: 0, endMs: 11_000_000, stepMs: 1000 }, 100],
  ['many series', 'm', { startMs: 0, endMs: 1000, stepMs: 1000 }, 101],
  ['a long text', `m ${' + m'.repeat(200)}`, { startMs: 0, endMs: 1000, stepMs: 1000 }, 1],
  ['a pattern', 'm{job=~"(a?){50}b"}', { startMs: 0, endMs: 1000, stepMs: 1000 }, 1],
])('a query of %s is left to a worker', (_, query, range, series) => {
  for (let n = 0; n < series; n += 1) append(`job ${n}`, 1000, n)
  expect(evaluateInline(world.store(), { organizationId: 1, query, at: range, lookbackMs: null })).toBeUndefined()
})

/** True if a query is evaluated on this thread at one of three attempts, as many as the engine makes: the first may compile its code. */
function isInline(query: string, timeMs: number): boolean {
  const asked = { organizationId: 1, query, at: { timeMs }, lookbackMs: null }
  return [1, 2, 3].some(() => evaluateInline(world.store(), asked) !== undefined)
}

test('a query over more than a day is left to a worker, except of series with few samples', () => {
  for (let n = 0; n < 5000; n += 1) append('old', n * 20_000, n)
  append('new', 99_990_000, 1)
  expect(['old', 'new'].map((job) => isInline(`sum_over_time(m{job="${job}"}[26h])`, 100_000_000))).toEqual([
    false,
    true,
  ])
})

test.each([
  ['m{job=~"a.*",host!~`.+`}', true],
  [`m{job=~"${'one|'.repeat(90)}a"}`, true],
  [`m{job=~"${'.*a'.repeat(50)}"}`, false],
  ['m{job=~"(a?){50}b"}', false],
  ['m{job=~`\\pL`}', false],
  ['m{job=~ # why\n"a.*"}', false],
  [`m{job=~"\\"${'.*a'.repeat(50)}"}`, false],
])('%j is evaluated at once: %p', (query, isHere) => {
  append('a', 1000, 1)
  expect(isInline(query, 1000)).toBe(isHere)
})

test('series that a query reads twice are read once', () => {
  for (const job of ['a', 'b', 'c']) append(job, 1000, 1)
  const known = new Map()
  const all = [where('__name__', '=', 'm')]
  const few = { series: 10, samples: 10, patternSteps: 1000, chunks: 10 }
  const some = world.store().selectSmall(1, [...all, where('job', '=~', 'a.*|b')], 0, 9000, few, known)
  const every = world.store().selectSmall(1, all, 0, 9000, few, known)
  expect(every).toHaveLength(3)
  expect(every?.filter((series) => some?.includes(series))).toHaveLength(2)
})

test('a query that was too large to be evaluated at once goes to a worker the next time', async () => {
  append('a', 1000, 1)
  let tried = 0
  const store = world.store()
  const counting: typeof store = {
    ...store,
    selectSmall(...of) {
      tried += 1
      return of[1].length > 1 ? undefined : store.selectSmall(...of)
    },
  }
  const { engine } = world.queries({ store: counting })
  for (let time = 0; time < 3; time += 1) {
    await engine.instant(1, 'm{job=~"a.*"}', 2000)
    await engine.instant(1, 'm', 2000)
  }
  expect(tried).toBe(1 + 3)
  await engine.instant(2, 'm{job=~"a.*"}', 2000)
  expect(tried).toBe(1 + 3 + 1)
})

test('between queries that are evaluated at once others have their turn', async () => {
  let [turns, isOver] = [0, false]
  const tick = () => {
    turns += 1
    if (!isOver) setImmediate(tick)
  }
  const slow: ReturnType<typeof world.store> = {
    ...world.store(),
    selectSmall() {
      for (const endMs = performance.now() + 4; performance.now() < endMs;);
      return []
    },
  }
  const { engine } = world.queries({ store: slow })
  setImmediate(tick)
  await Promise.all(Array.from({ length: 10 }, () => engine.instant(1, 'm', 2000)))
  isOver = true
  expect(turns).toBeGreaterThanOrEqual(9)
})
