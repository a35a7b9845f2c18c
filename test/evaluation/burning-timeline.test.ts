import { afterEach, expect, test } from 'bun:test'
import { acceptingHook } from '../support/accepting-hook.ts'
import type { TestApp } from '../support/app.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { preparedApp } from '../support/prepared-app.ts'

afterEach(closeAll)

const everySeconds = 15
const recipientOf = () => ({ name: 'hook', channel_type: 'webhook', configuration: { webhook_url: acceptingHook() } })

type Counted = { sloId: number; scrapedMs: number; counts: Record<string, number> }

/**
 * A service with 10 requests a second that is scraped every 15 s for 48 hours, its SLO of 99.9 % over 30 days, and a default
 * channel.
 */
async function openService(nines: TestApp): Promise<Counted> {
  await nines.join('ada')
  const { app, clock } = nines
  const counted: Counted = { sloId: 0, scrapedMs: clock.now() - 48 * 3_600_000, counts: { 200: 0, 500: 0 } }
  scrape(nines, counted)
  scrapeUntilNow(nines, counted, 10, 0.0001)
  await post('/notifications/channels', { ...recipientOf(), is_default: true })
  const sum = (selector: string) => `sum(rate(requests_total${selector}[5m]))`
  const slo = { name: 'Checkout answers', target: 99.9, time_window: '30d', metric_type: 'availability' }
  const { id } = await post('/slos', { ...slo, bad_query: sum('{code="500"}'), total_query: sum('') })
  clock.advance(5000) // a minute is evaluated 5 s after its end
  app.evaluator.tick()
  await app.backfills.run()
  await app.evaluator.evaluateAll()

  async function post(path: string, body: object) {
    const answer = await nines.call('POST', `/api/v1${path}`, body)
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`)
    return answer.body
  }
  return { ...counted, sloId: id }
}

function scrape({ app }: TestApp, { scrapedMs, counts }: Counted): void {
  for (const [code, count] of Object.entries(counts)) {
    app.samples.append(1, Object.entries({ __name__: 'requests_total', code }), scrapedMs, count)
  }
}

function scrapeUntilNow(nines: TestApp, counted: Counted, perSecond: number, failing: number): void {
  const { counts } = counted
  while (counted.scrapedMs + 1000 * everySeconds <= nines.clock.now()) {
    counted.scrapedMs += 1000 * everySeconds
    counts['500'] = (counts['500'] ?? 0) + everySeconds * perSecond * failing
    counts['200'] = (counts['200'] ?? 0) + everySeconds * perSecond * (1 - failing)
    scrape(nines, counted)
  }
}

async function service() {
  const env = { SOURCE_URL: 'embedded', EVALUATION_INTERVAL: '3600' }
  const { nines, result: counted } = await preparedApp('service', { env }, openService)
  closeLater(nines.close)
  const { app, clock } = nines
  const outbox = () => app.db.read.selectFrom('notifications').selectAll().orderBy('id').execute()
  return {
    nines,
    /** Lets minutes pass; evaluates each one 5 s after its end. Returns `minute: event of the incident` of what was queued. */
    async minutes(count: number, { failing = 0, perSecond = 10 }: { failing?: number; perSecond?: number } = {}) {
      const queued: string[] = []
      for (let minute = 1; minute <= count; minute += 1) {
        const known = (await outbox()).length
        clock.advance(60_000)
        scrapeUntilNow(nines, counted, perSecond, failing)
        await app.evaluator.evaluateAll()
        for (const { incident_event, alert_type } of (await outbox()).slice(known)) {
          queued.push(`${minute}: ${incident_event ?? alert_type}`)
        }
        await app.db.write.updateTable('notifications').set({ status: 'delivered' }).execute() // nobody receives them here
      }
      return queued
    },
    async state(): Promise<string> {
      const { body } = await nines.call('GET', '/api/v1/slos/overview')
      return body.slos[0].state
    },
    budget: async () => (await nines.call('GET', `/api/v1/slos/${counted.sloId}/budget`)).body,
    incidents: () => app.db.read.selectFrom('incidents').selectAll().orderBy('id').execute(),
  }
}

const minuteOf = (queued: string | undefined) => Number(queued?.split(':')[0])

test('40 % of requests fail for six minutes: one message within 210 s, one within 6 min 30 s of the end, and no other', async () => {
  const shop = await service()
  expect(await shop.minutes(2)).toEqual([])
  expect(await shop.state()).toBe('ok')
  const beganMs = shop.nines.clock.now()
  const opened = await shop.minutes(6, { failing: 0.4 })
  expect(opened).toHaveLength(1)
  expect(opened[0]).toEndWith('opened')
  expect(minuteOf(opened[0]) * 60).toBeLessThanOrEqual(210)
  expect(await shop.state()).toBe('burning_fast')
  const { burn_rate_now, forecast, error_budget } = await shop.budget()
  expect(burn_rate_now).toBeGreaterThan(350)
  expect(burn_rate_now).toBeLessThanOrEqual(400)
  const leftSeconds = ((100 - error_budget.window_percent_used) / 100) * 2_592_000
  const expectedMs = (1000 * leftSeconds) / 400
  const forecastMs = Date.parse(forecast.exhausts_at) - shop.nines.clock.now()
  expect(Math.abs(forecastMs / expectedMs - 1)).toBeLessThan(0.2)
  const [incident] = await shop.incidents()
  expect(Math.abs((incident?.began_at ?? 0) * 1000 - beganMs)).toBeLessThanOrEqual(60_000)

  const ended = await shop.minutes(7)
  expect(ended).toHaveLength(1)
  expect(ended[0]).toEndWith('recovered')
  expect(minuteOf(ended[0]) * 60).toBeLessThanOrEqual(390)
  expect(await shop.state()).toBe('recovering')
  expect(await shop.minutes(16)).toEqual([])
  expect(await shop.incidents()).toMatchObject([{ state: 'closed', close_reason: 'recovered' }])
  expect(await shop.minutes(60)).toEqual([])
}, 120_000)

test('the fastest burn of an incident is at least the burn rate now beside it, from its opening on', async () => {
  const shop = await service()
  await shop.minutes(2)
  for (let minute = 1; minute <= 6; minute += 1) {
    await shop.minutes(1, { failing: 0.4 })
    const { incidents } = (await shop.nines.call('GET', '/api/v1/incidents')).body
    expect(incidents).toHaveLength(minute < 3 ? 0 : 1)
    for (const { peak_burn_rate, burn_rate_now } of incidents) {
      expect(peak_burn_rate).toBeGreaterThanOrEqual(burn_rate_now)
    }
  }
}, 120_000)

test('a relapse before the incident is closed is one message in the same incident', async () => {
  const shop = await service()
  await shop.minutes(6, { failing: 0.4 })
  await shop.minutes(10)
  const again = await shop.minutes(6, { failing: 0.4 })
  expect(again.map((one) => one.split(': ')[1])).toEqual(['again'])
  expect(await shop.incidents()).toMatchObject([{ relapses: 1, closed_at: null }])
}, 120_000)

test('a load balancer that dies in an outage never reads as up again', async () => {
  const shop = await service()
  expect(await shop.minutes(4, { failing: 0.4 })).toHaveLength(1)
  expect(await shop.minutes(90, { perSecond: 0 })).toEqual([])
  expect(await shop.state()).toBe('unknown')
  expect(await shop.incidents()).toMatchObject([{ closed_at: null }])
  const ended = await shop.minutes(7)
  expect(ended.map((one) => one.split(': ')[1])).toEqual(['recovered'])
}, 120_000)
