import { afterAll, beforeAll, expect, test } from 'bun:test'
import { importSamples } from '../../src/embedded/import-samples.ts'
import type { CalendarWindow, SloWindow } from '../../src/slos/arithmetic/windows.ts'
import { type TestApp, testApp, testStartMs } from '../support/app.ts'
import { seeded } from '../support/seeded.ts'
import { shareWorkers } from '../support/shared-workers.ts'

const nowSeconds = testStartMs / 1000
const intervalSeconds = 60
const checkMinutes = 5
const sampledDays = 370
const hourSeconds = 3600

/** Results of the minutes, 7 s after their begin, of which each fifth is checked; each day has an outage of its own length. */
const firstAt = Math.floor(nowSeconds / 60) * 60 - sampledDays * 86_400 + 7
const random = seeded(32)
const outages = Array.from({ length: sampledDays + 1 }, () => ({
  from: Math.floor(random() * 1300),
  minutes: Math.floor(random() * 90),
}))
const results = Array.from({ length: sampledDays * 1440 }, (_, n) => {
  const { from = 0, minutes = 0 } = outages[Math.floor(n / 1440)] ?? {}
  return n % 1440 >= from && n % 1440 < from + minutes ? 0 : 1
})

/** Percentage of the checks in `(from, to]` that were good, counted one by one. */
function percentGood(from: number, to: number): number {
  let [good, total] = [0, 0]
  for (let n = 0; n < results.length; n += checkMinutes) {
    const at = firstAt + n * intervalSeconds
    if (at <= from || at > to) continue
    total += 1
    good += results[n] ?? NaN
  }
  return (100 * good) / total
}

/** Values of two counters, each minute: requests, and those of them that failed, all in a minute whose result is 0. */
let [requests, failures] = [0, 0]
const counts = results.map((result) => {
  const more = 1 + Math.floor(random() * 100)
  requests += more
  failures += result === 0 ? more : 0
  return { requests, failures }
})

/** Percentage of the requests that were good, from the first to the last sample in `(from, to]`. */
function percentOfRequests(from: number, to: number): number {
  const placeOf = (seconds: number) => Math.floor((seconds - firstAt) / intervalSeconds)
  const [first, last] = [counts[placeOf(from) + 1], counts[Math.min(placeOf(to), counts.length - 1)]]
  if (!first || !last) throw new Error('there are no samples')
  return 100 - (100 * (last.failures - first.failures)) / (last.requests - first.requests)
}

let nines: TestApp
beforeAll(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded', SAMPLES_RETENTION_DAYS: '400' }, workers: shareWorkers() })
  await nines.join('ada')
  const lines = results.flatMap((result, n) =>
    n % checkMinutes > 0 ? [] : [`up ${result} ${firstAt + n * intervalSeconds}\n`],
  )
  const counters = (['requests', 'failures'] as const).flatMap((name) => [
    `# TYPE ${name} counter\n`,
    ...counts.map((count, n) => `${name}_total ${count[name]} ${firstAt + n * intervalSeconds}\n`),
  ])
  const chunks = new Blob([['# TYPE up gauge\n', ...lines, ...counters, '# EOF\n'].join('')]).stream() // one part: a million take seconds
  const { app } = nines
  await importSamples({ store: app.samples, clock: app.clock, organizationId: 1, chunks, keepMs: 400 * 86_400_000 })
}, 120_000)
afterAll(() => nines?.close())

const lengths: [SloWindow, hours: number][] = [
  ['2h', 2],
  ['36h', 36],
  ['1d', 24],
  ['14d', 14 * 24],
  ['28d', 28 * 24],
  ['4w', 4 * 7 * 24],
  ['366d', 366 * 24],
]

test('the budget of a window of any length is that of the checks in it, counted one by one', async () => {
  const ids = new Map<SloWindow, number>()
  for (const [time_window] of lengths) {
    const slo = { name: time_window, target: 90, metric_type: 'availability', metric_query: 'up', time_window }
    const { status, body } = await nines.call('POST', '/api/v1/slos', slo)
    expect([status, body.time_window]).toEqual([201, time_window])
    ids.set(time_window, body.id)
  }
  await nines.app.backfills.run()
  await nines.app.evaluator.evaluateAll()
  for (const [time_window, hours] of lengths) {
    const { body } = await nines.call('GET', `/api/v1/slos/${ids.get(time_window)}/budget`)
    const end = Date.parse(body.measured_at) / 1000
    const good = percentGood(end - hours * hourSeconds, end)
    expect({ time_window, sli: body.sli }).toEqual({ time_window, sli: expect.closeTo(good, 6) })
    expect(body.error_budget.percentage_used).toBeCloseTo((100 - good) * 10, 5)
  }
  for (const [time_window, hours] of lengths) {
    const sent = { slo_id: ids.get('366d'), time_window }
    const { body } = await nines.call('POST', '/api/v1/tsdb/calculate-slo', sent)
    const end = Date.parse(body.end_time) / 1000
    expect(body.current_value).toBeCloseTo(percentGood(end - hours * hourSeconds, end), 6)
  }
  const { body: series } = await nines.call('GET', `/api/v1/slos/${ids.get('4w')}/series?period=4w&step=1d`)
  expect(series.points).toHaveLength(28)
}, 300_000)

test('the budget of a window of any length is that of the requests in it, by the differences of the samples', async () => {
  const queries = { bad_query: 'sum(rate(failures_total[5m]))', total_query: 'sum(rate(requests_total[5m]))' }
  const ids = new Map<SloWindow, number>()
  for (const [time_window] of lengths) {
    const slo = { name: `Requests, ${time_window}`, target: 90, metric_type: 'availability', ...queries, time_window }
    ids.set(time_window, (await nines.call('POST', '/api/v1/slos', slo)).body.id)
  }
  await nines.app.backfills.run()
  for (const name of ['measured as a whole', 'rolled by a minute']) {
    await nines.app.evaluator.evaluateAll()
    for (const [time_window, hours] of lengths) {
      const { body } = await nines.call('GET', `/api/v1/slos/${ids.get(time_window)}/budget`)
      const end = Date.parse(body.measured_at) / 1000
      const good = percentOfRequests(end - hours * hourSeconds, end)
      expect({ name, time_window, sli: body.sli }).toEqual({ name, time_window, sli: expect.closeTo(good, 5) })
      expect(body.error_budget.percentage_used).toBeCloseTo((100 - good) * 10, 4)
    }
    nines.clock.advance(60_000)
  }
}, 300_000)

test('an SLO whose window only gets another name of the same length keeps its figures', async () => {
  const { body: slos } = await nines.call('GET', '/api/v1/slos?search=1d')
  const { id } = slos.slos[0]
  const budget = async () => (await nines.call('GET', `/api/v1/slos/${id}/budget`)).body
  const before = await budget()
  expect((await nines.call('PUT', `/api/v1/slos/${id}`, { time_window: '24h' })).status).toBe(200)
  expect(await budget()).toEqual({ ...before, time_window: '24h' })
})

const periods: [window: CalendarWindow, zone: string, startsAt: string, endsAt: string][] = [
  ['week', 'Europe/Zurich', '2026-11-15T23:00Z', '2026-11-22T23:00Z'],
  ['week', 'Asia/Kolkata', '2026-11-15T18:30Z', '2026-11-22T18:30Z'],
  ['month', 'Europe/Zurich', '2026-10-31T23:00Z', '2026-11-30T23:00Z'],
  ['month', 'Pacific/Chatham', '2026-10-31T10:15Z', '2026-11-30T10:15Z'],
  ['month', 'America/Los_Angeles', '2026-11-01T07:00Z', '2026-12-01T08:00Z'], // one hour longer than its days
  ['quarter', 'Europe/Zurich', '2026-09-30T22:00Z', '2026-12-31T23:00Z'], // also this
  ['quarter', 'Asia/Kolkata', '2026-09-30T18:30Z', '2026-12-31T18:30Z'],
  ['year', 'UTC', '2026-01-01T00:00Z', '2027-01-01T00:00Z'],
  ['year', 'America/Los_Angeles', '2026-01-01T08:00Z', '2027-01-01T08:00Z'],
]

test.each([
  ['checks', { metric_query: 'up' }, percentGood, 6],
  [
    'requests',
    { bad_query: 'sum(rate(failures_total[5m]))', total_query: 'sum(rate(requests_total[5m]))' },
    percentOfRequests,
    5,
  ],
] as const)(
  'the budget of a calendar period is that of the %s in it so far',
  async (kind, queries, truth, digits) => {
    const ids: number[] = []
    for (const [time_window, time_zone] of periods) {
      const name = `${kind} of the ${time_window} in ${time_zone}`
      const slo = { name, target: 90, metric_type: 'availability', ...queries, time_window, time_zone }
      const { status, body } = await nines.call('POST', '/api/v1/slos', slo)
      expect([status, body.time_window, body.time_zone]).toEqual([201, time_window, time_zone])
      ids.push(body.id)
    }
    await nines.app.backfills.run()
    for (const isFirst of [true, false]) {
      await nines.app.evaluator.evaluateAll()
      for (const [place, [time_window, time_zone, startsAt, endsAt]] of periods.entries()) {
        const { body } = await nines.call('GET', `/api/v1/slos/${ids[place]}/budget`)
        const [start, end, next] = [startsAt, body.measured_at, endsAt].map((at) => Date.parse(at) / 1000) as [
          number,
          number,
          number,
        ]
        const good = truth(start, end)
        const found = { isFirst, time_window, time_zone, sli: body.sli, period: body.period }
        expect(found).toEqual({
          isFirst,
          time_window,
          time_zone,
          sli: expect.closeTo(good, digits),
          period: { starts_at: iso(start), ends_at: iso(next), time_zone },
        })
        const used = (100 - good) * 10
        expect(body.error_budget.percentage_used).toBeCloseTo(used, digits - 1)
        expect(body.error_budget.window_percent_used).toBeCloseTo((used * (end - start)) / (next - start), digits - 2)
        expect(body.minutes.allowed).toBe((next - start) / 600)
        expect(body.burn_down.at(-1).ideal_percent).toBeCloseTo(100 - (100 * (end - start)) / (next - start), 6)
        expect(body.calendar).toMatchObject([{ starts_at: iso(next), remaining_after_percent: 100 }])
      }
      nines.clock.advance(60_000)
    }
    const [month = 0] = periods.flatMap(([window], place) => (window === 'month' ? (ids[place] ?? []) : []))
    const calculated = await nines.call('POST', '/api/v1/tsdb/calculate-slo', { slo_id: month, time_window: 'month' })
    const { start_time, end_time, current_value } = calculated.body
    expect(start_time).toBe('2026-10-31T23:00:00.000Z')
    expect(current_value).toBeCloseTo(truth(Date.parse(start_time) / 1000, Date.parse(end_time) / 1000), digits)
  },
  300_000,
)

const iso = (seconds: number) => new Date(1000 * seconds).toISOString()
