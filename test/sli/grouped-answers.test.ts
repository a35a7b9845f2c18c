import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { collectCounter, resultsOfQuery } from '../support/collected-counters.ts'

let nines: TestApp
beforeAll(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded' } })
  await nines.join('ada')
  // A tenth of the requests fail, all of them in a job that never succeeds.
  collectCounter(nines, 'c_total', { job: 'shop', code: '200' }, { growth: 9 })
  collectCounter(nines, 'c_total', { job: 'broken', code: '500' }, { growth: 1 })
  collectCounter(nines, 'ok_total', { job: 'shop' }, { growth: 9 })
  collectCounter(nines, 'all_total', { job: 'shop' }, { growth: 9 })
  collectCounter(nines, 'all_total', { job: 'broken' }, { growth: 1 })
  for (const [le, growth] of [
    ['0.3', 9],
    ['+Inf', 10],
  ] as const)
    collectCounter(nines, 'x_bucket', { le }, { growth })
  collectCounter(nines, 'x_count', {}, { growth: 10 })
})
afterAll(() => nines.close())

const everything = (metric_query: string) => resultsOfQuery(nines, metric_query)

const byCode = 'Both sides are matched by code'
const leftOut = 'Some series of the total have none in what is counted'

describe('a ratio by labels is that of all events, and says where its spelling is not', () => {
  test.each([
    ['sum by (code) (c_total{code="200"}) / sum by (code) (c_total)', byCode],
    ['sum by (code) (rate(c_total{code="200"}[5m])) / sum by (code) (rate(c_total[5m]))', byCode],
    ['1 - sum by (code) (rate(c_total{code="500"}[5m])) / on (code) sum by (code) (rate(c_total[5m]))', byCode],
    ['max by (code) (increase(c_total{code="200"}[5m])) / max by (code) (increase(c_total[5m]))', byCode],
    ['sum by (job) (rate(c_total{code="200"}[5m])) / sum by (job) (rate(c_total[5m]))', leftOut],
    ['rate(ok_total[5m]) / rate(all_total[5m])', leftOut],
    ['rate(ok_total[5m]) / on (job) group_left rate(all_total[5m])', leftOut],
    ['sum by (code) (rate(c_total{code="200"}[5m])) / ignoring (code) group_left sum(rate(c_total[5m]))', null],
    ['sum(rate(x_bucket{le="0.3"}[5m])) / sum(rate(x_bucket{le="+Inf"}[5m]))', null],
  ])('%s', async (metric_query, note) => {
    const { preview, created, calculated, evaluated } = await everything(metric_query)
    expect(calculated).toMatchObject({ current_value: expect.closeTo(90, 6), status: 'critical' })
    expect(evaluated).toMatchObject({ current: expect.closeTo(90, 6), own: expect.closeTo(90, 6) })
    expect(preview.current.sli).toBeCloseTo(90, 6)
    const said = note === null ? [] : [expect.stringContaining(note)]
    expect(calculated.warnings).toEqual(expect.arrayContaining(said))
    if (note === leftOut)
      expect(preview.problems[0]).toMatchObject({ field: 'metric_query', message: said[0], hint: null })
    if (note === byCode)
      expect([created.warnings, preview.warnings]).toEqual([said, said].map((one) => expect.arrayContaining(one)))
  })
})

test('a ratio of one label value is that of its own events', async () => {
  const { calculated, evaluated } = await everything(
    'sum by (job) (rate(ok_total[5m])) / sum by (job) (rate(all_total{job="shop"}[5m]))',
  )
  expect([calculated.current_value, evaluated?.own]).toEqual([100, 100])
  expect(calculated).toMatchObject({ query_metrics: { good_events: 540, total_events: 540 }, warnings: [] })
})

test('buckets that are added up have no SLI, and preview, creation and evaluation say what mends it', async () => {
  const { preview, created, calculated, evaluated } = await everything(
    'sum(rate(x_bucket{le="0.3"}[5m])) / sum(rate(x_bucket[5m]))',
  )
  const sentence = expect.stringContaining('for all events, read x_count, or le="+Inf"')
  expect(calculated).toMatchObject({ current_value: null, status: 'unknown', status_message: sentence })
  expect(evaluated).toMatchObject({ status: 'unknown', message: sentence })
  expect(preview.problems[0].message).toEqual(sentence)
  expect(created.warnings[0]).toEqual(sentence)
})
