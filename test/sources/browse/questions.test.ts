import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { testStartMs } from '../../support/app.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { expectNoFailureLogged } from '../../support/hostile.ts'
import { password, pathOf, type SourceApi, sourceApi, success } from './source-api-world.ts'

let api: SourceApi
let asked: SourceApi['source']['asked']
beforeAll(async () => {
  api = await sourceApi()
  asked = api.source.asked
})
afterAll(closeAll)
beforeEach(() => {
  asked.length = 0
  api.source.order(success([]))
})

const vector = { resultType: 'vector', result: [] }
const matrix = { resultType: 'matrix', result: [] }
const badData = (error: unknown) => ({ status: 'error', errorType: 'bad_data', error })

describe('a question goes to the source', () => {
  test('with the credentials of the source, and nothing of the request but what the API knows', async () => {
    api.source.order(success(vector))
    const { status, body } = await api.post('query', 'query=up&time=5&extra_label=a&X=1')
    expect([status, body]).toEqual([200, { status: 'success', data: vector }])
    const [{ method, path, parameters, headers } = expect.unreachable()] = asked
    expect([method, path, parameters]).toEqual(['POST', '/api/v1/query', { query: 'up', time: '5' }])
    expect(headers.get('authorization')).toBe(`Basic ${Buffer.from(`nines:${password}`).toString('base64')}`)
    expect([...headers.keys()].toSorted()).toEqual(
      ['accept', 'accept-encoding', 'authorization', 'connection', 'content-length', 'content-type', 'host'].concat(
        headers.has('user-agent') ? ['user-agent'] : [],
      ),
    )
  })

  test.each<[string, string, Record<string, string>, unknown]>([
    ['query?query=up', 'query', { query: 'up', time: String(testStartMs / 1000) }, vector],
    [
      'query?query=up&time=1.5&lookback_delta=1m&limit=3',
      'query',
      { query: 'up', time: '1.5', lookback_delta: '60' },
      vector,
    ],
    [
      'query_range?query=up&start=1970-01-01T00:00:00Z&end=60&step=1m',
      'query_range',
      { query: 'up', start: '0', end: '60', step: '60' },
      matrix,
    ],
    ['labels', 'labels', {}, []],
    ['labels?start=1&end=2&limit=7', 'labels', { start: '1', end: '2', limit: '7' }, []],
    ['series?match[]=up{a="b"}', 'series', { 'match[]': 'up{a="b"}' }, []],
    ['label/job/values?match[]=up&start=1', 'label/job/values', { 'match[]': 'up', start: '1' }, []],
    ['metadata', 'metadata', {}, {}],
    ['metadata?metric=up&limit=2', 'metadata', { metric: 'up', limit: '2' }, {}],
    ['metadata?limit=-1', 'metadata', {}, {}],
  ])('%s', async (question, path, parameters, data) => {
    api.source.order(success(data))
    const { status, body } = await api.get(question)
    expect([status, body]).toEqual([200, { status: 'success', data }])
    expect(asked.map((one) => [one.path.split('?')[0], one.parameters])).toEqual([[`/api/v1/${path}`, parameters]])
  })

  test('with each of several selectors, as a form or where that is refused in the address', async () => {
    const selectors = 'match[]=up&match[]={job="a b"}'
    await api.get(`series?${selectors}`)
    expect(new URLSearchParams(asked[0]?.body).getAll('match[]')).toEqual(['up', '{job="a b"}'])
    const urls: URL[] = []
    const getOnly = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch({ method, url }) {
        if (method === 'POST') return new Response('', { status: 405 })
        urls.push(new URL(url))
        return Response.json({ status: 'success', data: [] })
      },
    })
    closeLater(() => getOnly.stop(true))
    const source = { name: 'get only', api_url: getOnly.url.href }
    const { body } = await api.nines.call('POST', '/api/v1/tsdb/sources', source)
    expect((await api.get(`series?${selectors}`, { of: body.id })).status).toBe(200)
    expect(urls.map(({ searchParams }) => searchParams.getAll('match[]'))).toEqual([['up', '{job="a b"}']])
  })

  test.each([
    ['..', 'label/U___2e__2e_/values'],
    ['%2e%2e', 'label/U___2e__2e_/values'],
    ['U___2e_', 'label/U___2e_/values'],
    ['a%2Fb', 'label/U__a_2f_b/values'],
    ['a_b%2F..%2Fä%25%5C', 'label/U__a__b_2f__2e__2e__2f__e4__25__5c_/values'],
    ['U__a_2f_b', 'label/U__a_2f_b/values'],
    ['a%2Eb_c', 'label/a.b_c/values'],
    ['a%3Fb%23', 'label/a%3Fb%23/values'],
    ['U__a_2e_b', 'label/U__a_2e_b/values'],
  ])('by the name %s of a label to no other path than %s', async (name, path) => {
    const { status } = await api.nines.call('GET', pathOf(api.outside, `label/${name}/values`))
    if (asked.length === 0)
      // URL parsing resolved the path to another route of nines
      expect(status).toBe(404)
    else expect(asked.map((one) => one.path)).toEqual([`/api/v1/${path}`])
  })
})

describe('nothing leaves, and the answer names the field, of', () => {
  const long = `{a="${'x'.repeat(16_400)}"}`
  test.each([
    ['query', '"query"'],
    ['query?query=%20', '"query"'],
    [`query?query=${'1%2B'.repeat(9000)}1`, '"query"'],
    ['query?query=up&time=yesterday', '"time"'],
    ['query?query=up&timeout=x', '"timeout"'],
    ['query?query=up&lookback_delta=x', '"lookback_delta"'],
    ['query?query=up&limit=-1', '"limit"'],
    ['query_range?query=up&end=1&step=1', '"start"'],
    ['query_range?query=up&start=1&end=0&step=1', '"end"'],
    ['query_range?query=up&start=1&end=1&step=0', '"step"'],
    ['query_range?query=up&start=0&end=1e9&step=1', 'step'],
    ['labels?start=x', '"start"'],
    ['labels?match[]=up{', '"match[]"'],
    ['labels?match[]=sum(up)', '"match[]"'],
    ['labels?match[]={}', '"match[]"'],
    ['labels?match[]={a="b" or c="d"}', '"match[]"'],
    [`labels?match[]=${long}`, '"match[]"'],
    [`labels?${'match[]=up&'.repeat(101)}`, '"match[]"'],
    ['labels?limit=x', '"limit"'],
    ['series', 'match[]'],
    ['label/U__/values', 'label name'],
    ['label/%zz/values', 'label name'],
    ['label/job/values?end=x', '"end"'],
    ['metadata?limit=x', 'limit'],
  ])('%.60s', async (question, named) => {
    const { status, body } = await api.get(question)
    expect([status, body]).toEqual([400, badData(expect.stringContaining(named))])
    expect(asked).toEqual([])
  })

  test('but for the patterns of a selector, which the source reads', async () => {
    expect((await api.get('labels?match[]=up{a=~"("}')).status).toBe(200)
    expect(asked.map(({ parameters }) => parameters)).toEqual([{ 'match[]': 'up{a=~"("}' }])
  })

  test('a timeout of nothing', async () => {
    const { status, body } = await api.get('query?query=up&timeout=0')
    expect([status, body]).toEqual([503, { status: 'error', errorType: 'timeout', error: 'Query took too long' }])
    expect(asked).toEqual([])
  })

  test('an id that is none', async () => {
    const { status, body } = await api.nines.call('GET', '/api/v1/tsdb/sources/x/prometheus/api/v1/labels')
    expect([status, body.status, body.errorType, body.problems]).toEqual([
      400,
      'error',
      'bad_data',
      [
        {
          field: 'id',
          message: 'must be the source id, a whole number from 1',
          code: 'wrong_format',
          params: {},
        },
      ],
    ])
  })
})

test('a source that is not to be asked is not asked', async () => {
  const path = `/api/v1/tsdb/sources/${api.outside}`
  await api.nines.call('PUT', path, { is_active: false })
  const { status, body } = await api.get('labels')
  await api.nines.call('PUT', path, { is_active: true })
  expect([status, body]).toEqual([
    503,
    {
      status: 'error',
      errorType: 'unavailable',
      error: 'No active metrics source: the source elsewhere is not active',
    },
  ])
  expect(asked).toEqual([])
})

test('it is answered to nobody else, and to viewers and machines too', async () => {
  const foreign = await api.get('labels', { token: api.mallory })
  const missing = await api.get('labels', { token: api.mallory, of: 4711 })
  expect([foreign.status, foreign.text]).toEqual([404, missing.text])
  expect(asked).toEqual([])
  const made = await api.nines.call('POST', '/api/v1/auth/tokens', { name: 'grafana', role: 'viewer' })
  const basic = { authorization: `Basic ${Buffer.from(`x:${made.body.token}`).toString('base64')}` }
  for (const headers of [{ authorization: `Bearer ${made.body.token}` }, basic])
    for (const method of ['GET', 'POST', 'HEAD'])
      expect(
        (await api.nines.call(method, pathOf(api.outside, 'labels'), undefined, { token: null, headers })).status,
      ).toBe(200)
  expect((await api.nines.call('GET', pathOf(api.outside, 'labels'), undefined, { token: null })).status).toBe(401)
  expectNoFailureLogged(api.nines)
})

test('a source that is nines itself ends', async () => {
  const loop = await sourceApi('ok', { SOURCE_TIMEOUT: '1' })
  const url = loop.nines.listen()
  const { body } = await loop.nines.call('POST', '/api/v1/auth/tokens', { name: 'loop', role: 'viewer' })
  const api_url = `${url}/api/v1/tsdb/sources/${loop.outside}/prometheus`
  const auth = { bearer: { token: body.token } }
  expect((await loop.nines.call('PUT', `/api/v1/tsdb/sources/${loop.outside}`, { api_url, auth })).status).toBe(200)
  const { status, body: answered } = await loop.get('labels')
  expect([status, answered.errorType]).toEqual([503, 'unavailable'])
  expect(loop.source.asked).toEqual([])
})
