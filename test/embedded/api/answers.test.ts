import { expect, test } from 'bun:test'
import { AppError, type ErrorKind } from '../../../src/errors.ts'
import type { QueryAnswer, Engine } from '../../../src/embedded/engine.ts'
import { answer } from '../../../src/embedded/api/answer.ts'
import { listMetadata } from '../../../src/embedded/api/embedded-api.ts'
import { queryInstant } from '../../../src/embedded/api/queries.ts'
import { dataPieces, instantData, valueText } from '../../../src/embedded/api/result.ts'
import { pointBatches } from '../../../src/embedded/jobs/point-batches.ts'

/** Context of a request that is answered. */
const exchange = () => ({ request: new Request('http://localhost/'), set: { status: 200 } })
const responseOf = async (data: Iterable<string>) => {
  const answered = await answer(exchange(), () => data)
  return answered instanceof Response ? answered : new Response('no response', { status: 500 })
}

test.each([
  [0.1, '0.1'],
  [-0, '-0'],
  [1e-6, '0.000001'],
  [9.99e-7, '9.99e-07'],
  [-1e-7, '-1e-07'],
  [1e-10, '1e-10'],
  [5e-324, '5e-324'],
  [1e20, '100000000000000000000'],
  [1e21, '1e+21'],
  [-1.5e300, '-1.5e+300'],
  [NaN, 'NaN'],
  [Infinity, '+Inf'],
  [-Infinity, '-Inf'],
])('the sample value %p is written as %p', (value, text) => expect(valueText(value)).toBe(text))

test('a response that is written in pieces has the same JSON as a whole one', async () => {
  const oddLabels = { __name__: 'm', b: '"\\\n', a: 'ä' }
  const series = (length: number, labels: Record<string, string>) => ({
    labels,
    timesMs: Float64Array.from({ length }, (_, at) => at * 1500),
    values: Float64Array.from({ length }, (_, at) => at / 7),
  })
  const answerOf = (type: 'matrix' | 'vector', ...some: ReturnType<typeof series>[]) => ({
    type,
    points: [...pointBatches({ type: 'matrix', series: some })],
  })
  const answers: QueryAnswer[] = [
    answerOf('matrix', series(1501, oddLabels), series(500, {}), series(70_000, { a: '1' }), series(3, { a: '2' })),
    answerOf('matrix'),
    answerOf('vector', series(1, oddLabels), ...Array.from({ length: 600 }, (_, n) => series(1, { n: `${n}` }))),
    { type: 'scalar', timeMs: 1, value: 1e300, points: [] },
    { type: 'string', timeMs: 1, text: '"', points: [] },
  ]
  for (const queryAnswer of answers) {
    const text = await (await responseOf(dataPieces(queryAnswer))).text()
    expect(text).toBe(JSON.stringify({ status: 'success', data: await instantData(queryAnswer) }))
  }
})

test('a long response is produced only as far as it is read', async () => {
  let producedPieces = 0
  function* endless() {
    for (;;) {
      producedPieces += 1
      yield 'x'.repeat(1000)
    }
  }
  const reader = (await responseOf(endless())).body?.getReader()
  const chunks = [await reader?.read(), await reader?.read()]
  expect(chunks.map((chunk) => chunk?.value?.length)).toEqual([expect.any(Number), 66_000])
  expect(producedPieces).toBeLessThan(300)
  await reader?.cancel()
})

test.each([
  ['invalid', 400, 'bad_data', 'why'],
  ['source_refused', 422, 'execution', 'why'],
  ['too_large', 422, 'execution', 'What: why'],
  ['too_slow', 503, 'timeout', 'why'],
] as const)('the error %s is answered with %d %s', async (kind, status, errorType, error) => {
  const context = exchange()
  const problem = await answer(context, () => {
    throw new AppError(kind, 'What', { details: 'why' })
  })
  expect(problem).toEqual({ status: 'error', errorType, error })
  expect(context.set.status).toBe(status)
})

test.each(['internal', 'unauthenticated', 'forbidden'] as ErrorKind[])(
  'the error %s is not answered in the format of Prometheus but thrown on',
  async (kind) => {
    const rejected = answer(exchange(), () => {
      throw new AppError(kind, 'What')
    })
    expect(await rejected.catch((error: AppError) => error.kind)).toBe(kind)
  },
)

test.each([
  ['', 5000],
  ['2s', 2000],
  ['60', 5000],
  ['1y', 5000],
])('the parameter timeout=%p gives a query %d ms, where the limit is 5000', async (timeout, expected) => {
  const calls: unknown[] = []
  const instant: Engine['instant'] = async (...args) => {
    calls.push(args)
    return { type: 'scalar', timeMs: 0, value: 1, points: [] }
  }
  const range: Engine['range'] = () => Promise.reject(new Error('must not be called'))
  const deps = { engine: { instant, range }, clock: { now: () => 7 }, sourceTimeoutMs: 5000 }
  const { request } = exchange()
  const parameters = new URLSearchParams({ query: 'up', timeout })
  await queryInstant(deps, { organizationId: 3, parameters, request, receivedAtMs: 0 })
  expect(calls).toEqual([[3, 'up', 7, { timeoutMs: expected, signal: request.signal }]])
})

test('metadata are listed by metric, without duplicates', () => {
  const up = { metric: 'up', type: 'gauge', help: 'Is it up?', unit: '' }
  const all = [up, { ...up }, { ...up, help: 'other' }, { metric: 'm_total', type: 'counter', help: '', unit: '' }]
  const list = (parameters: Record<string, string>) =>
    JSON.parse([...listMetadata(all, new URLSearchParams(parameters))].join(''))
  const ofUp = {
    up: [
      { type: 'gauge', help: 'Is it up?', unit: '' },
      { type: 'gauge', help: 'other', unit: '' },
    ],
  }
  expect(list({})).toEqual({ ...ofUp, m_total: [{ type: 'counter', help: '', unit: '' }] })
  expect(list({ limit: '1' })).toEqual(ofUp)
  expect(list({ limit: '0' })).toEqual({})
  expect(list({ metric: 'up', limit: '9' })).toEqual(ofUp)
  expect(list({ metric: 'nope' })).toEqual({})
})
