import { afterAll, beforeAll, expect, test } from 'bun:test'
import { importSamples } from '../../../src/embedded/import-samples.ts'
import { type TestApp, testApp, testStartMs } from '../../support/app.ts'
import { seeded } from '../../support/seeded.ts'
import { shareWorkers } from '../../support/shared-workers.ts'
import { rulesOf } from '../../support/rules-of.ts'

const sampledDays = 42
const minuteSeconds = 60
const nowSeconds = Math.floor(testStartMs / 60_000) * minuteSeconds
const firstMinute = nowSeconds - sampledDays * 86_400
const windowSeconds = 30 * 86_400

/** A sample of each minute, 7 s after its begin; each day has an outage. Requests fail where the site does. */
const random = seeded(17)
const outages = Array.from({ length: sampledDays + 1 }, () => ({ from: random() * 1300, minutes: 20 + random() * 90 }))
let [requests, failures] = [0, 0]
const samples = Array.from({ length: sampledDays * 1440 }, (_, n) => {
  const { from = 0, minutes = 0 } = outages[Math.floor(n / 1440)] ?? {}
  const isUp = n % 1440 < from || n % 1440 >= from + minutes
  const more = 1 + Math.floor(random() * 100)
  requests += more
  failures += isUp ? 0 : more
  return {
    minute: firstMinute + n * minuteSeconds,
    at: firstMinute + n * minuteSeconds + 7,
    isUp,
    more,
    requests,
    failures,
  }
})

type Minutes = (minute: number) => boolean

/** Percentage of good checks, and of good requests, in a window that ends at `end`, without some minutes; counted one by one. */
function truth(end: number, isExcluded: Minutes, seconds = windowSeconds): { checks: number; requests: number } {
  const of = { good: 0, total: 0, goodRequests: 0, requests: 0 }
  const inside = samples.filter(({ at }) => at > end - seconds && at <= end)
  inside.forEach(({ minute, isUp, more }, place) => {
    if (isExcluded(minute)) return
    of.total += 1
    of.good += isUp ? 1 : 0
    if (place === 0) return // its requests came before the window
    of.requests += more
    of.goodRequests += isUp ? more : 0
  })
  return { checks: (100 * of.good) / of.total, requests: (100 * of.goodRequests) / of.requests }
}

let nines: TestApp
const ids: Record<'checks' | 'requests', number> = { checks: 0, requests: 0 }
beforeAll(async () => {
  const env = { SOURCE_URL: 'embedded', SAMPLES_RETENTION_DAYS: '60' }
  nines = await testApp({ env, workers: shareWorkers(), startMs: 1000 * nowSeconds + 5000 })
  await nines.join('ada')
  const lines = [
    '# TYPE up gauge\n',
    ...samples.map(({ at, isUp }) => `up ${Number(isUp)} ${at}\n`),
    ...(['requests', 'failures'] as const).flatMap((name) => [
      `# TYPE ${name} counter\n`,
      ...samples.map((sample) => `${name}_total ${sample[name]} ${sample.at}\n`),
    ]),
    '# EOF\n',
  ]
  const { app } = nines
  const chunks = new Blob([lines.join('')]).stream()
  await importSamples({ store: app.samples, clock: app.clock, organizationId: 1, chunks, keepMs: 60 * 86_400_000 })
  const slo = { target: 90, metric_type: 'availability', time_window: '30d', labels: { app: 'shop' } }
  const queries = { bad_query: 'sum(rate(failures_total[5m]))', total_query: 'sum(rate(requests_total[5m]))' }
  ids.checks = (await nines.call('POST', '/api/v1/slos', { ...slo, name: 'Checks', metric_query: 'up' })).body.id
  ids.requests = (await nines.call('POST', '/api/v1/slos', { ...slo, name: 'Requests', ...queries })).body.id
  await nines.app.backfills.run()
  await nines.app.evaluator.evaluateAll()
}, 120_000)
afterAll(() => nines?.close())

const iso = (seconds: number) => new Date(1000 * seconds).toISOString()
const budgetOf = async (id: number) => (await nines.call('GET', `/api/v1/slos/${id}/budget`)).body

async function correct(sent: object): Promise<number> {
  const { status, body } = await nines.call('POST', '/api/v1/corrections', { category: 'bad_data', ...sent })
  expect([status, body.error, rulesOf(body)]).toEqual([201, undefined, undefined])
  return body.data.id
}

/** Compares both budgets with the truth. */
async function expectTruth(isExcluded: Minutes) {
  for (const kind of ['checks', 'requests'] as const) {
    const budget = await budgetOf(ids[kind])
    const good = truth(Date.parse(budget.measured_at) / 1000, isExcluded)[kind]
    expect(budget.sli).toBeCloseTo(good, 6)
    expect(budget.error_budget.percentage_used).toBeCloseTo((100 - good) * 10, 5)
  }
}

/** Answers of all figures, once the minutes of old incidents have been read: a request waits for them for a second at most. */
const answersOf = async () => {
  let answers = await readAnswers()
  while (answers.some((text) => text.includes('"resolution_seconds":3600,"bad_events"'))) answers = await readAnswers()
  return answers
}

const readAnswers = async () => {
  const paths = [
    'budget',
    'burn-rates',
    'series?period=30d&step=1d',
    'series?period=2d&step=1h',
    'incidents',
    'periods',
  ]
  const texts = []
  for (const id of Object.values(ids)) {
    for (const path of paths) texts.push((await nines.call('GET', `/api/v1/slos/${id}/${path}`)).text)
  }
  return texts
}

const none: Minutes = () => false
const between =
  (from: number, to: number): Minutes =>
  (minute) =>
    minute >= from && minute < to
const any =
  (...some: Minutes[]): Minutes =>
  (minute) =>
    some.some((one) => one(minute))
const covers = { labels: { app: 'shop' } }
const hours = 3600

test('without corrections the budget is the truth', () => expectTruth(none))

test('corrections that overlap, are retroactive and recur over a change of the clock leave the truth of the rest, and are undone byte for byte', async () => {
  await nines.app.evaluator.evaluateAll()
  const before = await answersOf()
  const made: number[] = []
  let excluded = none
  const add = async (sent: object, minutes: Minutes) => {
    made.push(await correct({ ...covers, ...sent }))
    excluded = any(excluded, minutes)
    await expectTruth(excluded)
  }
  const [a, b] = [nowSeconds - 26 * hours - 17 * 60, nowSeconds - 20 * hours]
  await add({ from: iso(a), to: iso(b) }, between(a, b))
  const [c, d] = [nowSeconds - 22 * hours, nowSeconds - 18.5 * hours]
  await add({ from: iso(c), to: iso(d) }, between(c, d))
  const e = Math.floor(nowSeconds / 86_400) * 86_400 - 10 * 86_400 + 13 * 60 // of which the ledger has hours only
  await add({ from: iso(e), to: iso(e + 5 * hours + 27 * 60) }, between(e, e + 5 * hours + 27 * 60))
  const sundays = [
    '2026-10-25T00:00Z',
    '2026-11-01T01:00Z',
    '2026-11-08T01:00Z',
    '2026-11-15T01:00Z',
    '2026-11-22T01:00Z',
  ]
  const recurring = sundays.map((text) => Date.parse(text) / 1000).map((at) => between(at, at + 2 * hours))
  const rule = { rrule: 'FREQ=WEEKLY;BYDAY=SU', duration_seconds: 7200, time_zone: 'Europe/Zurich' }
  await add({ from: '2026-10-18T02:00:00+02:00', ...rule }, any(...recurring))
  for (const kind of ['checks', 'requests'] as const) {
    const { excluded: figures, measured_at } = await budgetOf(ids[kind])
    const end = Date.parse(measured_at) / 1000
    const all = truth(end, none)[kind]
    expect(figures).toMatchObject({ sli_without: expect.closeTo(all, 4), resolution: '1m' })
    const minutes = samples.filter(({ minute }) => minute >= end - windowSeconds && minute < end && excluded(minute))
    expect(figures.seconds).toBe(60 * minutes.length)
    expect(figures.share).toBeCloseTo(figures.seconds / windowSeconds, 9)
  }
  const { body: list } = await nines.call('GET', '/api/v1/corrections')
  expect(list.total).toBe(4)
  for (const id of made) expect((await nines.call('DELETE', `/api/v1/corrections/${id}`)).status).toBe(200)
  expect(await answersOf()).toEqual(before)
}, 120_000)

test('a preview says what the budget becomes', async () => {
  const sent = { ...covers, category: 'bad_data', from: iso(nowSeconds - 30 * hours), to: iso(nowSeconds - 20 * hours) }
  const { body: preview } = await nines.call('POST', '/api/v1/corrections/preview', sent)
  const id = await correct(sent)
  for (const { slo_id, seconds, sli_corrected, percentage_used_corrected } of preview.slos) {
    const budget = await budgetOf(slo_id)
    expect(budget.sli).toBeCloseTo(sli_corrected, 5)
    expect(budget.error_budget.percentage_used).toBeCloseTo(percentage_used_corrected, 4)
    expect(budget.excluded.seconds).toBe(seconds)
  }
  expect(preview.slo_count).toBe(2)
  await nines.call('DELETE', `/api/v1/corrections/${id}`)
})

test('only service hours count, holidays do not', async () => {
  const service_hours = {
    time_zone: 'Europe/Zurich',
    hours: [{ days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' }],
    holidays: ['2026-11-18'],
  }
  const isExcluded: Minutes = (minute) => {
    const offset = minute < Date.parse('2026-10-25T01:00Z') / 1000 ? 2 : 1
    const local = new Date(1000 * (minute + offset * hours))
    const isWeekend = local.getUTCDay() === 0 || local.getUTCDay() === 6
    return isWeekend || local.getUTCHours() < 8 || local.getUTCHours() >= 18 || local.toJSON().startsWith('2026-11-18')
  }
  const before = await answersOf()
  for (const id of Object.values(ids)) await nines.call('PUT', `/api/v1/slos/${id}`, { service_hours })
  await nines.app.evaluator.evaluateAll()
  await expectTruth(isExcluded)
  expect((await nines.call('GET', `/api/v1/slos/${ids.checks}`)).body.service_hours).toEqual(service_hours)
  for (const id of Object.values(ids)) await nines.call('PUT', `/api/v1/slos/${id}`, { service_hours: null })
  await nines.app.evaluator.evaluateAll()
  expect(await answersOf()).toEqual(before)
}, 120_000)

test('service hours of the creation, and a correction made before the past is filled in, are exact to the minute', async () => {
  const from = Math.floor(nowSeconds / 86_400) * 86_400 - 9 * 86_400 + 17 * 60
  const made = await correct({ ...covers, from: iso(from), to: iso(from + 3 * hours) })
  const isInCorrection = between(from, from + 3 * hours)
  const service_hours = {
    time_zone: 'Asia/Kathmandu',
    hours: [{ days: [1, 2, 3, 4, 5, 6, 7], from: '06:00', to: '20:00' }],
  }
  const isClosed: Minutes = (minute) => {
    const local = new Date(1000 * (minute + 5.75 * hours))
    return local.getUTCHours() < 6 || local.getUTCHours() >= 20
  }
  const sent = { name: 'Open', target: 90, metric_type: 'availability', time_window: '30d', metric_query: 'up' }
  const { body } = await nines.call('POST', '/api/v1/slos', { ...sent, labels: { app: 'shop' }, service_hours })
  await nines.app.evaluator.evaluateAll()
  await nines.app.backfills.run()
  await nines.app.evaluator.evaluateAll()
  const { sli, measured_at, excluded } = await budgetOf(body.id)
  const { checks } = truth(Date.parse(measured_at) / 1000, any(isInCorrection, isClosed))
  expect(excluded.resolution).toBe('1m')
  expect(sli).toBeCloseTo(checks, 6)
  await nines.call('DELETE', `/api/v1/slos/${body.id}`)
  await nines.call('DELETE', `/api/v1/corrections/${made}`)
}, 120_000)
