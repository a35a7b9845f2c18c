import { afterEach, expect, test } from 'bun:test'
import { createOutbound } from '../../../src/http/outbound/outbound.ts'
import { createPrometheus } from '../../../src/sources/prometheus/client.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { at, failure, troubled } from '../../support/troubled-source.ts'

afterEach(closeAll)

/** A source that returns this metadata for every metric. */
function sourceSaying(data: object) {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => Response.json({ status: 'success', data }),
  })
  closeLater(() => void server.stop(true))
  const apiUrl = `http://127.0.0.1:${server.port}`
  const prometheus = createPrometheus({ outbound: createOutbound({ deny: [] }), timeoutMs: 5000, concurrency: 1 })
  return prometheus.open({ id: 1, organizationId: 1, name: 'typed', apiUrl, auth: null })
}

test('the types of a metric are those that its targets give it, each once', async () => {
  const entry = (type: string) => ({ type, help: '', unit: '' })
  const source = sourceSaying({ x_total: [entry('counter'), entry('gauge'), entry('counter')] })
  expect((await source.types?.('x_total'))?.data).toEqual(['counter', 'gauge'])
  expect((await sourceSaying({}).types?.('x_total'))?.data).toEqual([])
})

test('they are requested by GET, which is all that metadata takes, and queries stay POST', async () => {
  const { server, source } = troubled()
  await source.types?.('x_total')
  await source.instant('x', at)
  expect(server.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /api/v1/metadata',
    'POST /api/v1/query',
  ])
})

test('something else than metadata is no answer', async () => {
  expect((await sourceSaying({ x: 'y', z: [null, 3, {}] }).types?.('x'))?.data).toEqual([])
  const { source } = troubled('html')
  expect((await failure(Promise.resolve(source.types?.('x')))).kind).toBe('source_unavailable')
})
