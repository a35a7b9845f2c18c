import { describe, expect, test } from 'bun:test'
import { calculator, day, twoSided } from '../support/calculator.ts'
import type { FakeReply } from '../support/fake-source.ts'

const on = calculator()

describe('two sides', () => {
  const bad = '1 - sum(rate(bad[5m])) / sum(rate(all[5m]))'

  test.each([
    ['nothing has failed', bad, { '(all[': 10 }, { current_value: 100, status: 'healthy' }],
    ['nothing went well', twoSided, { '/': null, '(ok[': null, '(all[': 10 }, { current_value: 0, status: 'critical' }],
    [
      'there was no traffic',
      bad,
      { '/': NaN, '(bad[': 0, '(all[': 0 },
      { current_value: null, status_reason: 'no_traffic' },
    ],
    ['there are no series', bad, {}, { current_value: null, status_reason: 'no_data' }],
    [
      'the sides have no labels in common',
      twoSided,
      { '/': null, '(ok[': 5, '(all[': 10 },
      { current_value: null, status_reason: 'no_data' },
    ],
  ])('tell an empty whole apart: %s', async (_, metric_query, table, expected) => {
    on.source.script((expression) => {
      if (expression.startsWith('count_over_time')) return null
      const found = Object.entries(table).find(([key]) => expression.includes(key))
      const whole = expression.includes('/') && !('/' in table)
      return whole || !found ? null : (found[1] as FakeReply)
    })
    const { status, body } = await on.calculate({ metric_query })
    expect(status).toBe(200)
    expect(body).toMatchObject(expected)
    if (body.current_value === null) expect([body.status, body.error_budget_used]).toEqual(['unknown', null])
  })

  test('weigh several series by their events', async () => {
    const by = (a: number, b: number) => [
      { labels: { instance: 'a' }, value: a },
      { labels: { instance: 'b' }, value: b },
    ]
    on.answers({ '/': by(1, 0.5), '(ok[': by(90, 5), '(all[': by(90, 10) })
    const metric_query = 'sum by (instance) (rate(ok[5m])) / sum by (instance) (rate(all[5m]))'
    const { body } = await on.calculate({ metric_query })
    expect(body.current_value).toBeCloseTo(95, 9)
    expect(body.query_metrics).toMatchObject({ good_events: 95, total_events: 100 })
  })

  test('that do not reproduce the whole are left out', async () => {
    on.answers({ '/': 0.9, '(ok[': 50, '(all[': 100 })
    const { body } = await on.calculate({ metric_query: twoSided })
    expect([body.current_value, body.query_metrics]).toEqual([90, null])
  })

  test('in percent give the same', async () => {
    on.answers({ '/': 99.5, '(bad[': 0.05 * day, '(all[': 10 * day })
    const { body } = await on.calculate({ metric_query: '100 - 100 * sum(rate(bad[5m])) / sum(rate(all[5m]))' })
    expect(body).toMatchObject({ current_value: 99.5, metadata: { unit: 'percent' } })
    expect(body.query_metrics).toEqual({
      good_events: Math.round(9.95 * day),
      total_events: 10 * day,
      window_seconds: day,
    })
  })

  test('of which the failing one exceeds the total a little are 0, not unknown', async () => {
    on.answers({ '/': -0.02, '(bad[': 10.2, '(all[': 10 })
    expect((await on.calculate({ metric_query: bad })).body).toMatchObject({ current_value: 0, status: 'critical' })
  })

  test('as a pair are composed, and count events as they are', async () => {
    on.answers({ '/': 0.75, '(ok[': 75, '(all[': 100 })
    const { body } = await on.calculate({
      good_query: 'sum(increase(ok[5m]))',
      total_query: 'sum(increase(all[5m])) # all',
    })
    expect(body.query_metrics).toMatchObject({ good_events: 75, total_events: 100 })
    expect(body.current_value).toBe(75)
  })
})

describe('what may come back', () => {
  const gauge = 'job:sli:ratio'
  const single = async (reply: FakeReply, slo: object = {}) => {
    on.source.script(() => reply)
    const { body } = await on.calculate({ metric_query: 'avg_over_time(sli[5m])', ...slo })
    return body
  }

  test.each([
    [0.9995, { current_value: 99.95, metadata: { unit: 'ratio' } }],
    [99.95, { current_value: 99.95, metadata: { unit: 'percent' } }],
    [1.04, { current_value: 100, metadata: { unit: 'ratio' } }],
    [{ scalar: 0.999 }, { current_value: 99.9 }],
    [0, { current_value: 0, metadata: { unit: null } }],
    [106, { current_value: null, status_reason: 'out_of_range' }],
    [104, { current_value: 100 }],
    [-0.5, { current_value: null, status_reason: 'out_of_range' }],
    [NaN, { current_value: null, status_reason: 'no_data' }],
    [null, { current_value: null, status_reason: 'no_data' }],
    [Infinity, { current_value: null, status_reason: 'not_a_number' }],
    [-Infinity, { current_value: null, status_reason: 'not_a_number' }],
    [{ text: 'hello' }, { current_value: null, status_reason: 'not_a_number' }],
  ])('%p', async (reply, expected) => {
    const body = await single(reply)
    expect(body).toMatchObject(expected)
    expect(body.status === 'unknown').toBe(body.current_value === null)
    expect(body.error_budget_used === null).toBe(body.current_value === null)
    expect(typeof body.status_message === 'string').toBe(body.current_value === null)
  })

  test('of several series is their plain mean, with a note', async () => {
    const reply = [0.9, 0.8, NaN].map((value, index) => ({ labels: { at: String(index) }, value }))
    const body = await single(reply)
    expect(body.current_value).toBeCloseTo(85, 9)
    expect(body.warnings).toEqual(['2 series; aggregate them'])
  })

  test('keeps the warnings of the source, and marks a partial answer', async () => {
    const body = await single({ value: 0.99, warnings: ['one store did not answer'], isPartial: true })
    expect(body.warnings).toEqual(['one store did not answer'])
    expect(body.metadata.partial).toBe(true)
  })

  test('a raw quantity is unknown, and the source is not queried', async () => {
    const body = await single(0.2, {
      metric_type: 'latency',
      metric_query: 'histogram_quantile(0.95, sum by (le) (rate(x_bucket[5m])))',
    })
    expect(body).toMatchObject({ status: 'unknown', status_reason: 'not_a_ratio' })
    expect(body.status_message).toContain('threshold')
    expect(on.source.asked).toEqual([])
  })

  test('an empty answer to a widened expression is checked once against the expression as stored', async () => {
    on.answers({ '[5m]': 0.97 })
    const { body } = await on.calculate({ metric_query: 'avg_over_time(sli[5m])' })
    expect(body).toMatchObject({
      current_value: 97,
      metadata: { window_method: 'as_stored', expression: 'avg_over_time(sli[5m])' },
    })
  })

  test('a refused query is 500 with the source’s message, and recorded', async () => {
    on.source.script(() => {
      throw new Error('many-to-many matching not allowed')
    })
    const { status, body } = await on.calculate({ metric_query: gauge })
    expect([status, body]).toEqual([
      500,
      { success: false, error: 'metrics source refused the query', details: 'many-to-many matching not allowed' },
    ])
    const rows = await on.nines.app.db.read
      .selectFrom('executions')
      .select(['status', 'error', 'result_samples'])
      .execute()
    expect(rows).toHaveLength(2)
    for (const row of rows) {
      const error = 'metrics source refused the query: many-to-many matching not allowed'
      expect(row).toEqual({ status: 'error', error, result_samples: 0 })
    }
  })
})
