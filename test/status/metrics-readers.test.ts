import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { readExposition } from '../support/exposition.ts'
import { fakeSource } from '../support/fake-source.ts'
import { checkout } from '../support/slo-calls.ts'

let nines: TestApp
let source: ReturnType<typeof fakeSource>
let tokens: string[] = []

beforeEach(async () => {
  source = fakeSource(() => 0.9995)
  nines = await testApp({ env: { SOURCE_URL: source.url } })
  tokens = [await nines.join('ada'), await nines.join('eve')]
  for (const [at, token] of tokens.entries())
    await nines.call('POST', '/api/v1/slos', { ...checkout, name: `SLO ${at}`, labels: { tier: `t${at}` } }, { token })
  await nines.app.evaluator.evaluateAll()
})
afterEach(async () => {
  await nines.close()
  source.close()
})

const read = (token: string | null) => nines.call('GET', '/metrics', undefined, { token })

test('without METRICS_TOKEN a stranger reads of the process, and of no organization, SLO or source', async () => {
  const { status, text } = await read(null)
  expect(status).toBe(200)
  expect(text).not.toMatch(/slo_name|organization=|slo_id|source_id|ada Inc|SLO 0|label_tier|slo_status/)
  const { value, types, all } = readExposition(text)
  expect(value('up', { service: 'nines' })).toBe(1)
  expect([value('nines_slos'), types.get('http_request_duration_seconds')]).toEqual([2, 'histogram'])
  expect(all('http_requests_total').length).toBeGreaterThan(0)
})

test('without METRICS_TOKEN the token of an organization adds the series of its own SLOs', async () => {
  for (const [at, token] of tokens.entries()) {
    const { all, value } = readExposition((await read(token)).text)
    expect(new Set(all('slo_status').map(({ labels }) => labels['slo_name']))).toEqual(new Set([`SLO ${at}`]))
    expect(all('slo_labels_info').map(({ labels }) => labels['label_tier'])).toEqual([`t${at}`])
    expect(value('nines_slos')).toBe(2)
    expect(all('nines_source_requests_total')).toEqual([])
  }
  const { body } = await nines.call('POST', '/api/v1/auth/tokens', { name: 'prometheus', role: 'viewer' })
  expect((await read(body.token)).text).toContain('slo_name="SLO 0"')
  expect((await read('not-a-token')).status).toBe(401)
})

test('what the first organization collects of nines itself has its own sources and SLOs, and no others', async () => {
  const read = nines.app.internalTargets.get('metrics')
  if (!read) throw new Error('nines exposes nothing of itself')
  const { all } = readExposition(Buffer.from(await read()).toString())
  const sources = nines.app.db.read.selectFrom('data_sources').where('api_url', '=', source.url)
  const { id } = await sources.where('organization_id', '=', 1).select('id').executeTakeFirstOrThrow()
  for (const name of ['nines_source_requests_total', 'nines_source_request_duration_seconds_count'])
    expect([name, new Set(all(name).map(({ labels }) => labels['source_id']))]).toEqual([name, new Set([String(id)])])
  expect(new Set(all('slo_status').map(({ labels }) => labels['slo_name']))).toEqual(new Set(['SLO 0']))
})

test('the series of all organizations are for METRICS_TOKEN alone, which a token of an organization does not replace', async () => {
  const guarded = await testApp({ env: { METRICS_TOKEN: 'sesame' } })
  const token = await guarded.join('ada')
  await guarded.call('POST', '/api/v1/slos', checkout, { token })
  const statuses: number[] = []
  for (const one of [null, token, 'sesame'])
    statuses.push((await guarded.call('GET', '/metrics', undefined, { token: one })).status)
  expect(statuses).toEqual([401, 401, 200])
  expect((await guarded.call('GET', '/metrics', undefined, { token: 'sesame' })).text).toContain(
    'organization="ada Inc"',
  )
  await guarded.close()
})

test.each(['/health', '/ready', '/api/v1/health', '/api/v1/status/public', '/docs', '/openapi.json', '/docs/start.js'])(
  '%s names no organization, SLO or person',
  async (path) => {
    const { status, text } = await nines.call('GET', path, undefined, { token: null })
    expect(status).toBe(200)
    expect(text).not.toMatch(/ada Inc|eve Inc|SLO 0|SLO 1|eve@example\.com/)
  },
)
