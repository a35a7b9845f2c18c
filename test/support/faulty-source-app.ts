import { expect } from 'bun:test'
import { type Answer, type TestApp, testApp } from './app.ts'
import { type Fault, type FaultySource, faultySource } from './faulty-source.ts'

type CallOptions = { token?: string }

/** A nines whose first organization has one source, named prod, that fails as ordered. */
export type FaultySourceApp = {
  nines: TestApp
  source: FaultySource
  /** Creates a source and an SLO that needs one query to it. Returns the SLO's id. */
  setUp(dataSource: object, options?: CallOptions): Promise<number>
  /** `more`: further fields of the request. */
  calculate(sloId?: number, options?: CallOptions, more?: object): Promise<Answer>
  query(): Promise<Answer>
  health(options?: CallOptions): Promise<Answer>
  /** Status and error of every execution, oldest first. */
  executions(): Promise<{ status: string; error: string | null }[]>
  close(): Promise<void>
}

/** The bearer token that the source requires, and that it repeats in its answers. */
export const secret = 'sekrit-bearer-token'

export async function faultySourceApp({ timeoutSeconds }: { timeoutSeconds: number }): Promise<FaultySourceApp> {
  const limitMs = timeoutSeconds * 1000 + 1000
  const source = faultySource()
  const nines = await testApp({ env: { SOURCE_TIMEOUT: String(timeoutSeconds) } })
  const ask = (...[method, path, body, options]: Parameters<TestApp['call']>) =>
    inTime(nines, limitMs, nines.call(method, `/api/v1${path}`, body, options))

  async function setUp(dataSource: object, options: CallOptions = {}): Promise<number> {
    const slo = { name: 'SLO', target: 99.9, time_window: '1h', metric_type: 'availability' }
    const measured = { ...slo, metric_query: 'avg_over_time(availability[5m])' }
    expect((await ask('POST', '/tsdb/sources', dataSource, options)).status).toBe(201)
    const { status, body } = await ask('POST', '/slos', measured, options)
    expect(status).toBe(201)
    return body.id
  }

  await nines.join('ada')
  const ownSlo = await setUp({ name: 'prod', api_url: source.url, auth: { bearer: { token: secret } } })
  return {
    nines,
    source,
    setUp,
    calculate: (sloId = ownSlo, options = {}, more = {}) =>
      ask('POST', '/tsdb/calculate-slo', { slo_id: sloId, time_window: '1h', ...more }, options),
    query: () => ask('POST', '/tsdb/query', { query: 'availability' }),
    health: (options = {}) => ask('GET', '/tsdb/health', undefined, options),
    async executions() {
      await nines.app.executions.flush()
      return nines.app.db.read.selectFrom('executions').select(['status', 'error']).orderBy('id').execute()
    },
    async close() {
      await nines.close()
      source.close()
    },
  }
}

/**
 * Checks that an answer comes within the source's timeout plus one second, and that neither it nor the log contains secrets.
 */
async function inTime(nines: TestApp, limitMs: number, asking: Promise<Answer>): Promise<Answer> {
  const began = performance.now()
  const answer = await asking
  expect(performance.now() - began).toBeLessThan(limitMs)
  for (const text of [answer.text, ...nines.logged]) {
    expect(text).not.toContain(secret)
    expect(text).not.toContain('key=hidden') // in the canned redirect
    expect(text).not.toMatch(/\bat .*:\d+:\d+/) // a stack trace
  }
  return answer
}

/** Answers with a status and secrets in the body: as plain text, as Prometheus JSON, as HTML. */
export const inWords = (status: number): Fault => ({ status, body: said, headers: { 'Content-Type': 'text/plain' } })
export const inJson = (status: number): Fault => ({
  status,
  body: JSON.stringify({ status: 'error', errorType: 'bad_data', error: said }),
})
export const inHtml = (status: number): Fault => ({ status, body: `<html><body>${said}</body></html>` })

const said = `said ${secret}: no`
