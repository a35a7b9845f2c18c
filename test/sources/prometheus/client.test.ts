import { afterEach, describe, expect, test } from 'bun:test'
import type { EndpointAuth } from '../../../src/http/endpoint-auth.ts'
import { closeAll } from '../../support/closing.ts'
import { at, failure, troubled } from '../../support/troubled-source.ts'

afterEach(closeAll)

describe('a question', () => {
  test('is a form POST below the API address, with its time in seconds and three decimals at most', async () => {
    const { server, source } = troubled('ok', { path: '/prometheus/' })
    await source.instant('sum(rate(x{code!~"5.."}[5m])) + 0', at + 0.12345)
    expect(server.asked).toMatchObject([
      {
        method: 'POST',
        path: '/prometheus/api/v1/query',
        parameters: { query: 'sum(rate(x{code!~"5.."}[5m])) + 0', time: '1795244760.123' },
      },
    ])
    const headers = server.asked[0]?.headers
    expect(headers?.get('content-type')).toBe('application/x-www-form-urlencoded')
    expect(headers?.get('accept-encoding')).toBe('gzip')
    expect(headers?.get('authorization')).toBeNull()
  })

  test('whose answer is short asks for it uncompressed, and reads no more than that', async () => {
    const { server, source } = troubled()
    await source.instant('x', at, { isShort: true })
    expect(server.asked[0]?.headers.get('accept-encoding')).toBe('identity')
    const { source: talkative } = troubled({ bodyBytes: 1 << 20 })
    const asking = talkative.instant('x', at, { isShort: true })
    expect((await failure(asking)).details).toBe('prod: answered with more than 64 kB')
  })

  test('for a range carries start, end and step', async () => {
    const { server, source } = troubled()
    await source.range('x', { startSeconds: at - 60, endSeconds: at, stepSeconds: 0.5 })
    expect(server.asked).toMatchObject([
      { path: '/api/v1/query_range', parameters: { query: 'x', start: `${at - 60}`, end: `${at}`, step: '0.5' } },
    ])
  })

  test('keeps the query string of the API address', async () => {
    const { server, source } = troubled('ok', { path: '/select?extra_label=team%3Da' })
    await source.instant('x', at)
    expect(server.asked).toMatchObject([
      { path: '/select/api/v1/query', parameters: { extra_label: 'team=a', query: 'x' } },
    ])
  })

  test.each<[EndpointAuth, Record<string, string>]>([
    [{ basic: { username: 'alice', password: 'sésame' } }, { authorization: 'Basic YWxpY2U6c8Opc2FtZQ==' }],
    [{ bearer: { token: 'tok-123' } }, { authorization: 'Bearer tok-123' }],
    [{ headers: { 'X-Scope-OrgID': 'tenant', Host: 'elsewhere' } }, { 'x-scope-orgid': 'tenant' }],
  ])('with %j shows its credentials', async (auth, expected) => {
    const { server, source } = troubled('ok', { auth })
    await source.instant('x', at)
    const headers = server.asked[0]?.headers
    for (const [name, value] of Object.entries(expected)) expect(headers?.get(name)).toBe(value)
    expect(headers?.get('host')).toBe(new URL(server.url).host)
  })

  test('uses the connection of the one before', async () => {
    const { server, source } = troubled()
    for (let i = 0; i < 5; i += 1) await source.instant('x', at)
    expect(server.connections()).toBe(1)
  })

  test('is queried by GET where POST is not allowed, and from then on by GET at once', async () => {
    const { server, source, prometheus, access } = troubled('post-405')
    expect((await source.instant('a+b', at)).data).toMatchObject({ result: [{ value: [at, '0.999'] }] })
    await prometheus.open(access).instant('x', at)
    expect(server.asked.map((sent) => sent.method)).toEqual(['POST', 'GET', 'GET'])
    expect(server.asked[1]).toMatchObject({ path: '/api/v1/query', parameters: { query: 'a+b', time: `${at}` } })
  })

  test('is queried by POST again once the source has another address', async () => {
    const { server, source, prometheus, access } = troubled('post-405')
    await source.instant('x', at)
    await prometheus.open({ ...access, apiUrl: `${access.apiUrl}/new` }).instant('x', at)
    expect(server.asked.map((sent) => sent.method)).toEqual(['POST', 'GET', 'POST', 'GET'])
  })
})

describe('an answer', () => {
  // As captured from Prometheus 2.42 and 3.5 and VictoriaMetrics 1.79 and 1.145.
  test.each([
    [
      'a vector',
      '{"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"demo_sli","case":"ratio"},"value":[1795244760,"0.9995"]}]},"stats":{"seriesFetched": "1","executionTimeMsec":0}}',
      { resultType: 'vector', result: [{ metric: { __name__: 'demo_sli', case: 'ratio' }, value: [at, '0.9995'] }] },
    ],
    [
      'nothing',
      '{"status":"success","data":{"resultType":"vector","result":[]}}',
      { resultType: 'vector', result: [] },
    ],
    [
      'NaN',
      '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1795244760,"NaN"]}]}}',
      { resultType: 'vector', result: [{ metric: {}, value: [at, 'NaN'] }] },
    ],
    [
      'infinity',
      '{"status":"success","data":{"resultType":"vector","result":[{"metric":{"case":"inf"},"value":[1795244760,"+Inf"]}]}}',
      { resultType: 'vector', result: [{ metric: { case: 'inf' }, value: [at, '+Inf'] }] },
    ],
    [
      'a scalar',
      '{"status":"success","data":{"resultType":"scalar","result":[1795247422.335,"1"]}}',
      { resultType: 'scalar', result: [1_795_247_422.335, '1'] },
    ],
    [
      'a string',
      '{"status":"success","data":{"resultType":"string","result":[1795244760,"a string"]}}',
      { resultType: 'string', result: [at, 'a string'] },
    ],
    [
      'a matrix',
      '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"case":"ratio"},"values":[[1795244700,"0.9995"],[1795244760,"0.9995"]]}]}}',
      {
        resultType: 'matrix',
        result: [
          {
            metric: { case: 'ratio' },
            values: [
              [at - 60, '0.9995'],
              [at, '0.9995'],
            ],
          },
        ],
      },
    ],
    [
      'a native histogram',
      '{"status":"success","data":{"resultType":"vector","result":[{"metric":{"job":"a"},"histogram":[1795247477.756,{"count":"7","sum":"0.002","buckets":[[0,"0.0001","0.0002","1"]]}]}]}}',
      {
        resultType: 'vector',
        result: [
          {
            metric: { job: 'a' },
            histogram: [1_795_247_477.756, { count: '7', sum: '0.002', buckets: [[0, '0.0001', '0.0002', '1']] }],
          },
        ],
      },
    ],
  ])('of %s is read as it is', async (_what, body, data) => {
    const { source } = troubled({ body, headers: { 'Content-Type': 'application/stream+json; charset=utf-8' } })
    const answer = await source.instant('x', at)
    expect<unknown>(answer.data).toEqual(data)
    expect(answer).toMatchObject({ warnings: [], infos: [], isPartial: false })
    expect(answer.durationMs).toBeGreaterThan(0)
  })

  test('to a range is a list of series, also of histograms alone', async () => {
    const { source } = troubled({
      body: '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"histograms":[[1795247475,{"count":"2"}]]},{"metric":{"case":"inf"},"values":[[1795244640,"+Inf"],[1795244700,"NaN"]]}]}}',
    })
    expect((await source.range('x', { startSeconds: 0, endSeconds: 60, stepSeconds: 60 })).data).toEqual([
      { metric: {}, values: [], histograms: [[1_795_247_475, { count: '2' }]] },
      {
        metric: { case: 'inf' },
        values: [
          [1_795_244_640, '+Inf'],
          [1_795_244_700, 'NaN'],
        ],
      },
    ])
  })

  test('may be compressed, and may call itself something else', async () => {
    const body = '{"status":"success","data":{"resultType":"scalar","result":[1,"0.5"]}}'
    const { source } = troubled({ body, gzip: true, headers: { 'Content-Type': 'text/plain' } })
    expect((await source.instant('x', at)).data).toEqual({ resultType: 'scalar', result: [1, '0.5'] })
  })

  test.each([
    // Prometheus 2.53 returns infos among the warnings, 3.5 separately.
    [{ warnings: ['PromQL info: metric might not be a counter: "x"'] }, { warnings: [], infos: 1, isPartial: false }],
    [{ infos: ['PromQL info: metric might not be a counter: "x"'] }, { warnings: [], infos: 1, isPartial: false }],
    [
      { warnings: ['PromQL warning: encountered a mix', '3 more warning annotations omitted'] },
      {
        warnings: ['PromQL warning: encountered a mix', '3 more warning annotations omitted'],
        infos: 0,
        isPartial: false,
      },
    ],
    // Thanos, and Prometheus with remote read.
    [
      { warnings: ['receive series from Addr: 10.1.1.1:10901: context deadline exceeded'] },
      { warnings: ['receive series from Addr: 10.1.1.1:10901: context deadline exceeded'], infos: 0, isPartial: true },
    ],
    // A VictoriaMetrics cluster.
    [{ isPartial: true }, { warnings: [], infos: 0, isPartial: true }],
    [{ isPartial: false }, { warnings: [], infos: 0, isPartial: false }],
  ])('with %j is understood', async (remarks, expected) => {
    const data = { resultType: 'vector', result: [] }
    const { source } = troubled({ body: JSON.stringify({ status: 'success', data, ...remarks }) })
    const { warnings, infos, isPartial } = await source.instant('x', at)
    expect({ warnings, infos: infos.length, isPartial }).toEqual(expected)
  })
})
