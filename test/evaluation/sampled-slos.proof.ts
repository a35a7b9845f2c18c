import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { shareWorkers } from '../support/shared-workers.ts'
import { countedSlo } from '../support/counting-source.ts'

const hour = 3600
const day = 86_400

let nines: TestApp
let now: number
beforeEach(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded' }, workers: shareWorkers() })
  await nines.join('ada')
  nines.clock.advance(30 * 60_000 + 10_000)
  now = Math.floor(nines.clock.now() / 60_000) * 60
})
afterEach(() => nines.close())

/** Stores samples of a counter, given by their age. */
function scrape(
  labels: Record<string, string>,
  { everySeconds, fromAgo, untilAgo = 0 }: { everySeconds: number; fromAgo: number; untilAgo?: number },
  valueAt: (agoSeconds: number) => number,
): void {
  const all = Object.entries({ __name__: 'requests_total', service: 'shop', ...labels })
  const sorted = all.toSorted(([a], [b]) => (a < b ? -1 : 1))
  for (let ago = fromAgo; ago >= untilAgo; ago -= everySeconds) {
    nines.app.samples.append(1, sorted, (now - ago) * 1000, valueAt(ago))
  }
}

async function create(change: object = {}): Promise<number> {
  const { body } = await nines.call('POST', '/api/v1/slos', { ...countedSlo('shop'), metric_query: null, ...change })
  return body.id
}

const read = async (path: string) => (await nines.call('GET', `/api/v1/slos/${path}`)).body

test.each([300, 600, 3600])(
  '20 days of scrapes every %d s are covered, and each incident is charged once',
  async (everySeconds) => {
    const begun = 20 * day
    /** Failures of ten requests a second: a quarter for four hours 12 days ago, all for six hours 2 days ago. */
    const failedUntil = (ago: number) => {
      const part = (fromAgo: number, length: number, share: number) =>
        share * Math.min(length, Math.max(0, fromAgo - ago))
      return 10 * (part(12 * day, 4 * hour, 0.25) + part(2 * day, 6 * hour, 1))
    }
    const scraped = { everySeconds, fromAgo: begun, untilAgo: 7 }
    scrape({ code: '200' }, scraped, (ago) => 10 * (begun - ago) - failedUntil(ago))
    scrape({ code: '500' }, scraped, failedUntil)
    const id = await create({ target: 99 })
    await nines.app.backfills.run()
    const [evaluation] = await nines.app.evaluator.evaluateAll()
    const bad = 10 * hour * (4 * 0.25 + 6)
    expect(evaluation?.ownCoverage).toBeCloseTo(20 / 30, 2)
    expect(evaluation?.budgetUsed).toBeCloseTo((100 * bad) / (10 * begun) / 0.01, -1)
    const { incidents, background_percent } = await read(`${id}/incidents`)
    expect(incidents.map(({ bad_events }: { bad_events: number }) => Math.round(bad_events / 1000))).toEqual([216, 36])
    expect(Math.abs(background_percent)).toBeLessThan(5)
    const { calendar } = await read(`${id}/budget`)
    expect(
      calendar.reduce((sum: number, one: { gives_back_percent: number }) => sum + one.gives_back_percent, 0),
    ).toBeCloseTo((evaluation?.budgetUsed ?? 0) * (20 / 30), -1)
    for (const { long_seconds, short_seconds, long, short, firing } of evaluation?.burnRates ?? []) {
      expect([long_seconds, long === null]).toEqual([long_seconds, long_seconds < 2 * everySeconds])
      expect([short_seconds, short === null]).toEqual([short_seconds, short_seconds < 2 * everySeconds])
      if (short_seconds < 2 * everySeconds) expect(firing).toBeNull()
    }
  },
)

test('failures in the last partial minute of a series burn, alert and are an incident', async () => {
  const everySeconds = 5
  const [endedAgo, failedFor] = [3 * 60 + 8, 40]
  const ends = { everySeconds, fromAgo: hour, untilAgo: endedAgo }
  const failed = (ago: number) => 10 * Math.min(failedFor, Math.max(0, endedAgo + failedFor - ago))
  scrape({ code: '200', pod: 'a' }, ends, (ago) => 10 * (hour - ago) - failed(ago))
  scrape({ code: '500', pod: 'a' }, ends, failed)
  scrape({ code: '200', pod: 'b' }, { everySeconds, fromAgo: hour }, (ago) => 10 * (hour - ago))
  const id = await create({ target: 99 })
  await nines.app.backfills.run()
  const [evaluation] = await nines.app.evaluator.evaluateAll()
  const short = evaluation?.burnRates.find(({ short_seconds }) => short_seconds === 300)?.short ?? 0
  expect(short).toBeGreaterThan(8)
  const { incidents, background_percent } = await read(`${id}/incidents`)
  expect(incidents).toMatchObject([
    { bad_events: expect.closeTo(380, 0), peak_percent: expect.closeTo((100 * 380) / 1100, 3) },
  ])
  expect(Math.abs(background_percent)).toBeLessThan(1)
})

test('an SLO with the longest query there may be is measured, with its past and its burn rates', async () => {
  const names = Array.from({ length: 1100 }, (_, n) => `v${n}`).join('|')
  const selector = (code: string) => `sum(rate(requests_total{service=~"shop|${names.slice(0, 4800)}"${code}}[5m]))`
  const metric_query = `${selector(',code="200"')} / ${selector('')}`
  expect(metric_query.length).toBeGreaterThan(9500)
  const scraped = { everySeconds: 15, fromAgo: 2 * hour, untilAgo: 7 }
  scrape({ code: '200' }, scraped, (ago) => 9 * (2 * hour - ago))
  scrape({ code: '500' }, scraped, (ago) => 2 * hour - ago)
  const slo = { name: 'long', target: 99, time_window: '1h', metric_type: 'availability', metric_query }
  const { id } = (await nines.call('POST', '/api/v1/slos', slo)).body
  await nines.app.backfills.run()
  const [evaluation] = await nines.app.evaluator.evaluateAll()
  expect(evaluation?.budgetUsed).toBeCloseTo(1000, 0)
  expect((await read(`${id}/backfill`)).error).toBeNull()
  const { tiers } = await read(`${id}/burn-rates`)
  expect(tiers[0]).toMatchObject({ long_burn_rate: expect.closeTo(10, 1), short_burn_rate: expect.closeTo(10, 1) })
})

test.each([90, 300, 600, 1800])(
  'an outage between scrapes every %d s lies in the incident, which says that it is as exact as the scrapes',
  async (everySeconds) => {
    const begun = 2 * day
    const [fromAgo, untilAgo] = [5 * hour + 1000, 5 * hour - 700]
    const failed = (ago: number) => 10 * Math.min(fromAgo - untilAgo, Math.max(0, fromAgo - ago))
    const scraped = { everySeconds, fromAgo: begun, untilAgo: 7 }
    scrape({ code: '200' }, scraped, (ago) => 10 * (begun - ago) - failed(ago))
    scrape({ code: '500' }, scraped, failed)
    const id = await create({ target: 99, time_window: '24h' })
    await nines.app.backfills.run()
    await nines.app.evaluator.evaluateAll()
    const { incidents } = await read(`${id}/incidents`)
    const ago = (time: string) => now - Date.parse(time) / 1000
    const resolution = Math.ceil(everySeconds / 60) * 60
    expect(incidents).toMatchObject([{ resolution_seconds: resolution }])
    const [{ began_at, ended_at, peak_percent, total_events }] = incidents
    expect(ago(began_at)).toBeWithin(fromAgo, fromAgo + resolution + 60)
    expect(ago(ended_at)).toBeWithin(untilAgo - resolution - 60, untilAgo + 1)
    expect(total_events / 10).toBeWithin(fromAgo - untilAgo, fromAgo - untilAgo + 2 * resolution)
    if (resolution * 3 < fromAgo - untilAgo) expect(peak_percent).toBeCloseTo(100, 9)
  },
)

test('a tier over a minute alerts some minutes after scrapes became fast enough for it, and its answer says what the alert does', async () => {
  const failing = (ago: number) => (ago > 0 ? 0 : -ago)
  const codes = [
    ['200', (ago: number) => 20 * (hour - ago) - 10 * failing(ago)],
    ['500', (ago: number) => 10 * failing(ago)],
  ] as const
  for (const [code, valueAt] of codes) {
    scrape({ code }, { everySeconds: 60, fromAgo: hour }, valueAt)
    scrape({ code }, { everySeconds: 30, fromAgo: -30, untilAgo: -20 * 60 }, valueAt)
  }
  const id = await create({ target: 99, time_window: '1h' })
  const name = 'burn_rate:300:60'
  const held = { long_window: '5m', short_burn_rate: null, firing: null, firing_reason: 'too_few_samples' }
  const firingAt: number[] = []
  for (let minutes = 0; minutes <= 8; minutes += 1) {
    const [evaluation] = await nines.app.evaluator.evaluateAll()
    const [decided] = evaluation?.burnRates ?? []
    const [tier] = (await read(`${id}/burn-rates`)).tiers
    const { alerts } = (await nines.call('GET', '/api/v1/notifications/alerts?state=firing')).body
    expect(tier.firing).toBe(decided?.firing)
    expect(alerts.some((alert: { name: string }) => alert.name === name)).toBe(tier.firing === true)
    if (tier.firing) firingAt.push(minutes)
    else expect(tier).toMatchObject(minutes > 0 ? held : { firing: null })
    nines.clock.advance(60_000)
  }
  expect(firingAt).toEqual([4, 5, 6, 7, 8])
})
