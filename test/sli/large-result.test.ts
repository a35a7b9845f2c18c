import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createLargeResults } from '../../src/sli/large-result.ts'
import { type TestApp, testApp } from '../support/app.ts'

const series = 30
const points = 1000
const values = Array.from({ length: points }, (_, place): [number, string] => [
  1_795_000_000 + place * 60,
  `0.${place}`,
])
const list = Array.from({ length: series }, (_, place) => ({ metric: { pod: `"${place}"` }, values }))
const text = JSON.stringify({ status: 'success', data: { resultType: 'matrix', result: list } })

let source: Bun.Server<undefined>
let sent = 0
let nines: TestApp
beforeEach(async () => {
  sent = 0
  source = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch() {
      sent += 1
      return new Response(text)
    },
  })
  nines = await testApp({ env: { SOURCE_URL: `http://127.0.0.1:${source.port}` } })
  await nines.join('ada')
})
afterEach(async () => {
  await nines.close()
  await source.stop(true)
})

const request = { query: 'up', time_range: '24h', step: '1m' }
const query = () => nines.call('POST', '/api/v1/tsdb/query', request)

test('a large result is written in pieces, whole and as a small one would be, and is not kept', async () => {
  const { status, headers, body } = await query()
  expect(status).toBe(200)
  expect(headers.get('content-type')).toContain('application/json')
  expect(body).toMatchObject({ status: 'success', metadata: { cached: false, time_range: '24h' }, warnings: [] })
  expect(body.query_result.result_type).toBe('matrix')
  expect(body.query_result.result).toEqual(list.map((one) => ({ ...one, value: values.at(-1) })))
  expect((await query()).body.metadata.cached).toBe(false)
  expect(sent).toBe(2)
})

test('an organization that does not read its large results gets no more of them until it has, and others do', async () => {
  const { body: answer } = await query()
  const reply = createLargeResults(60_000)
  const [first] = [reply(1, answer), reply(1, answer)]
  expect(() => reply(1, answer)).toThrow('Too many large answers at once')
  expect(await reply(2, answer).json()).toEqual(answer)
  expect(await first?.json()).toEqual(answer)
  await reply(1, answer).body?.cancel()
  expect(await reply(1, answer).json()).toEqual(answer)
})

test('what is too large to be kept cannot be warmed', async () => {
  const queries = [{ query: 'up', slo_id: 0, time_window: '24h' }]
  const { body } = await nines.call('POST', '/api/v1/cache/warmup', { queries })
  expect(body.data).toMatchObject({ queries_warmed: 0, failed: [{ error: 'The answer is too large to be kept' }] })
})
