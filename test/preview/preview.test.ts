import { describe, expect, test } from 'bun:test'
import { isoTime } from '../../src/clock.ts'
import { day, nowSeconds } from '../support/calculator.ts'
import { dump } from '../support/populated.ts'
import { previewer, traffic } from '../support/previewer.ts'

const hour = 3600
const it = previewer()
const iso = (seconds: number) => isoTime(seconds * 1000)
const outage = { from: nowSeconds - 10 * day, to: nowSeconds - 10 * day + hour, share: 0.5 }

test('an SLO that is not stored is measured over its own window and the current one', async () => {
  it.source.script(traffic([outage]))
  const { status, body } = await it.preview()
  expect(status).toBe(200)
  expect(body).toMatchObject({
    status: 'healthy',
    target_value: 99.9,
    current: { time_window: '1h', sli: 100, status_reason: null, coverage: 1 },
    own: { time_window: '30d', start_time: iso(nowSeconds - 30 * day), end_time: iso(nowSeconds), status: 'healthy' },
    metadata: { window_method: 'widen', unit: 'ratio', source_name: 'default', partial: false },
    problems: [],
    warnings: [],
    budget_exhausted_at: null,
  })
  const failed = 0.5 * hour * 10
  expect(body.own.query_metrics).toEqual({
    good_events: 300 * day - failed,
    total_events: 300 * day,
    window_seconds: 30 * day,
  })
  expect(body.own.sli).toBeCloseTo(100 - (100 * failed) / (300 * day), 9)
  expect(body.error_budget.percentage_used).toBeCloseTo(69.4444444, 6)
})

test('its past is in steps whose failures add up to those of the window', async () => {
  it.source.script(traffic([outage]))
  const { history } = (await it.preview()).body
  expect(history).toMatchObject({ step_seconds: 4 * hour, resolution_seconds: 300, end_time: iso(nowSeconds) })
  expect(history.points).toHaveLength(180)
  const all = 10 * 4 * hour
  expect(history.points[0]).toEqual({ timestamp: history.start_time, sli: 100, coverage: 1, good: all, total: all })
  const below = history.points.filter(({ sli }: { sli: number }) => sli < 99.999999)
  const some = { sli: expect.closeTo(87.5, 6), good: all - 0.5 * hour * 10, total: all }
  expect(below).toEqual([{ timestamp: iso(outage.from), coverage: 1, ...some }])
})

test('the alerts that would have fired are listed, newest first', async () => {
  it.source.script(traffic([outage]))
  const { body } = await it.preview()
  const [from, to] = [outage.from, outage.to]
  const alert = (
    severity: string,
    windows: string[],
    factor: number,
    started: number,
    ended: number,
    peak: number,
  ) => ({
    severity,
    long_window: windows[0],
    short_window: windows[1],
    factor,
    started_at: iso(started),
    ended_at: iso(ended),
    peak_burn_rate: expect.closeTo(peak, 2),
  })
  expect(body.alerts).toEqual([
    alert('ticket', ['24h', '2h'], 3, from + 600, to + 2 * hour, 20.8333),
    alert('ticket', ['72h', '6h'], 1, from + 600, to + 6 * hour, 6.9444),
    alert('page', ['1h', '5m'], 14.4, from + 300, to + 300, 500),
    alert('page', ['6h', '30m'], 6, from + 300, to + 1800, 83.3333),
  ])
  expect(body).toMatchObject({ alerts_total: 4, alerts_start_time: iso(nowSeconds - 30 * day) })
})

test('an outage that goes on has alerts without an end, and shows when the budget was spent', async () => {
  it.source.script(traffic([{ from: nowSeconds - 2 * hour, to: nowSeconds, share: 1 }]))
  const { body } = await it.preview()
  expect(body).toMatchObject({ status: 'critical', current: { sli: 0 }, alerts_total: 4 })
  expect(body.alerts.map(({ ended_at: ended }: { ended_at: null }) => ended)).toEqual([null, null, null, null])
  // 0.1 % of 30 days are 43.2 minutes; the outage began 2 h = 120 minutes ago
  expect(body.budget_exhausted_at).toBe(iso(nowSeconds - 2 * hour + 45 * 60))
})

test('alerts look back beyond the start of the window they are listed for', async () => {
  const started = nowSeconds - day
  it.source.script(traffic([{ from: started - 7200, to: started + 600, share: 1 }]))
  const { alerts } = (await it.preview({ time_window: '24h' })).body
  expect(alerts).toMatchObject([{ long_window: '2h', short_window: '10m', started_at: iso(started + 300) }])
})

test('time before the first sample is neither good nor bad', async () => {
  const startSeconds = nowSeconds - 2 * day
  it.source.script((expression, time) =>
    expression.includes(`[${30 * day}s]`) ? 0.9995 : traffic([], startSeconds)(expression, time),
  )
  const { body } = await it.preview()
  expect(body.alerts_start_time).toBe(iso(startSeconds))
  const measured = body.history.points.filter(({ sli }: { sli: number | null }) => sli !== null)
  expect(measured).toHaveLength(12)
  expect(body.history.points[0]).toMatchObject({ sli: null, coverage: 0 })
})

test('windows of an hour are looked at minute by minute', async () => {
  it.source.script(traffic([{ from: nowSeconds - 1200, to: nowSeconds - 600, share: 1 }]))
  const { body } = await it.preview({ time_window: '1h', target: 90 })
  expect(body).toMatchObject({
    status: 'healthy',
    current: { time_window: '5m', sli: 100 },
    own: { status: 'critical' },
    warnings: ['Each minute of the past was measured over the five minutes up to it.'],
    history: { step_seconds: 60, resolution_seconds: 60 },
    alerts: [{ severity: 'page', long_window: '5m', short_window: '1m', factor: 3 }],
  })
  expect(body.own.sli).toBeCloseTo((50 / 60) * 100, 6)
})

test('a source that is scraped rarely is queried by the hour, and alerts that need more are left out', async () => {
  const steadily = traffic([outage])
  it.source.script((expression, time) => (expression.includes('[300s]') ? null : steadily(expression, time)))
  const { body } = await it.preview()
  expect(body.history).toMatchObject({ resolution_seconds: hour, step_seconds: 4 * hour })
  expect(body.alerts.map(({ long_window: window }: { long_window: string }) => window)).toEqual(['24h', '72h'])
  expect(body.warnings).toEqual([
    'The source has no finer past than 60 minutes: burn-rate alerts of shorter windows are left out.',
  ])
})

test('a bound is assessed moment by moment, also in the past', async () => {
  it.source.script((expression, time) => {
    if (expression.startsWith('count_over_time(')) return 288
    return time > nowSeconds - 6 * hour ? 0 : 1
  })
  const slow = { metric_query: 'histogram_quantile(0.95, sum by (le) (rate(t_bucket[5m])))', target: 90 }
  const { body } = await it.preview({ ...slow, time_window: '24h', threshold: 0.3, threshold_op: 'lte' })
  expect(body).toMatchObject({ own: { sli: 75, query_metrics: null }, current: { sli: 0 }, status: 'critical' })
  expect(body.history).toMatchObject({ resolution_seconds: 60, step_seconds: 600 })
  expect(body.alerts).toMatchObject([{ long_window: '2h', ended_at: null, peak_burn_rate: 10 }])
})

test('at most about ten questions are long ones', async () => {
  it.source.script(traffic([outage]))
  await it.preview({ time_window: '90d' })
  expect(it.source.asked.filter(({ kind }) => kind === 'range').length).toBeLessThanOrEqual(9)
})

describe('a preview', () => {
  test('changes nothing, and a viewer may send it', async () => {
    it.source.script(traffic([outage]))
    await it.nines.app.db.write.updateTable('users').set({ role: 'viewer' }).execute()
    const token = (
      await it.nines.call('POST', '/api/v1/auth/login', { email: 'ada@example.com', password: 'correct horse' })
    ).body.access_token
    const before = dump(it.nines)
    const slo = { target: 99, time_window: '7d', metric_type: 'availability', metric_query: 'up', name: 'Mine' }
    expect((await it.nines.call('POST', '/api/v1/slos/preview', slo, { token })).status).toBe(200)
    expect(dump(it.nines)).toEqual(before)
  })

  test('whose past the source does not answer still says what the SLI is', async () => {
    const steadily = traffic([outage])
    it.source.script((expression, time) => {
      if (expression.includes('[300s]')) throw new Error('query processing would load too many samples')
      return steadily(expression, time)
    })
    const { status, body } = await it.preview()
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'healthy', history: null, alerts: [], alerts_total: null })
    expect(body.warnings).toEqual(['The past could not be measured: query processing would load too many samples'])
  })
})

test('a side that was first seen long after the other is a warning', async () => {
  const seenSeconds = nowSeconds - 3 * day
  const steadily = traffic([outage])
  const bad = 'sum(rate(ok{code="500"}[5m])) / sum(rate(all[5m]))'
  it.source.script((expression, time) =>
    expression.includes('(ok{') && !expression.includes('/') && time < seenSeconds ? null : steadily(expression, time),
  )
  const { warnings } = (await it.preview({ metric_query: `1 - ${bad}` })).body
  expect(warnings).toContain(
    `The first events that the query counts as bad are of ${new Date((seenSeconds - 300) * 1000).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })}, ${iso(seenSeconds - 300).slice(11, 16)} UTC; other events are older.`,
  )
  it.source.script(steadily)
  expect((await it.preview({ metric_query: `1 - ${bad}` })).body.warnings.join()).not.toContain('first seen')
})
