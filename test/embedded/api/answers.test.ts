import { expect, test } from 'bun:test'
import { AppError, type ErrorKind } from '../../../src/errors.ts'
import type { Engine } from '../../../src/embedded/engine.ts'
import { answer } from '../../../src/embedded/api/answer.ts'
import { listMetadata } from '../../../src/embedded/api/metadata.ts'
import { askInstant } from '../../../src/embedded/api/queries.ts'
import { dataPieces, instantData, valueText } from '../../../src/embedded/api/result.ts'
import type { Result } from '../../../src/embedded/promql/query.ts'

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
  const points = Array.from({ length: 1501 }, (_, at): [number, number] => [at * 1500, at / 7])
  const odd = { __name__: 'm', b: '"\\\n', a: 'ä' }
  const results: Result[] = [
    {
      type: 'matrix',
      series: [
        { labels: odd, points },
        { labels: {}, points: points.slice(0, 500) },
      ],
    },
    { type: 'matrix', series: [] },
    { type: 'vector', samples: [{ labels: odd, point: [1, 2] }] },
    { type: 'scalar', point: [1, 1e300] },
    { type: 'string', timeMs: 1, text: '"' },
  ]
  for (const result of results) {
    const text = await (await bodyOf(dataPieces(result))).text()
    expect(text).toBe(JSON.stringify({ status: 'success', data: instantData(result) }))
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
    return { type: 'scalar', point: [0, 1] }
  }
  const instantOnly: Engine['range'] = () => Promise.reject(new Error('not asked'))
  const deps = { engine: { instant, range: instantOnly }, clock: { now: () => 7 }, sourceTimeoutMs: 5000 }
  await askInstant(deps, { organizationId: 3, parameters: new URLSearchParams({ query: 'up', timeout }) })
  expect(seen).toEqual([[3, 'up', 7, { timeoutMs: expected }]])
})

test('metadata is told by metric, each once', () => {
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
