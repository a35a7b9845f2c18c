import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { evaluated, measured, startSeconds } from '../sli/ledger-fixtures.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { type FakeSeries, type FakeSource, fakeSource, type Script } from '../support/fake-source.ts'
import { checkout } from '../support/slo-calls.ts'

const minute = 60
const hour = 3600
const all = 'requests_total{service="shop"}'
const failed = 'requests_total{service="shop",code=~"5.."}'
const pair = { metric_query: null, bad_query: `sum(rate(${failed}[5m]))`, total_query: `sum(rate(${all}[5m]))` }

let source: FakeSource
let nines: TestApp
beforeEach(async () => {
  source = fakeSource(() => null)
  nines = await testApp({ env: { SOURCE_URL: source.url } })
  await nines.join('ada')
})
afterEach(async () => {
  await nines.close()
  source.close()
})

/** An SLO with one incident that ended an hour ago, and the incident's key. */
async function sloWithIncident(slo: object, [from, to] = [-2 * hour, -hour]) {
  const { body } = await nines.call('POST', '/api/v1/slos', { ...checkout, target: 99, time_window: '24h', ...slo })
  await measured(nines, { sloId: body.id, resolution: 60, from, to }, { good: 80, total: 100 })
  await evaluated(nines, body.id, { budgetUsed: 200 })
  source.asked.length = 0
  return { id: Number(body.id), key: startSeconds + from }
}

type Incident = { id: number; key: number | string }
const breakdown = ({ id, key }: Incident, token?: string) =>
  nines.call('GET', `/api/v1/slos/${id}/incidents/${key}/breakdown`, undefined, token ? { token } : {})

/** Routes `/a` to `/d` in two zones; `/b` fails. */
const series = (isBad: boolean): FakeSeries[] =>
  ['/a', '/b', '/c', '/d'].flatMap((route) =>
    ['eu', 'us'].flatMap((zone) => {
      const bad = route === '/b' ? 120 : 1
      const labels = { service: 'shop', route, zone }
      const failures = { labels: { ...labels, code: '503' }, value: bad }
      return isBad ? [failures] : [failures, { labels: { ...labels, code: '200' }, value: 1000 - bad }]
    }),
  )
const selectsFailures = (expression: string) => expression.includes('5..')
const answers: Script = (expression) => series(selectsFailures(expression))

describe('the breakdown of an incident', () => {
  test('ranks the label first whose values explain it, by one instant query for each selector at its end', async () => {
    source.script(answers)
    const { status, body } = await breakdown(await sloWithIncident(pair))
    expect(status).toBe(200)
    expect(body).toMatchObject({
      began_at: '2026-11-21T08:00:00.000Z',
      ended_at: '2026-11-21T09:00:00.000Z',
      bad_events: 1200,
      resolution_seconds: 60,
      possible: true,
      reason: null,
    })
    expect(body.labels.map((one: { label: string }) => one.label)).toEqual(['route', 'code', 'zone'])
    const [first] = body.labels[0].values
    expect(first).toEqual({
      value: '/b',
      bad_events: 240,
      total_events: 2000,
      failures_percent: expect.closeTo((100 * 240) / 246, 6),
      traffic_percent: 25,
    })
    expect(source.asked).toHaveLength(2)
    for (const one of source.asked) {
      expect(one).toMatchObject({ kind: 'instant', timeSeconds: startSeconds - hour })
      expect(one.expression).toContain('[3600s]')
    }
  })

  test('is found by any second of it, and kept once it is over', async () => {
    source.script(answers)
    const { id, key } = await sloWithIncident(pair)
    const causes = async () =>
      (await nines.call('GET', `/api/v1/slos/${id}/incidents`)).body.incidents.map(
        (one: { cause: unknown }) => one.cause,
      )
    expect(await causes()).toEqual([null])
    const first = await breakdown({ id, key: key + 600 })
    expect(await causes()).toEqual([{ label: 'route', value: '/b' }])
    source.script(() => {
      throw new Error('asked again')
    })
    nines.clock.advance(60_000)
    expect((await breakdown({ id, key })).body).toEqual(first.body)
  })

  test('is asked for once by many at the same time, and again after half a minute while it goes on', async () => {
    source.script(answers)
    const one = await sloWithIncident(pair, [-20 * minute, 0])
    await Promise.all([breakdown(one), breakdown(one), breakdown(one)])
    expect(source.asked).toHaveLength(2)
    nines.clock.advance(31_000)
    expect((await breakdown(one)).body).toMatchObject({ ongoing: true, possible: true })
    expect(source.asked).toHaveLength(4)
  })

  test('is added up by the source where there are more than 2,000 series', async () => {
    const pods = Array.from({ length: 2100 }, (_, at) => ({ labels: { pod: `p${at}`, route: `/${at % 4}` }, value: 1 }))
    source.script((expression) => {
      const [, label] = /sum by \((\w+)\)/.exec(expression) ?? []
      const bad = selectsFailures(expression)
      if (label === 'route') {
        return ['/0', '/1', '/2', '/3'].map((route) => ({
          labels: { route },
          value: bad ? (route === '/2' ? 500 : 0) : 525,
        }))
      }
      return label ? null : pods.slice(0, bad ? 10 : 2001)
    })
    const { body } = await breakdown(await sloWithIncident(pair))
    expect(body.labels).toMatchObject([
      {
        label: 'route',
        values_needed: 1,
        values: [{ value: '/2', failures_percent: 100, traffic_percent: 25 }, {}, {}, {}],
      },
    ])
    expect(source.expressions().filter((expression) => expression.includes('pod'))).toEqual([])
    expect(source.asked).toHaveLength(4)
  })
})

describe('it is not possible, and says why,', () => {
  const threshold = { metric_query: 'queue_length', threshold: 5, threshold_op: 'lte' }
  test.each([
    ['for a threshold', threshold, 'This SLI is the share of time in which a threshold holds.'],
    ['for a mean', { metric_query: 'avg_over_time(probe_success[5m])' }, 'This SLI is a mean over time.'],
    [
      'for a ratio of no counters',
      { metric_query: 'sum(sum_over_time(a[5m])) / sum(count_over_time(a[5m]))' },
      'The query of this SLI is not',
    ],
  ])('%s', async (_, slo, reason) => {
    const { status, body } = await breakdown(await sloWithIncident(slo))
    expect(status).toBe(200)
    expect(body).toMatchObject({ possible: false, reason: expect.stringContaining(reason), labels: [] })
  })

  test.each([
    ['the source no longer has the counters', () => null, 'The source no longer has the counters of that time.'],
    [
      'all is counted in one series',
      () => [{ labels: { service: 'shop' }, value: 9 }],
      'All events are counted in one series',
    ],
    [
      'no label has several values',
      () =>
        series(false)
          .map(({ value }, at) => ({ labels: { pod: 'a', at: `${at}` }, value }))
          .concat(Array.from({ length: 60 }, (_, at) => ({ labels: { pod: 'a', at: `x${at}` }, value: 1 }))),
      'No label of the series has 2 to 50 values',
    ],
  ] as [string, Script, string][])('where %s', async (_, script, reason) => {
    source.script(script)
    const one = await sloWithIncident(pair)
    expect((await breakdown(one)).body).toMatchObject({ possible: false, reason: expect.stringContaining(reason) })
    source.script(answers)
    nines.clock.advance(31_000)
    expect((await breakdown(one)).body).toMatchObject({ possible: true, reason: null })
  })

  test('as an error, while the source does not answer or refuses; and then it is', async () => {
    const one = await sloWithIncident(pair)
    source.script(() => {
      throw new Error('query processing would load too many samples')
    })
    const refused = await breakdown(one)
    expect([refused.status, refused.body.details]).toEqual([500, expect.stringContaining('too many samples')])
    source.script(() => ({ value: 1, isPartial: true }))
    expect((await breakdown(one)).status).toBe(503)
    source.script(answers)
    expect((await breakdown(one)).status).toBe(200)
    source.close()
    expect((await breakdown(await sloWithIncident(pair))).status).toBe(503)
  })
})

test('an unknown incident is not found, and nothing of another organization is', async () => {
  source.script(answers)
  const { id, key } = await sloWithIncident(pair)
  expect((await breakdown({ id, key: key - 1 })).body.error).toBe('Incident not found')
  expect((await breakdown({ id, key: key + hour })).status).toBe(404)
  expect((await breakdown({ id: id + 1, key })).body.error).toBe('SLO not found')
  expect((await breakdown({ id, key }, await nines.join('eve'))).body.error).toBe('SLO not found')
  const wrong = await breakdown({ id, key: 'latest' })
  expect([wrong.status, wrong.body.problems]).toEqual([400, [expect.objectContaining({ field: 'key' })]])
  expect(source.asked).toHaveLength(0)
})
