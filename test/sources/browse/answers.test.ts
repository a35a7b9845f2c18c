import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { closeAll } from '../../support/closing.ts'
import { password, type SourceApi, sourceApi, success } from './source-api-world.ts'

let api: SourceApi
beforeAll(async () => {
  api = await sourceApi()
})
afterAll(closeAll)
beforeEach(() => {
  api.source.order(success([]))
})

const vector = { resultType: 'vector', result: [] }

describe('of an answer', () => {
  test('only what the API promises is passed on', async () => {
    const sent = { metric: { a: 'b' }, value: [1, '2'], secret: 'x' }
    api.source.order({
      body: JSON.stringify({
        status: 'success',
        data: { resultType: 'vector', result: [sent], stats: { x: 1 } },
        warnings: ['PromQL warning: w'],
        infos: ['PromQL info: i'],
        trace: { secret: 'x' },
      }),
      headers: { 'x-secret': 'x', 'set-cookie': 'a=b', 'cache-control': 'public', 'content-type': 'text/html' },
    })
    const { headers, body } = await api.get('query?query=up')
    expect(body).toEqual({
      status: 'success',
      data: { resultType: 'vector', result: [{ metric: { a: 'b' }, value: [1, '2'] }] },
      warnings: ['PromQL warning: w'],
      infos: ['PromQL info: i'],
    })
    expect([headers.get('x-secret'), headers.get('set-cookie')]).toEqual([null, null])
    expect(headers.get('content-type')).toBe('application/json')
    api.source.order(success({ up: [{ type: 'gauge', help: 'h', unit: '', more: 'x' }] }))
    expect((await api.get('metadata')).body.data).toEqual({ up: [{ type: 'gauge', help: 'h', unit: '' }] })
  })

  test('more than the limit is cut, with a warning', async () => {
    api.source.order(success(['a', 'b', 'c']))
    const cut = ['results truncated due to limit']
    expect((await api.get('labels?limit=2')).body).toEqual({ status: 'success', data: ['a', 'b'], warnings: cut })
    expect((await api.get('labels?limit=3')).body).toEqual({ status: 'success', data: ['a', 'b', 'c'] })
    api.source.order(success(['a', 'b'], { warnings: cut }))
    expect((await api.get('labels?limit=2')).body).toEqual({ status: 'success', data: ['a', 'b'], warnings: cut })
    const result = [1, 2].map((at) => ({ metric: { at: `${at}` }, value: [1, '1'] }))
    api.source.order(success({ resultType: 'vector', result }))
    expect((await api.get('query?query=up&limit=1')).body.data.result).toEqual(result.slice(0, 1))
    const told = { a: [], b: [] }
    api.source.order(success(told))
    expect((await api.get('metadata?limit=1')).body.data).toEqual({ a: [] })
  })

  test('that lacks a part of the data a warning says so', async () => {
    api.source.order(success(vector, { isPartial: true }))
    expect((await api.get('query?query=up')).body.warnings).toEqual([
      'the source answered with a part of its data only',
    ])
  })

  test.each([
    ['the query’s fault', 400, 'bad_data', 400, 'bad_data', '1:4: parse error: no'],
    ['the data’s fault', 422, 'execution', 422, 'execution', 'many-to-many'],
    [
      'a fault of its own',
      500,
      'internal',
      503,
      'unavailable',
      'metrics source gave no usable answer: elsewhere: HTTP 500: oops',
    ],
    ['no tenant', 401, 'x', 503, 'unavailable', 'elsewhere: HTTP 401, check its credentials: who'],
  ])('that says %s the status and the words are kept', async (_, given, type, status, errorType, error) => {
    const said = error.split(': ').at(-1) ?? ''
    const text = given < 500 && given !== 401 ? error : said
    api.source.order({ status: given, body: JSON.stringify({ status: 'error', errorType: type, error: text }) })
    const answer = await api.get('query?query=up')
    expect([answer.status, answer.body]).toEqual([
      status,
      { status: 'error', errorType, error: expect.stringContaining(error) },
    ])
  })

  test('that repeats the credentials they are taken out', async () => {
    const error = `no such password: ${password}`
    api.source.order({ status: 400, body: JSON.stringify({ status: 'error', errorType: 'bad_data', error }) })
    expect((await api.get('query?query=up')).body.error).toBe('no such password: ***')
  })

  test.each<[string, unknown]>([
    ['labels', {}],
    ['labels', 'text'],
    ['labels', [1]],
    ['series?match[]=up', [['a']]],
    ['series?match[]=up', [{ a: 1 }]],
    ['label/a/values', [null]],
    ['metadata', []],
    ['metadata', { up: {} }],
    ['metadata', { up: [{ type: 1 }] }],
    ['metadata', { up: ['x'] }],
    ['query?query=up', matrixWithout()],
    ['query_range?query=up&start=1&end=1&step=1', vector],
  ])('to %s that is none (%j) it says so', async (question, data) => {
    api.source.order(success(data))
    const { status, body } = await api.get(question)
    expect([status, body.errorType, body.error]).toEqual([
      503,
      'unavailable',
      expect.stringMatching(/: answered (?:with|a range)/),
    ])
  })

  test('that has nothing for a list the list is empty', async () => {
    api.source.order(success(null))
    expect((await api.get('labels')).body).toEqual({ status: 'success', data: [] })
  })
})

function matrixWithout() {
  return { resultType: 'matrix', result: [{ values: [] }] }
}
