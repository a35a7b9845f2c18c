import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { version } from '../../../package.json' with { type: 'json' }
import { type TestApp, testStartMs } from '../../support/app.ts'
import { expectNoFailureLogged } from '../../support/hostile.ts'
import { apiWorld, asForm, root } from './api-world.ts'

let nines: TestApp
beforeAll(async () => {
  nines = await apiWorld()
})
afterAll(() => nines.close())

const get = (asked: string) => nines.call('GET', `${root}/${asked}`)
const post = (asked: string, body?: string, headers: Record<string, string> = asForm) =>
  nines.call('POST', `${root}/${asked}`, body, { headers })
const badData = (error: unknown) => ({ status: 'error', errorType: 'bad_data', error })

test('the time is now, where none is said', async () => {
  const { body } = await get('query?query=time()')
  expect(body.data.result).toEqual([testStartMs / 1000, String(testStartMs / 1000)])
})

test('a form and a query string are one, and the form counts first', async () => {
  expect((await post('query?time=5&query=1', 'query=2')).body.data.result).toEqual([5, '2'])
  const { body } = await post('series?match[]=up{instance="a:80"}', 'match%5B%5D=up%7Binstance%3D%22b%3A80%22%7D')
  expect(body.data.map(({ instance }: { instance: string }) => instance)).toEqual(['a:80', 'b:80'])
  expect((await post('query?query=3&time=5')).body.data.result).toEqual([5, '3'])
})

test('an answer has remarks behind its data, as that of Prometheus has', async () => {
  const query = encodeURIComponent('quantile(2, rate(up[5m]))')
  nines.app.samples.append(
    1,
    Object.entries({ __name__: 'up', job: 'shop', instance: 'a:80' }),
    testStartMs - 60_000,
    1,
  )
  const times = `start=${testStartMs / 1000}&end=${testStartMs / 1000}&step=30`
  for (const asked of [`query?query=${query}`, `query_range?query=${query}&${times}`])
    expect((await get(asked)).body).toEqual({
      status: 'success',
      data: expect.anything(),
      warnings: ['PromQL warning: quantile value should be between 0 and 1, got 2 (1:10)'],
      infos: [
        'PromQL info: metric might not be a counter, name does not end in _total/_sum/_count/_bucket: "up" (1:18)',
      ],
    })
  expect(Object.keys((await get('query?query=up')).body)).toEqual(['status', 'data'])
})

test('the values of a label are requested by its name, escaped or not', async () => {
  nines.app.samples.append(1, Object.entries({ __name__: 'my.metric', 'a.b/c': 'x' }), testStartMs - 30_000, 1)
  for (const name of ['U__a_2e_b_2f_c', 'U__a_2E_b_2F_c'])
    expect((await get(`label/${name}/values`)).body).toEqual({ status: 'success', data: ['x'] })
  expect((await get(`series?match[]=${encodeURIComponent('{"my.metric"}')}`)).body.data).toEqual([
    { __name__: 'my.metric', 'a.b/c': 'x' },
  ])
})

test('a body that is no form is refused', async () => {
  const { status, body } = await post('query?query=1', '{"query":"1"}', { 'content-type': 'application/json' })
  expect([status, body.success]).toEqual([415, false])
})

test('a sample counts as long as it is said', async () => {
  const count = async (more: string) => (await get(`query?query=count(up)${more}`)).body.data.result.length
  expect(await count('')).toBe(1)
  expect(await count('&lookback_delta=10s')).toBe(0)
  expect(await count('&lookback_delta=0')).toBe(1)
  expect((await get('query?query=up&lookback_delta=x')).body).toEqual(
    badData(expect.stringContaining('lookback_delta')),
  )
})

describe('the hostile', () => {
  const many = (count: number) => Array.from({ length: count }, () => 'match[]={job=~".%2B"}').join('&')
  test.each([
    ['a query that is too long', `query?query=${'1%2B'.repeat(20_000)}1`],
    ['a query that is too deep', `query?query=${'('.repeat(5000)}1${')'.repeat(5000)}`],
    ['too many selectors', `series?${many(101)}`],
    ['times beyond all bounds', 'query?query=up&time=1e300'],
    ['a time that is no number', 'query?query=up&time=NaN'],
    ['a step below a millisecond', 'query_range?query=up&start=0&end=1&step=0.0001'],
    ['a name that is no label', 'label/U__/values'],
    ['a name that is no text', 'label/%zz/values'],
    ['what came after Prometheus 3.5', 'query?query=start_timestamp(up)'],
  ])('%s: a bad request', async (_, asked) => {
    const { status, body } = await get(asked)
    expect([status, body]).toEqual([400, badData(expect.any(String))])
  })

  test.each([
    ['label/__proto__%00/values'],
    ['label/a%2Fb/values'],
    ['query?%zz=%&query=1&='],
    ['query?query=1&query[]=2&__proto__=3&constructor=4'],
    ['label/__proto__/values'],
    ['label/constructor/values?match[]=up'],
    [`series?${many(100)}`],
  ])('%s fails nothing', async (asked) => {
    expect((await get(asked)).status).toBeLessThan(500)
    expectNoFailureLogged(nines)
  })

  test('a form is bounded, and may be no text', async () => {
    expect((await post('query', `query=${'a'.repeat(2_000_000)}`)).status).toBe(413)
    const headers = { ...asForm, authorization: `Bearer ${await nines.join('eve')}` }
    const body = new Uint8Array([255, 61])
    expect((await fetch(`${nines.listen()}${root}/query`, { method: 'POST', headers, body })).status).toBe(400)
  })

  test.each(['query?time=5&query=', 'series?match[]='])(
    'a text of more than 16,384 characters is refused: %s',
    async (asked) => {
      const [path, name] = [asked.split('?')[0] ?? '', asked.split(/[?&]/).at(-1) ?? '']
      const { status, body } = await post(path, `${encodeURIComponent(name.slice(0, -1))}=up${'%20'.repeat(16_383)}`)
      expect([status, body.error]).toEqual([400, expect.stringContaining('it is longer than 16384 characters')])
    },
  )

  test('what asks for too much is an error of the query', async () => {
    const { status, body } = await get('query?query=sum_over_time(vector(1)[9y:1s])')
    expect([status, body.errorType]).toEqual([422, 'execution'])
    expect(body.error).toMatch(/^Query is too large: it needs more than \d+ samples$/)
  })
})

test('HEAD is answered as GET, without a body', async () => {
  const { status, text } = await nines.call('HEAD', `${root}/query?query=up`)
  expect([status, text]).toEqual([200, ''])
})

test('it says which Prometheus it is like, and nothing of features', async () => {
  const { data } = (await get('status/buildinfo')).body
  expect(data).toMatchObject({ application: 'nines', version: '3.5.0', revision: version })
  expect(data).not.toHaveProperty('features')
})
