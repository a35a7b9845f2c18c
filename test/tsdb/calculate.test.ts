import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp, testStartMs } from '../support/app.ts'
import { type FakeReply, type FakeSource, fakeSource } from '../support/fake-source.ts'

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

const nowSeconds = testStartMs / 1000
const checkout = { name: 'Checkout', target: 99.9, time_window: '30d', metric_type: 'availability' }
const twoSided = 'sum(rate(ok[5m])) / sum(rate(all[5m]))'

/** Creates an SLO and calculates it over a window. */
async function calculate(slo: object, window = '24h', extra: object = {}) {
  const created = await nines.call('POST', '/api/v1/slos', { ...checkout, ...slo })
  expect(created.status).toBe(201)
  return again(created.body.id, window, extra)
}
const again = (id: number, window = '24h', extra: object = {}) =>
  nines.call('POST', '/api/v1/tsdb/calculate-slo', { slo_id: id, time_window: window, ...extra })

/** Answers each expression that contains a key with its value; the first that fits. */
const answers = (table: Record<string, FakeReply>) =>
  source.script((expression) => {
    const found = Object.entries(table).find(([key]) => expression.includes(key))
    return found ? found[1] : null
  })

/** Rates of good and of all events: `sum(rate(ok…` and `sum(rate(all…`, and the ratio of them. */
const traffic = (ok: (windowSeconds: number) => number, all: number) =>
  source.script((expression) => {
    if (expression.startsWith('count_over_time')) return 720
    const windowSeconds = Number(/\[(\d+)s\]/.exec(expression)?.[1])
    if (expression.includes('/')) return ok(windowSeconds) / all
    return expression.includes('(ok[') ? ok(windowSeconds) : all
  })

const day = 86_400
const month = 30 * day

describe('a calculation', () => {
  test('gives the value of the asked window and the budget of the SLO’s own', async () => {
    traffic((window) => (window === day ? 9.95 : 9.996), 10)
    const { status, body } = await calculate({ metric_query: twoSided })
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
      },
      query_metrics: { good_events: 859_680, total_events: 864_000, window_seconds: day },
      metadata: {
        expression: `sum(rate(ok[${day}s])) / sum(rate(all[${day}s]))`,
        window_method: 'widen',
        unit: 'ratio',
        source_name: 'default',
        partial: false,
      },
      warnings: [],
    })
  })

  test('asks every part at the same time, in Unix seconds', async () => {
    traffic(() => 10, 10)
    await calculate({ metric_query: twoSided }, '24h', { include_details: true })
    expect(source.asked.map((question) => 'timeSeconds' in question && question.timeSeconds)).toEqual(
      source.asked.map(() => nowSeconds),
    )
  })

  test('over the SLO’s own window asks for it once', async () => {
    traffic(() => 9.99, 10)
    const { body } = await calculate({ metric_query: twoSided }, '30d')
    expect(source.expressions().filter((expression) => expression.includes('/'))).toEqual([
      `sum(rate(ok[${month}s])) / sum(rate(all[${month}s]))`,
    ])
    expect([body.current_value, body.error_budget_used, body.status]).toEqual([
      expect.closeTo(99.9, 9),
      expect.closeTo(100, 6),
      'healthy',
    ])
  })

  test('with details tells coverage and every question it asked', async () => {
    traffic(() => 9.99, 10)
    const { body } = await calculate({ metric_query: twoSided }, '1h', { include_details: true })
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
        source_name: 'default',
        part: 'sli',
        expression: 'sum(rate(ok[3600s])) / sum(rate(all[3600s]))',
        window_method: 'widen',
      },
      created_at: new Date(testStartMs).toISOString(),
    })
    const stored = await nines.app.db.read.selectFrom('executions').selectAll().execute()
    expect(stored.map(({ id }) => id)).toEqual(body.query_executions.map(({ id }: { id: number }) => id))
  })

  test('at an end in the past reproduces the past', async () => {
    source.script((_, time) => (time === nowSeconds - day ? 0.5 : 1))
    const extend_time = new Date(testStartMs - day * 1000).toISOString().replace('.000Z', '+00:00')
    const { body } = await calculate({ metric_query: twoSided }, '1h', { extend_time })
    expect([body.current_value, body.end_time]).toEqual([50, new Date(testStartMs - day * 1000).toISOString()])
  })

  test.each([
    ['too far ahead', new Date(testStartMs + 31_000).toISOString(), 'wanted a time that is not in the future'],
    ['without a zone', '2026-11-21T09:00:00', 'wanted an ISO 8601 time with a zone'],
    ['a date', '2026-11-21', 'wanted an ISO 8601 time with a zone'],
    ['a day that is none', '2026-02-30T00:00:00Z', 'wanted an ISO 8601 time with a zone'],
    ['an hour that is none', '2026-11-21T25:00:00Z', 'wanted an ISO 8601 time with a zone'],
    ['a number of seconds', '1795255200', 'wanted an ISO 8601 time with a zone'],
    ['nothing', '', 'wanted an ISO 8601 time with a zone'],
    ['before the epoch', '1960-01-01T00:00:00Z', 'wanted a time after 1970'],
  ])('refuses an end that is %s', async (_, extend_time, wanted) => {
    const { status, body } = await calculate({ metric_query: twoSided }, '1h', { extend_time })
    expect([status, body.details]).toEqual([400, `extend_time: ${wanted}`])
    expect(source.asked).toEqual([])
  })

  test('takes an end within the 30 s that clocks may differ', async () => {
    source.script(() => 1)
    const extend_time = new Date(testStartMs + 30_000).toISOString()
    expect((await calculate({ metric_query: twoSided }, '1h', { extend_time })).status).toBe(200)
  })

  test.each([
    [{ slo_id: 'x', time_window: '1h' }, 'slo_id: wanted the SLO id, a whole number from 1'],
    [{ slo_id: 1, time_window: '2h' }, 'time_window: wanted one of 5m, 15m, 30m, 1h, 6h, 24h, 7d, 30d, 90d'],
    [{ slo_id: 1 }, 'time_window: wanted one of 5m, 15m, 30m, 1h, 6h, 24h, 7d, 30d, 90d'],
    [{ slo_id: 1, time_window: '1h', include_details: 'yes' }, 'include_details: wanted true or false'],
  ])('refuses %p', async (body, details) => {
    const answer = await nines.call('POST', '/api/v1/tsdb/calculate-slo', body)
    expect([answer.status, answer.body.details]).toEqual([400, details])
  })

  test('of another organization’s SLO answers as for one that does not exist', async () => {
    source.script(() => 1)
    await calculate({ metric_query: twoSided })
    const token = await nines.join('eve')
    const theirs = await nines.call('POST', '/api/v1/tsdb/calculate-slo', { slo_id: 1, time_window: '1h' }, { token })
    expect([theirs.status, theirs.body]).toEqual([404, { success: false, error: 'SLO not found' }])
  })

  test('without any source says so', async () => {
    const bare = await testApp()
    await bare.join('ada')
    await bare.call('POST', '/api/v1/slos', { ...checkout, metric_query: twoSided })
    const { status, body } = await bare.call('POST', '/api/v1/tsdb/calculate-slo', { slo_id: 1, time_window: '1h' })
    expect([status, body.error]).toEqual([503, 'No active metrics source'])
    await bare.close()
  })
})

describe('two sides', () => {
  const bad = '1 - sum(rate(bad[5m])) / sum(rate(all[5m]))'

  test.each([
    ['nothing has failed', bad, { '(all[': 10 }, { current_value: 100, status: 'healthy' }],
    ['nothing went well', twoSided, { '/': null, '(ok[': null, '(all[': 10 }, { current_value: 0, status: 'critical' }],
    ['there was no traffic', bad, { '/': NaN, '(bad[': 0, '(all[': 0 }, { current_value: null, status_reason: 'no_traffic' }],
    ['there are no series', bad, {}, { current_value: null, status_reason: 'no_data' }],
    ['the sides have no labels in common', twoSided, { '/': null, '(ok[': 5, '(all[': 10 }, { current_value: null, status_reason: 'no_data' }],
  ])('tell an empty whole apart: %s', async (_, metric_query, table, expected) => {
    source.script((expression) => {
      if (expression.startsWith('count_over_time')) return null
      const found = Object.entries(table).find(([key]) => expression.includes(key))
      const whole = expression.includes('/') && !('/' in table)
      return whole || !found ? null : (found[1] as FakeReply)
    })
    const { status, body } = await calculate({ metric_query })
    expect(status).toBe(200)
    expect(body).toMatchObject(expected)
    if (body.current_value === null) expect([body.status, body.error_budget_used]).toEqual(['unknown', null])
  })

  test('weigh several series by their events', async () => {
    const by = (a: number, b: number) => [
      { labels: { instance: 'a' }, value: a },
      { labels: { instance: 'b' }, value: b },
    ]
    answers({ '/': by(1, 0.5), '(ok[': by(90, 5), '(all[': by(90, 10) })
    const metric_query = 'sum by (instance) (rate(ok[5m])) / sum by (instance) (rate(all[5m]))'
    const { body } = await calculate({ metric_query })
    expect(body.current_value).toBeCloseTo(95, 9)
    expect(body.query_metrics).toMatchObject({ good_events: 95 * day, total_events: 100 * day })
  })

  test('that do not reproduce the whole are left out', async () => {
    answers({ '/': 0.9, '(ok[': 50, '(all[': 100 })
    const { body } = await calculate({ metric_query: twoSided })
    expect([body.current_value, body.query_metrics]).toEqual([90, null])
  })

  test('in percent give the same', async () => {
    answers({ '/': 99.5, '(bad[': 0.05, '(all[': 10 })
    const { body } = await calculate({ metric_query: '100 - 100 * sum(rate(bad[5m])) / sum(rate(all[5m]))' })
    expect(body).toMatchObject({ current_value: 99.5, metadata: { unit: 'percent' } })
    expect(body.query_metrics).toEqual({ good_events: Math.round(9.95 * day), total_events: 10 * day, window_seconds: day })
  })

  test('of which the failing one exceeds the total a little are 0, not unknown', async () => {
    answers({ '/': -0.02, '(bad[': 10.2, '(all[': 10 })
    expect((await calculate({ metric_query: bad })).body).toMatchObject({ current_value: 0, status: 'critical' })
  })

  test('as a pair are composed, and count events as they are', async () => {
    answers({ '/': 0.75, '(ok[': 75, '(all[': 100 })
    const { body } = await calculate({ good_query: 'sum(increase(ok[5m]))', total_query: 'sum(increase(all[5m])) # all' })
    expect(body.query_metrics).toMatchObject({ good_events: 75, total_events: 100 })
    expect(body.current_value).toBe(75)
  })
})

describe('what may come back', () => {
  const gauge = 'job:sli:ratio'
  const single = async (reply: FakeReply, slo: object = {}) => {
    source.script(() => reply)
    const { body } = await calculate({ metric_query: 'avg_over_time(sli[5m])', ...slo })
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

  test('a raw quantity is unknown, and the source is not even asked', async () => {
    const body = await single(0.2, { metric_type: 'latency', metric_query: 'histogram_quantile(0.95, sum by (le) (rate(x_bucket[5m])))' })
    expect(body).toMatchObject({ status: 'unknown', status_reason: 'not_a_ratio' })
    expect(body.status_message).toContain('threshold')
    expect(source.asked).toEqual([])
  })

  test('an empty answer to a widened expression is checked once against the expression as stored', async () => {
    answers({ '[5m]': 0.97 })
    const { body } = await calculate({ metric_query: 'avg_over_time(sli[5m])' })
    expect(body).toMatchObject({
      current_value: 97,
      metadata: { window_method: 'as_stored', expression: 'avg_over_time(sli[5m])' },
    })
  })

  test('a refused query is 500 with the source’s words, and recorded', async () => {
    source.script(() => {
      throw new Error('many-to-many matching not allowed')
    })
    const { status, body } = await calculate({ metric_query: gauge })
    expect([status, body]).toEqual([
      500,
      { success: false, error: 'metrics source refused the query', details: 'many-to-many matching not allowed' },
    ])
    const rows = await nines.app.db.read.selectFrom('executions').select(['status', 'error', 'result_samples']).execute()
    expect(rows).toHaveLength(2)
    for (const row of rows) {
      const error = 'metrics source refused the query: many-to-many matching not allowed'
      expect(row).toEqual({ status: 'error', error, result_samples: 0 })
    }
  })
})

describe('the unit', () => {
  const percentGauge = { metric_query: 'avg_over_time(pct[5m])' }

  test('is settled by the first measured value, and not guessed again in an outage', async () => {
    source.script(() => 99.5)
    expect((await calculate(percentGauge)).body.current_value).toBe(99.5)
    source.script(() => 0.5)
    expect((await again(1)).body).toMatchObject({ current_value: 0.5, status: 'critical' })
  })

  test('is not settled by an outage', async () => {
    source.script(() => 0)
    expect((await calculate(percentGauge)).body.current_value).toBe(0)
    source.script(() => 99.5)
    expect((await again(1)).body.current_value).toBe(99.5)
  })

  test('is what its owner says', async () => {
    source.script(() => 0.5)
    expect((await calculate({ ...percentGauge, query_unit: 'percent' })).body.current_value).toBe(0.5)
    expect((await calculate({ ...percentGauge, query_unit: 'ratio' })).body.current_value).toBe(50)
    source.script(() => 99.5)
    expect((await again(2)).body.status_reason).toBe('out_of_range')
  })

  test('is settled anew when the query changes', async () => {
    source.script(() => 99.5)
    await calculate(percentGauge)
    await nines.call('PUT', '/api/v1/slos/1', { metric_query: 'avg_over_time(ratio[5m])' })
    source.script(() => 0.5)
    expect((await again(1)).body.current_value).toBe(50)
  })
})

describe('how a window is applied', () => {
  test('a placeholder becomes the window', async () => {
    source.script(() => 0.99)
    const { body } = await calculate({ metric_query: 'sum_over_time(ok[$window]) / sum_over_time(all[$window])' })
    expect(body.metadata).toMatchObject({
      window_method: 'placeholder',
      expression: `sum_over_time(ok[${day}s]) / sum_over_time(all[${day}s])`,
    })
  })

  test('a comparison is judged minute by minute; minutes without data do not count', async () => {
    source.script((_, time) => {
      const minutesAgo = (nowSeconds - time) / 60
      return minutesAgo < 15 ? 0 : minutesAgo < 45 ? 1 : null
    })
    const { body } = await calculate({ metric_query: 'p95 <= 0.3' }, '1h', { include_details: true })
    expect(body).toMatchObject({ metadata: { window_method: 'slices', unit: 'ratio' } })
    expect(body.current_value).toBeCloseTo((100 * 30) / 45, 9)
    expect(body.coverage).toBe(0.75)
    const [first] = source.asked
    expect(first).toMatchObject({ kind: 'range', startSeconds: nowSeconds - 3540, endSeconds: nowSeconds, stepSeconds: 60 })
  })

  test('a threshold means the same as a comparison', async () => {
    source.script(() => 1)
    const { body } = await calculate({ metric_query: 'p95 # of all', threshold: 0.3, threshold_op: 'lte' }, '1h')
    expect(body.current_value).toBe(100)
    expect(body.metadata.expression).toContain('<= bool 0.3')
  })

  test('beyond a week slices are five minutes long, and come in pieces of at most 10,000', async () => {
    source.script(() => 1)
    await calculate({ metric_query: 'up == 1', time_window: '90d' }, '7d')
    const steps = source.asked.map((question) => 'stepSeconds' in question && question.stepSeconds)
    expect(new Set(steps)).toEqual(new Set([60, 300]))
    for (const question of source.asked) {
      if (question.kind !== 'range') throw new Error('wanted range queries only')
      expect((question.endSeconds - question.startSeconds) / question.stepSeconds).toBeLessThan(10_000)
    }
  })

  test('a recorded ratio is averaged over time', async () => {
    source.script((_, time) => (time > nowSeconds - 1800 ? 0.98 : 1))
    const { body } = await calculate({ metric_query: 'job:sli:ratio5m' }, '1h')
    expect(body.metadata.window_method).toBe('mean')
    expect(body.current_value).toBeCloseTo(99, 9)
  })

  test('a slice in which nothing failed is good, even where no failing series existed yet', async () => {
    source.script((expression, time) => {
      const failing = time > nowSeconds - 1800 ? 1 : null
      if (expression.startsWith('1 -')) return failing === null ? null : 0.9
      return expression.includes('bad') ? failing : 10
    })
    const { body } = await calculate({ metric_query: '1 - sum(irate(bad[5m])) / sum(irate(all[5m]))' }, '1h')
    expect(body.metadata.window_method).toBe('mean')
    expect(body.current_value).toBeCloseTo(95, 9)
    expect(body.query_metrics).toEqual({ good_events: 34_200, total_events: 36_000, window_seconds: 3600 })
  })

  test('window_method overrides', async () => {
    source.script(() => 0.99)
    const { body } = await calculate({ metric_query: twoSided, window_method: 'mean' }, '1h')
    expect(body.metadata).toMatchObject({ window_method: 'mean', expression: twoSided })
  })
})
