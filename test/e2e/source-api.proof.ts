import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { type TestBed, describeOnBed, startBed } from '../support/kit.ts'

type Fields = Record<string, string | string[]>
type Question = [path: string, fields?: Fields]

const asForm = { 'content-type': 'application/x-www-form-urlencoded' }
const takesForms = /^(?:query|query_range|series|labels)$/

function written(fields: Fields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  )
  return String(new URLSearchParams(pairs))
}

// oxlint-disable-next-line typescript/no-explicit-any -- both are assessed as they are
async function askDirectly(url: string, path: string, fields: Fields): Promise<{ status: number; body: any }> {
  const answer = await fetch(`${url}/api/v1/${path}?${written(fields)}`)
  return { status: answer.status, body: await answer.json() }
}

/** Queries of a dashboard, an editor and an explorer to a source whose data end at `now`. */
function questionsAt(now: number): Question[] {
  const hour = { start: String(now - 3600), end: String(now), step: '60' }
  const day = { start: String(now - 86_400), end: String(now) }
  const time = String(now - 17.5)
  const errors = 'sum by (service) (rate(http_requests_total{code=~"5.."}[5m]))'
  const expressions = [
    'count by (service) (http_requests_total)',
    errors,
    'sort_desc(sum by (service) (http_requests_total))',
    'topk(3, sum by (service) (http_requests_total))',
    'demo_sli',
    'demo_sli / 0',
    'up[3m]',
    'nothing_of_this_name',
    '42',
    'histogram_quantile(0.9, sum by (le, service) (rate(http_request_duration_seconds_bucket[1h])))',
  ]
  return [
    ['labels', day],
    ['labels', { ...day, 'match[]': ['http_requests_total{service="checkout"}', 'demo_sli'] }],
    ['label/service/values', day],
    ['label/__name__/values', day],
    ['label/le/values', { ...day, 'match[]': '{__name__=~"http_.*",service=~"check.*|search"}' }],
    ['label/no_such_label/values', day],
    ['series', { ...day, 'match[]': 'http_requests_total' }],
    ['series', { ...day, 'match[]': ['up', 'demo_sli{case!="nan"}'] }],
    ['series', { ...day, 'match[]': 'nothing_of_this_name' }],
    ['metadata'],
    ['metadata', { metric: 'up', limit: '5' }],
    ...expressions.map((query): Question => ['query', { query, time }]),
    ...[errors, 'demo_sli', 'up', 'vector(1)', 'sum(http_requests_total) by (service)'].map((query): Question => [
      'query_range',
      { query, ...hour },
    ]),
    ['query_range', { query: errors, ...day, step: '5m' }],
  ]
}

describeOnBed('a source asked through nines answers as it does itself:', () => {
  let bed: TestBed
  let nines: TestApp
  let viewer = ''
  const ids: Record<string, number> = {}
  beforeAll(async () => {
    bed = await startBed()
    nines = await testApp({ env: { SOURCE_TIMEOUT: '30' } })
    await nines.join('ada')
    viewer = (await nines.call('POST', '/api/v1/auth/tokens', { name: 'grafana', role: 'viewer' })).body.token
    for (const name of ['prometheus', 'victoria'] as const) {
      const { body } = await nines.call('POST', '/api/v1/tsdb/sources', { name, api_url: bed[name] })
      ids[name] = body.id
    }
  }, 120_000)
  afterAll(async () => {
    await nines.close()
    await bed.stop()
  })

  describe.each(['prometheus', 'victoria'] as const)('%s', (name) => {
    test('to everything that is asked', async () => {
      for (const [path, fields = {}] of questionsAt(bed.now)) {
        const { status, data } = (await askDirectly(bed[name], path, fields)).body
        const at = `/api/v1/tsdb/sources/${ids[name]}/prometheus/api/v1/${path}`
        const answers = [await nines.call('GET', `${at}?${written(fields)}`, undefined, { token: viewer })]
        if (takesForms.test(path))
          answers.push(await nines.call('POST', at, written(fields), { token: viewer, headers: asForm }))
        expect(status).toBe('success')
        for (const answer of answers) {
          const asked = { path, fields, code: answer.status, status: answer.body.status }
          const got = { ...asked, data: comparable(name, fields, answer.body.data) }
          expect(got).toEqual({ path, fields, code: 200, status, data: comparable(name, fields, data) })
        }
        if (!/nothing|no_such|metadata/.test(`${path}${written(fields)}`)) expect(sizeOf(data)).toBeGreaterThan(0)
      }
    }, 60_000)

    test('to what it cannot read', async () => {
      for (const [path, fields] of [
        ['query', { query: 'sum(', time: '1' }],
        ['query_range', { query: 'up{', start: '1', end: '2', step: '1' }],
      ] as const) {
        const own = await askDirectly(bed[name], path, fields)
        const { error } = own.body
        const at = `/api/v1/tsdb/sources/${ids[name]}/prometheus/api/v1/${path}?${written(fields)}`
        const { status, body } = await nines.call('GET', at)
        expect([status, body]).toEqual([
          own.status,
          {
            status: 'error',
            errorType: own.status === 400 ? 'bad_data' : 'execution',
            error: error.replaceAll(/\s+/g, ' '),
          },
        ])
      }
    })
  })
})

/** The order of an unsorted vector is not specified; VictoriaMetrics orders everything differently. */
function comparable(source: string, fields: Fields, data: unknown): unknown {
  if (Array.isArray(data)) return source === 'prometheus' ? data : sorted(data)
  const { result, resultType } = data as { result?: unknown; resultType?: unknown }
  const isInOrder = String(fields['query']).startsWith('sort') || (source === 'prometheus' && resultType !== 'vector')
  return Array.isArray(result) && !isInOrder ? { ...(data as object), result: sorted(result) } : data
}

const sorted = (list: unknown[]) => list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

function sizeOf(data: { result?: unknown[] } | unknown[]): number {
  return Array.isArray(data) ? data.length : (data.result?.length ?? 0)
}
