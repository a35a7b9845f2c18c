import { afterEach, beforeEach, expect, test } from 'bun:test'
import { evaluateHere } from '../../src/embedded/engine.ts'
import { type EngineWorld, engineWorld } from './engine-world.ts'
import { labels } from './store/store-world.ts'

let world: EngineWorld
beforeEach(() => {
  world = engineWorld()
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
  if (query === '"text"' || query === 'm[3m]') return // no values of a range
  const range = { startMs: 300_000, endMs: 900_000, stepMs: 30_000 }
  expect(await here.range(1, query, range)).toEqual(await worker.range(1, query, range))
})

test.each([
  ['many steps', 'rate(m[5m])', { startMs: 0, endMs: 11_000_000, stepMs: 1000 }, 100],
  ['many series', 'm', { startMs: 0, endMs: 1000, stepMs: 1000 }, 101],
  ['a long text', `m ${' + m'.repeat(200)}`, { startMs: 0, endMs: 1000, stepMs: 1000 }, 1],
  ['a long range', 'm[26h]', { startMs: 0, endMs: 1000, stepMs: 1000 }, 1],
  ['a pattern', 'm{job=~"(a?){50}b"}', { startMs: 0, endMs: 1000, stepMs: 1000 }, 1],
])('a query of %s is left to a worker', (_, query, range, series) => {
  for (let n = 0; n < series; n += 1) append(`job ${n}`, 1000, n)
  const at = query.includes('26h') ? { timeMs: 1000 } : range
  expect(evaluateHere(world.store(), { organizationId: 1, query, at, lookbackMs: null })).toBeUndefined()
})
