import { afterEach, describe, expect, test } from 'bun:test'
import { closeAll } from '../../support/closing.ts'
import type { Fault } from '../../support/faulty-source.ts'
import { at, failure, troubled } from '../../support/troubled-source.ts'

afterEach(closeAll)

describe('a source that refuses', () => {
  test.each([
    [
      400, // Prometheus 2.42
      '{"status":"error","errorType":"bad_data","error":"invalid parameter \\"query\\": 1:16: parse error: unclosed left parenthesis"}',
      'invalid parameter "query": 1:16: parse error: unclosed left parenthesis',
    ],
    [
      422, // VictoriaMetrics 1.145
      '{"status":"error","errorType":"422","error":"error when executing query=\\"sum(\\":\\n argList: unexpected token"}',
      'error when executing query="sum(": argList: unexpected token',
    ],
    [400, 'the page of somebody else', 'HTTP 400 without an error in JSON'],
    [422, '', 'HTTP 422 without an error in JSON'],
    [422, JSON.stringify({ status: 'error', error: 'y'.repeat(2000) }), `${'y'.repeat(499)}…`],
  ])('with %p is quoted, and not sent again', async (status, body, details) => {
    const { server, source } = troubled({ status, body })
    expect(await failure(source.instant('sum(', at))).toEqual({
      kind: 'source_refused',
      message: 'metrics source refused the query',
      details,
    })
    expect(server.asked).toHaveLength(1)
  })

  test('and repeats its credentials does not betray them', async () => {
    const { source } = troubled(
      { status: 400, body: '{"error":"cannot find the provided auth token \\"Bearer tok-123\\" in config"}' },
      { auth: { bearer: { token: 'tok-123' } } },
    )
    expect((await failure(source.instant('x', at))).details).toBe(
      'cannot find the provided auth token "Bearer ***" in config',
    )
  })

  test.each([
    [404, '{"error":"no such address"}', 'address', 'prod: HTTP 404, check its address: no such ***'],
    [400, '{"error":"no rate in pirates"}', 'rate', 'no *** in pirates'],
  ])(
    'with %p: a secret that is a common word is masked in what the source said alone',
    async (status, body, token, details) => {
      const { source } = troubled({ status, body }, { auth: { bearer: { token } } })
      expect((await failure(source.instant('x', at))).details).toBe(details)
    },
  )
})

describe('a source that gives no usable answer', () => {
  const noAnswer = 'metrics source did not answer'
  const unusable = 'metrics source gave no usable answer'

  test.each<[Fault, string, string]>([
    ['reset', noAnswer, 'prod: connection lost before the answer was complete'],
    ['cut', noAnswer, 'prod: connection lost before the answer was complete'],
    ['not-http', unusable, 'prod: the answer is not HTTP'],
    ['html', unusable, 'prod: answered with HTML, not JSON'],
    ['broken-json', unusable, 'prod: answered with broken JSON'],
    ['garbled-gzip', unusable, 'prod: the body is not compressed as it claims'],
    ['redirect', unusable, 'prod: HTTP 302, a redirect to https://login.example, which is not followed'],
    ['timeout-503', unusable, 'prod: HTTP 503: query timed out in expression evaluation'],
    ['too-many-429', unusable, 'prod: HTTP 429, it asks for fewer queries'],
    [{ status: 401, body: 'no org id\n' }, unusable, 'prod: HTTP 401, check its credentials'],
    [{ status: 403 }, unusable, 'prod: HTTP 403, check its credentials'],
    [{ status: 404, body: '404 page not found\n' }, unusable, 'prod: HTTP 404, check its address'],
    [{ status: 405 }, unusable, 'prod: HTTP 405, check its address'],
    [{ status: 500, body: '<html><h1>Oops</h1>' }, unusable, 'prod: HTTP 500'],
    [{ status: 502, body: 'bad gateway' }, unusable, 'prod: HTTP 502'],
    [{ status: 503, body: 'starting' }, unusable, 'prod: HTTP 503'],
    [{ status: 400, body: '<html><h1>Bad Request</h1>' }, unusable, 'prod: HTTP 400'],
    [{ body: '' }, unusable, 'prod: answered with an empty body'],
    [{ body: '[]' }, unusable, 'prod: answered with JSON that is not a query result'],
    [{ body: '{"status":"success"}' }, unusable, 'prod: answered with JSON that is not a query result'],
    [{ body: '{"status":"error","error":"no"}' }, unusable, 'prod: answered with a status that is not success: no'],
    [{ bodyBytes: 1000 }, unusable, 'prod: answered with JSON that is not a query result'],
  ])('%j: %s', async (fault, message, details) => {
    const { source } = troubled(fault)
    expect(await failure(source.instant('x', at))).toEqual({ kind: 'source_unavailable', message, details })
  })

  test.each([
    '{"resultType":"vector","result":{}}',
    '{"resultType":"vector","result":[{"metric":{}}]}',
    '{"resultType":"vector","result":[{"metric":{},"value":["1","1"]}]}',
    '{"resultType":"vector","result":[{"metric":{},"value":[1,1]}]}',
    '{"resultType":"vector","result":[{"metric":{},"value":[1,"one"]}]}',
    '{"resultType":"vector","result":[{"metric":{},"value":[1,""]}]}',
    '{"resultType":"vector","result":[{"metric":{"a":1},"value":[1,"1"]}]}',
    '{"resultType":"matrix","result":[{"metric":{},"values":[[1,"1"],[2]]}]}',
    '{"resultType":"scalar","result":[1,"one"]}',
    '{"resultType":"streams","result":[]}',
  ])('because its data is %s', async (data) => {
    const { source } = troubled({ body: `{"status":"success","data":${data}}` })
    const { kind, details } = await failure(source.instant('x', at))
    expect({ kind, details }).toEqual({
      kind: 'source_unavailable',
      details: expect.stringMatching(/^prod: answered with /),
    })
  })

  test('because a range is answered with a vector', async () => {
    const { source } = troubled({ body: '{"status":"success","data":{"resultType":"vector","result":[]}}' })
    const sent = source.range('x', { startSeconds: 0, endSeconds: 60, stepSeconds: 60 })
    expect((await failure(sent)).details).toBe('prod: answered a range query without a matrix')
  })

  test('because nobody listens', async () => {
    const { server, source } = troubled()
    server.close()
    const { kind, details } = await failure(source.instant('x', at))
    expect({ kind, details }).toEqual({ kind: 'source_unavailable', details: 'prod: connection refused' })
  })

  test('because its address is denied is not queried at all', async () => {
    const { server, source } = troubled('ok', { deny: ['127.0.0.0/8'] })
    expect(await failure(source.instant('x', at))).toEqual({
      kind: 'source_unavailable',
      message: 'metrics source may not be reached',
      details: 'prod: the address 127.0.0.1 is denied (OUTBOUND_DENY)',
    })
    expect(server.connections()).toBe(0)
  })

  test('because its address is no URL', async () => {
    const { prometheus, access } = troubled()
    const { kind, details } = await failure(
      prometheus.open({ ...access, apiUrl: 'prometheus:9090/x y' }).instant('x', at),
    )
    expect({ kind, details }).toEqual({
      kind: 'source_unavailable',
      details: 'prod: the address is not an http or https URL',
    })
  })

  test('because a credential cannot be a header, without showing it', async () => {
    const { source } = troubled('ok', { auth: { headers: { 'X-Key': 'hidden\nvalue' } } })
    expect((await failure(source.instant('x', at))).details).toBe(
      'prod: a header has a name or value that HTTP does not allow',
    )
  })

  // VictoriaMetrics 1.145 with -search.maxQueryDuration, whose default equals nines' timeout.
  test('because VictoriaMetrics ran out of time is not called a refusal', async () => {
    const error =
      'cannot execute query: timeout exceeded during query execution: 30.000 seconds (elapsed 30.397 seconds); the timeout can be adjusted with `-search.maxQueryDuration` command-line flag'
    const { source } = troubled({ status: 422, body: JSON.stringify({ status: 'error', errorType: '422', error }) })
    expect(await failure(source.instant('x', at))).toMatchObject({
      kind: 'source_unavailable',
      details: expect.stringContaining('timeout exceeded'),
    })
  })

  test.each<[string, Fault]>([
    ['50 MB', { bodyBytes: 50 << 20 }],
    ['64 MB', { bodyBytes: 64 << 20 }],
    ['64 MB in a few compressed kilobytes', { bodyBytes: 64 << 20, gzip: true }],
  ])('because its body has %s is cut off', async (_size, fault) => {
    const { server, source } = troubled(fault, { timeoutMs: 60_000 }) // not the time is the limit here
    expect((await failure(source.instant('x', at))).details).toBe('prod: answered with more than 16 MB')
    expect(server.sentBytes()).toBeLessThan(48 << 20)
  })

  test('with a large error page gets only its beginning read', async () => {
    const { server, source } = troubled({ status: 500, body: `${'z'.repeat(40 << 20)}` })
    expect((await failure(source.instant('x', at))).details).toBe('prod: HTTP 500')
    expect(server.sentBytes()).toBeLessThan(20 << 20)
  })
})
