import { describe, expect, test } from 'bun:test'
import { testStartMs } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { calculator, day, nowSeconds, twoSided } from '../support/calculator.ts'
import { windowText } from '../../src/slos/arithmetic/window-names.ts'
import { rulesOf } from '../support/rules-of.ts'

const on = calculator()
const month = 30 * day
const checkout = { name: 'Checkout', target: 99.9, time_window: '30d', metric_type: 'availability' }

/** Sets the increases of good and all events, `sum(increase(ok…` and `sum(increase(all…`, and their ratio. */
const traffic = (ok: (windowSeconds: number) => number, all: number) =>
  on.source.script((expression) => {
    if (expression.startsWith('count_over_time')) return 720
    const windowSeconds = Number(/\[(\d+)s\]/.exec(expression)?.[1])
    if (expression.includes('/')) return ok(windowSeconds) / all
    return windowSeconds * (expression.includes('(ok[') ? ok(windowSeconds) : all)
  })

describe('a calculation', () => {
  test('gives the value of the given window and the budget of the SLO’s own', async () => {
    traffic((window) => (window === day ? 9.95 : 9.996), 10)
    const { status, body } = await on.calculate({ metric_query: twoSided })
    expect(status).toBe(200)
    expect(body).toEqual({
      slo_id: 1,
      slo_name: 'Checkout',
      time_window: '24h',
      start_time: new Date(testStartMs - day * 1000).toISOString(),
      end_time: new Date(testStartMs).toISOString(),
      current_value: expect.closeTo(99.5, 9),
      target_value: 99.9,
      error_budget_used: expect.closeTo(40, 6),
      status: 'warning',
      status_reason: null,
      status_message: null,
      calculated_at: new Date(testStartMs).toISOString(),
      error_budget: {
        time_window: '30d',
        total: 0.1,
        used: expect.closeTo(0.04, 9),
        remaining: expect.closeTo(0.06, 9),
        percentage_used: expect.closeTo(40, 6),
        window_percent_used: null, // it has not been evaluated
        window_percent_estimated: false,
      },
      query_metrics: { good_events: 859_680, total_events: 864_000, window_seconds: day },
      metadata: {
        expression: `sum(increase(ok[${day}s])) / sum(increase(all[${day}s]))`,
        window_method: 'widen',
        unit: 'ratio',
        source_name: 'default',
        partial: false,
        cached: false,
      },
      warnings: [],
    })
  })

  test('queries every part at the same time, in Unix seconds', async () => {
    traffic(() => 10, 10)
    await on.calculate({ metric_query: twoSided }, '24h', { include_details: true })
    expect(on.source.asked.map((question) => 'timeSeconds' in question && question.timeSeconds)).toEqual(
      on.source.asked.map(() => nowSeconds),
    )
  })

  test('over the SLO’s own window queries it once', async () => {
    traffic(() => 9.99, 10)
    const { body } = await on.calculate({ metric_query: twoSided }, '30d')
    expect(on.source.expressions().filter((expression) => expression.includes('/'))).toEqual([
      `sum(increase(ok[${month}s])) / sum(increase(all[${month}s]))`,
    ])
    expect([body.current_value, body.error_budget_used, body.status]).toEqual([
      expect.closeTo(99.9, 9),
      expect.closeTo(100, 6),
      'healthy',
    ])
  })

  test('with details has coverage and every query that was sent', async () => {
    traffic(() => 9.99, 10)
    const { body } = await on.calculate({ metric_query: twoSided }, '1h', { include_details: true })
    expect(body.coverage).toBe(1)
    expect(body.error_budget.coverage).toBe(1)
    expect(body.query_executions).toHaveLength(6)
    expect(body.query_executions[0]).toEqual({
      id: 1,
      query_id: null,
      slo_id: 1,
      execution_time: new Date(testStartMs).toISOString(),
      execution_duration_ms: expect.any(Number),
      status: 'success',
      result_samples: 1,
      metadata: {
        time_range: '1h',
        start_time: new Date(testStartMs - 3_600_000).toISOString(),
        end_time: new Date(testStartMs).toISOString(),
        step_seconds: null,
        source_name: 'default',
        part: 'sli',
        expression: 'sum(increase(ok[3600s])) / sum(increase(all[3600s]))',
        window_method: 'widen',
      },
      created_at: new Date(testStartMs).toISOString(),
    })
    const stored = await on.nines.app.db.read.selectFrom('executions').selectAll().execute()
    expect(stored.map(({ id }) => id)).toEqual(body.query_executions.map(({ id }: { id: number }) => id))
  })

  test('at an end in the past reproduces the past', async () => {
    on.source.script((_, time) => (time === nowSeconds - day ? 0.5 : 1))
    const extend_time = new Date(testStartMs - day * 1000).toISOString().replace('.000Z', '+00:00')
    const { body } = await on.calculate({ metric_query: twoSided }, '1h', { extend_time })
    expect([body.current_value, body.end_time]).toEqual([50, new Date(testStartMs - day * 1000).toISOString()])
  })

  test.each([
    ['too far ahead', new Date(testStartMs + 31_000).toISOString(), 'must be a time that is not in the future'],
    ['without a zone', '2026-11-21T09:00:00', 'must be an ISO 8601 time with a zone'],
    ['a date', '2026-11-21', 'must be an ISO 8601 time with a zone'],
    ['a day that is none', '2026-02-30T00:00:00Z', 'must be an ISO 8601 time with a zone'],
    ['an hour that is none', '2026-11-21T25:00:00Z', 'must be an ISO 8601 time with a zone'],
    ['a number of seconds', '1795255200', 'must be an ISO 8601 time with a zone'],
    ['nothing', '', 'must be an ISO 8601 time with a zone'],
    ['before the epoch', '1960-01-01T00:00:00Z', 'must be a time after 1970'],
  ])('refuses an end that is %s', async (_, extend_time, expected) => {
    const { status, body } = await on.calculate({ metric_query: twoSided }, '1h', { extend_time })
    expect([status, rulesOf(body)]).toEqual([400, `extend_time: ${expected}`])
    expect(on.source.asked).toEqual([])
  })

  test('takes an end within the 30 s that clocks may differ', async () => {
    on.source.script(() => 1)
    const extend_time = new Date(testStartMs + 30_000).toISOString()
    expect((await on.calculate({ metric_query: twoSided }, '1h', { extend_time })).status).toBe(200)
  })

  test.each([
    [{ slo_id: 'x', time_window: '1h' }, 'slo_id: must be the SLO id, a whole number from 1'],
    [{ slo_id: 1, time_window: '10m' }, `time_window: must be ${windowText}, or the window of the SLO`],
    [{ slo_id: 1 }, `time_window: is required: ${windowText}, or the window of the SLO`],
    [{ slo_id: 1, time_window: '1h', include_details: 'yes' }, 'include_details: must be true or false'],
  ])('refuses %p', async (body, details) => {
    const answer = await on.nines.call('POST', '/api/v1/tsdb/calculate-slo', body)
    expect([answer.status, rulesOf(answer.body)]).toEqual([400, details])
  })

  test('of another organization’s SLO answers as for one that does not exist', async () => {
    on.source.script(() => 1)
    await on.calculate({ metric_query: twoSided })
    const token = await on.nines.join('eve')
    const theirs = await on.nines.call(
      'POST',
      '/api/v1/tsdb/calculate-slo',
      { slo_id: 1, time_window: '1h' },
      { token },
    )
    expect([theirs.status, theirs.body]).toEqual([404, { success: false, error: 'SLO not found' }])
  })

  test('without any source says so', async () => {
    const bare = await joinedApp()
    await bare.call('POST', '/api/v1/slos', { ...checkout, metric_query: twoSided })
    const { status, body } = await bare.call('POST', '/api/v1/tsdb/calculate-slo', { slo_id: 1, time_window: '1h' })
    expect([status, body.error]).toEqual([503, 'No active metrics source'])
    await bare.close()
  })
})
