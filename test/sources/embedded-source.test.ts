import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { rulesOf } from '../support/rules-of.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded' } })
  await nines.join('ada')
})
afterEach(() => nines.close())

/** Stores requests of a service: ten a minute for the last two hours, one of them bad. */
function countRequests(organizationId = 1) {
  const endMs = nines.clock.now()
  for (let minute = 0; minute <= 120; minute += 1) {
    const at = endMs - (120 - minute) * 60_000
    nines.app.samples.append(organizationId, labels('200'), at, minute * 9)
    nines.app.samples.append(organizationId, labels('500'), at, minute)
  }
}
const labels = (code: string) =>
  [
    ['__name__', 'http_requests_total'],
    ['code', code],
  ] as const
const ask = (query: string, token?: string) =>
  nines.call('POST', '/api/v1/tsdb/query', { query }, token === undefined ? {} : { token })

describe('the embedded source', () => {
  test('is what a new organization begins with', async () => {
    const { body } = await nines.call('GET', '/api/v1/tsdb/sources')
    expect(body.sources).toMatchObject([{ name: 'default', api_url: 'embedded', auth: null, is_default: true }])
    const health = await nines.call('GET', '/api/v1/tsdb/health')
    expect(health.body).toMatchObject({ data_sources: [{ api_url: 'embedded', status: 'healthy' }] })
  })

  test('answers from the samples of its organization, and of no other', async () => {
    countRequests()
    const { body } = await ask('sum by (code) (increase(http_requests_total[1h]))')
    expect(body.query_result.result).toEqual([
      { metric: { code: '200' }, value: [nines.clock.now() / 1000, '540'] },
      { metric: { code: '500' }, value: [nines.clock.now() / 1000, '60'] },
    ])
    expect((await ask('http_requests_total', await nines.join('eve'))).body.query_result.result).toEqual([])
  })

  test('measures an SLO', async () => {
    countRequests()
    const metric_query = 'sum(rate(http_requests_total{code!~"5.."}[5m])) / sum(rate(http_requests_total[5m]))'
    const slo = { name: 'shop', target: 95, time_window: '1h', metric_type: 'availability', metric_query }
    const { body } = await nines.call('POST', '/api/v1/slos', slo)
    const answer = await nines.call('POST', '/api/v1/tsdb/calculate-slo', { slo_id: body.id, time_window: '1h' })
    expect(answer.body).toMatchObject({ current_value: expect.closeTo(90, 6), status: 'critical' })
  })

  test.each([
    ['up +', 'parse error at character 5: it ends too early'],
    ['holt_winters(up[1h], 0.1, 0.1)', 'it knows no function “holt_winters”'],
    ['start_timestamp(up)', 'the embedded source does not do'],
    ['{a=~".*"}', 'vector selector must contain at least one non-empty matcher'],
  ])('refuses %s', async (query, expected) => {
    const { status, body } = await ask(query)
    expect([status, body.details]).toEqual([400, expect.stringContaining(expected)])
  })

  test('can be added like any other, without credentials', async () => {
    const source = { name: 'inside', api_url: 'embedded' }
    const added = await nines.call('POST', '/api/v1/tsdb/sources', source)
    expect(added).toMatchObject({ status: 201, body: { api_url: 'embedded' } })
    const auth = { bearer: { token: 'secret' } }
    for (const answer of [
      await nines.call('POST', '/api/v1/tsdb/sources', { ...source, name: 'second', auth }),
      await nines.call('PUT', `/api/v1/tsdb/sources/${added.body.id}`, { auth }),
    ])
      expect([answer.status, rulesOf(answer.body)]).toEqual([400, 'auth: cannot be sent with the embedded source'])
  })
})
