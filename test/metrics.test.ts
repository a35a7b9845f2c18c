import { expect, test } from 'bun:test'
import { createMetrics } from '../src/metrics.ts'
import { createFamilies, labelText } from '../src/metrics/families.ts'
import { readExposition } from './support/exposition.ts'

const read = async (metrics: ReturnType<typeof createMetrics>) => readExposition(await metrics.exposition())

test('nothing has happened yet: counters without labels are 0, and no time is 1970', async () => {
  const { value, all } = await read(createMetrics())
  expect(['cache_hits', 'cache_misses_total', 'websocket_connections_total'].map((name) => value(name))).toEqual([
    0, 0, 0,
  ])
  expect(all('nines_evaluation_last_success_timestamp_seconds')).toEqual([])
  expect(all('nines_build_info')).toMatchObject([{ labels: { bun: Bun.version }, value: 1 }])
})

test('a sum of evaluations by what came of them, and when one last had an answer', async () => {
  const metrics = createMetrics()
  const failed = { isFailed: true, current: null, evaluatedAtMs: 9000 }
  metrics.evaluated([failed], 0.2)
  expect((await read(metrics)).all('nines_evaluation_last_success_timestamp_seconds')).toEqual([])
  const answered = { isFailed: false, current: 99.9, evaluatedAtMs: 7000 }
  metrics.evaluated([answered, answered, { ...answered, current: null }, failed], 4)
  const { value } = await read(metrics)
  const counts = ['measured', 'unknown', 'failed'].map((outcome) => value('nines_evaluations_total', { outcome }))
  expect(counts).toEqual([2, 1, 2])
  expect(value('nines_evaluation_last_success_timestamp_seconds')).toBe(7)
  expect(value('nines_evaluation_batch_duration_seconds_bucket', { le: '0.25' })).toBe(1)
  expect(value('nines_evaluation_batch_duration_seconds_count')).toBe(2)
})

test('hits and misses under the names that the API promises, and as counters', async () => {
  const metrics = createMetrics()
  metrics.cacheRead('hits')
  metrics.cacheRead('hits')
  metrics.cacheRead('misses')
  const { value, types } = await read(metrics)
  expect([value('cache_hits'), value('cache_hits_total'), value('cache_misses'), value('cache_misses_total')]).toEqual([
    2, 2, 1, 1,
  ])
  expect([types.get('cache_hits'), types.get('cache_hits_total')]).toEqual(['gauge', 'counter'])
})

test('however many sources there are, the series of their requests are bounded', async () => {
  const metrics = createMetrics()
  for (let id = 1; id <= 300; id += 1) metrics.sourceQueried(id, 'answered', 0.1)
  metrics.sourceQueried(1, 'refused', 0.1)
  metrics.sourceQueried(1, 'unavailable', null)
  const { all, value } = await read(metrics)
  expect(new Set(all('nines_source_requests_total').map(({ labels }) => labels['source_id'])).size).toBe(201)
  expect(value('nines_source_requests_total', { source_id: 'other' })).toBe(100)
  expect(value('nines_source_request_duration_seconds_count', { source_id: 'other' })).toBe(100)
  expect(value('nines_source_request_duration_seconds_count', { source_id: '1' })).toBe(2)
})

test('connections that are open, and all there were', async () => {
  const metrics = createMetrics()
  metrics.socketOpened()
  metrics.socketOpened()
  metrics.socketClosed()
  const { value } = await read(metrics)
  expect([value('websocket_connections'), value('websocket_connections_total')]).toEqual([1, 2])
})

test('the event loop is measured by what holds it up', async () => {
  const metrics = createMetrics()
  metrics.watchEventLoop()
  const until = performance.now() + 260
  while (performance.now() < until);
  const lag = async () => (await read(metrics)).value('nines_event_loop_lag_seconds_sum') ?? 0
  for (let turn = 0; turn < 1000 && (await lag()) === 0; turn += 1) await new Promise(setImmediate)
  expect(await lag()).toBeGreaterThan(0.1)
})

test('families keep their samples together however they are added, and values and labels come back as they were', () => {
  const families = createFamilies()
  const first = families.family('first', 'gauge', 'One.')
  const second = families.family('second_total', 'counter', 'Two.')
  const values = [0, -1.5, 0.999, 1e21, 1e-7, Infinity, -Infinity, 12_345_678_901]
  const hostile = ['', '"', '\\', '\\n', '\n', '\\"', 'a"} 1', '日本 🚀', 'x,y="z"', '{}', "'", ' # HELP ', '\\\\']
  values.forEach((value, at) => {
    first(value, labelText({ at: String(at) }))
    hostile.forEach((text, place) => second(1, labelText({ text, at: String(at), place: String(place) })))
    families.pack()
  })
  const text = Buffer.from(families.bytesAfter('# HELP zero Before.\n# TYPE zero gauge\nzero 0\n')).toString()
  const { value, all } = readExposition(text)
  expect(value('zero')).toBe(0)
  expect(all('first').map((sample) => sample.value)).toEqual(values)
  expect(all('second_total').map(({ labels }) => labels['text'])).toEqual(values.flatMap(() => hostile))
})
