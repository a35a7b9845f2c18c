import { expect, test } from 'bun:test'
import { AppError, type ErrorKind } from '../../../src/errors.ts'
import type { QueryAnswer, Engine } from '../../../src/embedded/engine.ts'
import { answer } from '../../../src/embedded/api/answer.ts'
import { listMetadata } from '../../../src/embedded/api/embedded-api.ts'
import { queryInstant } from '../../../src/embedded/api/queries.ts'
import { dataPieces, instantData, valueText } from '../../../src/embedded/api/result.ts'
import { pointBatches } from '../../../src/embedded/jobs/point-batches.ts'

const asked = () => ({ request: new Request('http://localhost/'), set: { status: 200 } })
const bodyOf = async (data: Iterable<string>) => {
  const answered = await answer(asked(), () => data)
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
])('%p is written as %p', (value, text) => expect(valueText(value)).toBe(text))

test('what is written piece by piece is what is written at once', async () => {
  const odd = { __name__: 'm', b: '"\\\n', a: 'ä' }
  const series = (length: number, labels: Record<string, string>) => ({
    labels,
    timesMs: Float64Array.from({ length }, (_, at) => at * 1500),
    values: Float64Array.from({ length }, (_, at) => at / 7),
  })
  const all = (type: 'matrix' | 'vector', ...some: ReturnType<typeof series>[]) => ({
    type,
    points: [...pointBatches({ type: 'matrix', series: some })],
  })
  const answers: QueryAnswer[] = [
    all('matrix', series(1501, odd), series(500, {}), series(70_000, { a: '1' }), series(3, { a: '2' })),
    all('matrix'),
    all('vector', series(1, odd), ...Array.from({ length: 600 }, (_, n) => series(1, { n: `${n}` }))),
    { type: 'scalar', timeMs: 1, value: 1e300, points: [] },
    { type: 'string', timeMs: 1, text: '"', points: [] },
  ]
  for (const answered of answers) {
    const text = await (await bodyOf(dataPieces(answered))).text()
    expect(text).toBe(JSON.stringify({ status: 'success', data: await instantData(answered) }))
  }
})

test('of a long answer only what is read is made', async () => {
  let made = 0
  function* endless() {
    for (;;) {
      made += 1
      yield 'x'.repeat(1000)
    }
  }
  const reader = (await bodyOf(endless())).body?.getReader()
  const chunks = [await reader?.read(), await reader?.read()]
  expect(chunks.map((chunk) => chunk?.value?.length)).toEqual([expect.any(Number), 66_000])
  expect(made).toBeLessThan(300)
  await reader?.cancel()
})

test.each([
  ['invalid', 400, 'bad_data', 'why'],
  ['source_refused', 422, 'execution', 'why'],
  ['too_large', 422, 'execution', 'What: why'],
  ['too_slow', 503, 'timeout', 'why'],
] as const)('%s is %d %s', async (kind, status, errorType, error) => {
  const context = asked()
  const problem = await answer(context, () => {
    throw new AppError(kind, 'What', { details: 'why' })
  })
  expect(problem).toEqual({ status: 'error', errorType, error })
  expect(context.set.status).toBe(status)
})

test.each(['internal', 'unauthenticated', 'forbidden'] as ErrorKind[])('%s is for others to answer', async (kind) => {
  const thrown = answer(asked(), () => {
    throw new AppError(kind, 'What')
  })
  expect(await thrown.catch((error: AppError) => error.kind)).toBe(kind)
})

test.each([
  ['', 5000],
  ['2s', 2000],
  ['60', 5000],
  ['1y', 5000],
])('a timeout of %p is %d ms', async (timeout, expected) => {
  const seen: unknown[] = []
  const instant: Engine['instant'] = async (...given) => {
    seen.push(given)
    return { type: 'scalar', timeMs: 0, value: 1, points: [] }
  }
  const instantOnly: Engine['range'] = () => Promise.reject(new Error('not asked'))
  const deps = { engine: { instant, range: instantOnly }, clock: { now: () => 7 }, sourceTimeoutMs: 5000 }
  const { request } = asked()
  const parameters = new URLSearchParams({ query: 'up', timeout })
  await queryInstant(deps, { organizationId: 3, parameters, request, askedAtMs: 0 })
  expect(seen).toEqual([[3, 'up', 7, { timeoutMs: expected, signal: request.signal }]])
})

test('metadata is listed by metric, each once', () => {
  const up = { metric: 'up', type: 'gauge', help: 'Is it up?', unit: '' }
  const all = [up, { ...up }, { ...up, help: 'other' }, { metric: 'm_total', type: 'counter', help: '', unit: '' }]
  const list = (asking: Record<string, string>) =>
    JSON.parse([...listMetadata(all, new URLSearchParams(asking))].join(''))
  const told = {
    up: [
      { type: 'gauge', help: 'Is it up?', unit: '' },
      { type: 'gauge', help: 'other', unit: '' },
    ],
  }
  expect(list({})).toEqual({ ...told, m_total: [{ type: 'counter', help: '', unit: '' }] })
  expect(list({ limit: '1' })).toEqual(told)
  expect(list({ limit: '0' })).toEqual({})
  expect(list({ metric: 'up', limit: '9' })).toEqual(told)
  expect(list({ metric: 'nope' })).toEqual({})
})
