import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { createWorkerPool } from '../../../src/concurrency/worker-pool.ts'
import type { CpuBudget } from '../../../src/embedded/query-limits.ts'
import { AppError } from '../../../src/errors.ts'
import { createOutbound } from '../../../src/http/outbound/outbound.ts'
import { createPrometheus } from '../../../src/sources/prometheus/client.ts'
import { readPieces } from '../../../src/sources/prometheus/forwarded-answer.ts'
import type { SourceApiRequest } from '../../../src/sources/source.ts'
import { closeAll, closeLater } from '../../support/closing.ts'

const url = new URL('../../../src/worker.ts', import.meta.url).href
const workers = createWorkerPool({ url, workers: 1, workersOfGroup: 1, urgentWorkers: 1 })
afterEach(closeAll)
afterAll(() => workers.close())

const free: CpuBudget = { assertLeft() {}, begin: () => () => {} }

/** A source with one answer, which a worker reads if it is large. */
function sourceOf(text: string) {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(text) })
  closeLater(() => server.stop(true))
  const prometheus = createPrometheus({
    outbound: createOutbound({ deny: [] }),
    timeoutMs: 20_000,
    concurrency: 8,
    workers,
  })
  const apiUrl = `http://127.0.0.1:${server.port}`
  const { forward } = prometheus.open({ id: 1, organizationId: 1, name: 'prom', apiUrl, auth: null })
  if (!forward) throw new Error('must be a source that forwards')
  return forward
}

const ask = (path: SourceApiRequest['path'], limit = Infinity): SourceApiRequest => ({ path, parameters: [], limit })
const success = (data: unknown, more = {}) => JSON.stringify({ status: 'success', data, ...more })
const many = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at))
const values = (count: number) => many(count, (at) => [1_795_244_760 + at, at % 7 === 0 ? 'NaN' : `${at / 3}`])
const labels = (at: number) => ({ __name__: 'up', pod: `é"${at}`, padding: 'x'.repeat(40) })

const large: [SourceApiRequest['path'], unknown][] = [
  ['query', { resultType: 'vector', result: many(5000, (at) => ({ metric: labels(at), value: [1, '1'] })) }],
  ['query', { resultType: 'matrix', result: [{ metric: {}, values: values(11_000) }] }],
  ['query', { resultType: 'string', result: [1, 'x'.repeat(200_000)] }],
  ['query_range', { resultType: 'matrix', result: many(90, (at) => ({ metric: labels(at), values: values(500) })) }],
  ['series', many(20_000, labels)],
  ['labels', many(50_000, (at) => `label_${at}`)],
  ['label/pod/values', many(50_000, (at) => `é"${at}`)],
  [
    'metadata',
    Object.fromEntries(many(3000, (at) => [`a "${at}"`, [{ type: 'gauge', help: 'h'.repeat(50), unit: '' }]])),
  ],
]

describe('a large answer is read by a worker as a small one in place, and is the same JSON:', () => {
  test.each(large)('%s', async (path, data) => {
    const text = success(data, { warnings: ['PromQL warning: w'], infos: ['PromQL info: i'] })
    expect(text.length).toBeGreaterThan(128 * 1024)
    const { durationMs, ...said } = await sourceOf(text)(ask(path), { budget: free })
    expect(durationMs).toBeGreaterThanOrEqual(0)
    expect(said).toEqual(readPieces(text, ask(path)))
    expect(JSON.parse(said.data.join(''))).toEqual(data)
  })

  test.each(large.filter(([, data]) => Array.isArray(data)))('%s up to its limit', async (path, data) => {
    const { data: pieces, warnings } = await sourceOf(success(data))(ask(path, 17), { budget: free })
    expect(JSON.parse(pieces.join(''))).toEqual((data as unknown[]).slice(0, 17))
    expect(warnings).toEqual(['results truncated due to limit'])
  })
})

test.each<[string, SourceApiRequest['path'], string, string]>([
  ['too many series', 'series', success(many(100_001, () => ({}))), 'answered with more than 100,000 series'],
  ['too many texts', 'labels', success(many(100_001, String)), 'answered with more than 100,000 series'],
  [
    'more than nines reads',
    'labels',
    success(many(1, () => 'x'.repeat(17 * 2 ** 20))),
    'answered with more than 16 MB',
  ],
  ['broken', 'series', `${success(many(20_000, labels))}}`, 'answered with broken JSON'],
  ['an odd one among them', 'labels', success([...many(50_000, String), 1]), 'answered with a text in an unknown form'],
])('a large answer that is none (%s) says what it is', async (_, path, text, what) => {
  const failed = await sourceOf(text)(ask(path), { budget: free }).catch((error: unknown) => error)
  expect(failed).toMatchObject({ kind: 'source_unavailable', details: `prom: ${what}` })
})

test('the organization pays for what a worker reads, and has nothing read once it has nothing left', async () => {
  let [begun, ended] = [0, 0]
  const budget: CpuBudget = {
    assertLeft() {
      if (ended > 0) throw new AppError('rate_limited', 'Too many heavy queries')
    },
    begin() {
      begun += 1
      return () => void (ended += 1)
    },
  }
  const forward = sourceOf(success(many(50_000, String)))
  await forward(ask('labels'), { budget })
  expect([begun, ended]).toEqual([1, 1])
  const refused = await forward(ask('labels'), { budget }).catch((error: unknown) => error)
  expect(refused).toMatchObject({ kind: 'rate_limited' })
  expect([begun, ended]).toEqual([1, 1])
})

test('a question that nobody waits for any more is given up', async () => {
  const { promise: never } = Promise.withResolvers<Response>()
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => never })
  closeLater(() => server.stop(true))
  const prometheus = createPrometheus({ outbound: createOutbound({ deny: [] }), timeoutMs: 60_000, concurrency: 1 })
  const apiUrl = `http://127.0.0.1:${server.port}`
  const source = prometheus.open({ id: 1, organizationId: 1, name: 'prom', apiUrl, auth: null })
  const gone = new AbortController()
  const [first, second] = [1, 2].map(() =>
    source.forward?.(ask('labels'), { budget: free, signal: gone.signal }).catch((error: unknown) => error),
  )
  await Bun.sleep(20)
  gone.abort()
  expect(await first).toMatchObject({ kind: 'source_unavailable' })
  expect(await second).toMatchObject({ kind: 'source_unavailable' })
})
