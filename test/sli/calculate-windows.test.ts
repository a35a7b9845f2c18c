import { describe, expect, test } from 'bun:test'
import { getSlo, storeInferredUnit } from '../../src/slos/store.ts'
import { calculator, day, nowSeconds, twoSided } from '../support/calculator.ts'

const on = calculator()

describe('the unit', () => {
  const percentGauge = { metric_query: 'avg_over_time(pct[5m])' }

  test('is inferred from the first value, and not inferred again in an outage', async () => {
    on.source.script(() => 99.5)
    expect((await on.calculate(percentGauge)).body.current_value).toBe(99.5)
    on.source.script(() => 0.5)
    expect((await on.again(1)).body).toMatchObject({ current_value: 0.5, status: 'critical' })
  })

  test('is not inferred from an outage', async () => {
    on.source.script(() => 0)
    expect((await on.calculate(percentGauge)).body.current_value).toBe(0)
    on.source.script(() => 99.5)
    expect((await on.again(1)).body.current_value).toBe(99.5)
  })

  test('is inferred once: a value of the same time that looks otherwise comes too late', async () => {
    on.source.script(() => 99.5)
    await on.calculate(percentGauge)
    const { read, write } = on.nines.app.db
    await storeInferredUnit(write, { ...(await getSlo(read, 1, 1)), inferred_unit: null }, 'ratio')
    expect((await getSlo(read, 1, 1)).inferred_unit).toBe('percent')
  })

  test('is what its owner says', async () => {
    on.source.script(() => 0.5)
    expect((await on.calculate({ ...percentGauge, query_unit: 'percent' })).body.current_value).toBe(0.5)
    expect((await on.calculate({ ...percentGauge, query_unit: 'ratio' })).body.current_value).toBe(50)
    on.source.script(() => 99.5)
    expect((await on.again(2)).body.status_reason).toBe('out_of_range')
  })

  test('is inferred again when the query changes', async () => {
    on.source.script(() => 99.5)
    await on.calculate(percentGauge)
    await on.nines.call('PUT', '/api/v1/slos/1', { metric_query: 'avg_over_time(ratio[5m])' })
    on.source.script(() => 0.5)
    expect((await on.again(1)).body.current_value).toBe(50)
  })
})

describe('how a window is applied', () => {
  test('a placeholder becomes the window', async () => {
    on.source.script(() => 0.99)
    const { body } = await on.calculate({ metric_query: 'sum_over_time(ok[$window]) / sum_over_time(all[$window])' })
    expect(body.metadata).toMatchObject({
      window_method: 'placeholder',
      expression: `sum_over_time(ok[${day}s]) / sum_over_time(all[${day}s])`,
    })
  })

  test('a comparison is assessed minute by minute; minutes without data do not count', async () => {
    on.source.script((_, time) => {
      const minutesAgo = (nowSeconds - time) / 60
      return minutesAgo < 15 ? 0 : minutesAgo < 45 ? 1 : null
    })
    const { body } = await on.calculate({ metric_query: 'max(p95) <= 0.3' }, '1h', { include_details: true })
    expect(body).toMatchObject({ metadata: { window_method: 'slices', unit: 'ratio' } })
    expect(body.current_value).toBeCloseTo((100 * 30) / 45, 9)
    expect(body.coverage).toBe(0.75)
    const [first] = on.source.asked
    expect(first).toMatchObject({
      kind: 'range',
      startSeconds: nowSeconds - 3540,
      endSeconds: nowSeconds,
      stepSeconds: 60,
    })
  })

  test('a threshold means the same as a comparison', async () => {
    on.source.script(() => 1)
    const { body } = await on.calculate({ metric_query: 'p95 # of all', threshold: 0.3, threshold_op: 'lte' }, '1h')
    expect(body.current_value).toBe(100)
    expect(body.metadata.expression).toContain('<= bool 0.3')
  })

  test('up to a week every minute is a point, in pieces of at most 10,000; beyond, hours are the means of their minutes', async () => {
    on.source.script((expression) => (expression.includes('count_over_time') ? 60 : 1))
    await on.calculate({ metric_query: 'min(up) == 1', time_window: '90d' }, '7d')
    const asked = on.source.asked.flatMap((question) => (question.kind === 'range' ? [question] : []))
    expect(asked).toHaveLength(on.source.asked.length)
    for (const { expression, startSeconds, endSeconds, stepSeconds } of asked) {
      expect((endSeconds - startSeconds) / stepSeconds).toBeLessThan(10_000)
      expect(stepSeconds).toBe(expression.includes('[3600s:60s]') ? 3600 : 60)
    }
    expect(new Set(asked.map(({ stepSeconds }) => stepSeconds))).toEqual(new Set([60, 3600]))
  })

  test('a mean over a long window weighs each hour by its minutes with a number', async () => {
    on.source.script((expression, time) => {
      const isLast = time > nowSeconds - 3600
      return expression.includes('count_over_time') ? (isLast ? 60 : 20) : isLast ? 0 : 1
    })
    const { body } = await on.calculate({ metric_query: 'min(up) == 1', time_window: '30d' }, '30d')
    expect(body.current_value).toBeCloseTo((100 * 719 * 20) / (719 * 20 + 60), 9)
  })

  test('numbers at each sample are added up by the source', async () => {
    on.source.script((expression) => (expression.includes('sum_over_time(up[86399999ms])') ? 0.9 : null))
    const { body } = await on.calculate({ metric_query: 'up', time_window: '24h' }, '24h')
    expect(body).toMatchObject({ current_value: 90, metadata: { window_method: 'samples' } })
    expect(on.source.expressions()).toHaveLength(1)
  })

  test('where a sample is NaN, the others count', async () => {
    on.source.script((expression, time) => (expression.includes('sum_over_time') ? NaN : time % 7200 === 0 ? NaN : 0.9))
    const { body } = await on.calculate({ metric_query: 'up', time_window: '24h' }, '24h')
    expect(body.current_value).toBeCloseTo(90, 9)
  })

  test('a recorded ratio is averaged over time', async () => {
    on.source.script((_, time) => (time > nowSeconds - 1800 ? 0.98 : 1))
    const { body } = await on.calculate({ metric_query: 'max(job:sli:ratio5m)' }, '1h')
    expect(body.metadata.window_method).toBe('mean')
    expect(body.current_value).toBeCloseTo(99, 9)
  })

  test('a step in which nothing failed is good, even where no failing series existed yet', async () => {
    on.source.script((expression, time) => {
      const failing = time > nowSeconds - 1800 ? 1 : null
      if (expression.startsWith('1 -')) return failing === null ? null : 0.9
      return expression.includes('bad') ? failing : 10
    })
    const { body } = await on.calculate({ metric_query: '1 - sum(irate(bad[5m])) / sum(irate(all[5m]))' }, '1h')
    expect(body.metadata.window_method).toBe('mean')
    expect(body.current_value).toBeCloseTo(95, 9)
    expect(body.query_metrics).toEqual({ good_events: 34_200, total_events: 36_000, window_seconds: 3600 })
  })

  test('window_method overrides', async () => {
    on.source.script(() => 0.99)
    const { body } = await on.calculate({ metric_query: twoSided, window_method: 'mean' }, '1h')
    expect(body.metadata).toMatchObject({ window_method: 'mean', expression: twoSided })
  })
})
