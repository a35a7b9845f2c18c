import { afterAll, afterEach, expect, test } from 'bun:test'
import { createWorkerPool } from '../../../src/concurrency/worker-pool.ts'
import { createOutbound } from '../../../src/http/outbound/outbound.ts'
import { createPrometheus } from '../../../src/sources/prometheus/client.ts'
import { readInstant, readRange } from '../../../src/sources/prometheus/answer.ts'
import { closeAll, closeLater } from '../../support/closing.ts'

const url = new URL('../../../src/worker.ts', import.meta.url).href
const workers = createWorkerPool({ url, workers: 1, workersOfGroup: 1, urgentWorkers: 1 })
afterEach(closeAll)
afterAll(() => workers.close())

const at = 1_795_244_760
const grid = { startSeconds: at - 3600, endSeconds: at, stepSeconds: 60 }

/** A source with one answer, which workers read if it is large. */
function sourceOf(text: string, timeoutMs = 60_000) {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(text) })
  closeLater(() => server.stop(true))
  const prometheus = createPrometheus({ outbound: createOutbound({ deny: [] }), timeoutMs, concurrency: 8, workers })
  const apiUrl = `http://127.0.0.1:${server.port}`
  return prometheus.open({ id: 1, organizationId: 1, name: 'prom', apiUrl, auth: null })
}

const success = (data: string, more = '') => `{"status":"success",${more}"data":${data}}`

function matrix(series: number, points: number, histograms = 0): string {
  const values = Array.from(
    { length: points },
    (_, place) => `[${at + place},"${place % 7 === 0 ? 'NaN' : place / 3}"]`,
  )
  const histogram = `[${at},{"count":"3","sum":"1.5","buckets":[[0,"0.1","0.2","3"]]}]`
  const told = histograms > 0 ? `,"histograms":[${Array.from({ length: histograms }, () => histogram).join(',')}]` : ''
  const list = Array.from(
    { length: series },
    (_, place) => `{"metric":{"pod":"${place}"},"values":[${values.join(',')}]${told}}`,
  )
  return `{"resultType":"matrix","result":[${list.join(',')}]}`
}

const vector = (series: number) =>
  `{"resultType":"vector","result":[${Array.from({ length: series }, (_, place) => `{"metric":{"pod":"é${place}"},"value":[${at},"1"]}`).join(',')}]}`

test.each([
  ['many series', matrix(900, 20)],
  ['long series', matrix(2, 11_000)],
  ['native histograms beside values', matrix(3, 6000, 120)],
])('a large range of %s is read by a worker as a small one in place', async (_, data) => {
  const text = success(data, '"warnings":["PromQL info: x","PromQL warning: y"],')
  const { durationMs, ...said } = await sourceOf(text).range('x', grid)
  expect(durationMs).toBeGreaterThanOrEqual(0)
  expect(said).toEqual(readRange(text))
})

test('so is a large vector', async () => {
  const text = success(vector(8000), '"isPartial":true,')
  const { durationMs, ...said } = await sourceOf(text).instant('x', at)
  expect(durationMs).toBeGreaterThanOrEqual(0)
  expect(said).toEqual(readInstant(text))
})

const padding = ' '.repeat(200_000)

test.each([
  ['empty', '', 'answered with an empty body'],
  ['broken', success(matrix(1, 10)).slice(0, -1), 'answered with broken JSON'],
  ['an odd sample', success(matrix(1, 10).replace('NaN', 'none')), 'answered with a series in an unknown form'],
  ['too deep', success('['.repeat(65)), 'answered with JSON that nests deeper than 64 levels'],
  ['too many samples', success(matrix(51, 10_000)), 'answered with more than 500,000 samples'],
  ['too many series', success(matrix(100_001, 1)), 'answered with more than 100,000 series'],
  ['a label too large', success(matrix(1, 1).replace('"0"', `"${'x'.repeat(2 ** 21)}"`)), 'larger than 1 MB'],
])('a large answer that is none (%s) says what it is', async (_, text, what) => {
  const failed = await sourceOf(text + padding)
    .range('x', grid)
    .catch((error: unknown) => error)
  expect(failed).toMatchObject({ kind: 'source_unavailable', details: expect.stringContaining(what) })
})

test('everything else goes on while a large answer is read', async () => {
  const source = sourceOf(success(matrix(40, 10_000)))
  let ticks = 0
  const timer = setInterval(() => (ticks += 1), 5)
  const { data } = await source.range('x', grid)
  clearInterval(timer)
  expect(data).toHaveLength(40)
  expect(ticks).toBeGreaterThan(5)
})
