import { acceptingHook } from '../support/accepting-hook.ts'
import type { TestApp } from '../support/app.ts'
import { closeLater } from '../support/closing.ts'
import { preparedApp } from '../support/prepared-app.ts'

const everySeconds = 15
const shares = { '/checkout': 0.32, '/search': 0.68 }
type Route = keyof typeof shares

/** Counts of requests as the shop has them, by route and code, and when they were last scraped. */
type Counts = { scrapedMs: number; counts: Map<string, { labels: [string, string][]; count: number }> }

/** A shop with 10 requests a second on two routes, and SLOs of 99.9 % over 30 days that are evaluated each minute. */
export async function shop({ slos = 1 } = {}) {
  const env = { SOURCE_URL: 'embedded', EVALUATION_INTERVAL: '3600' }
  const { nines, result: counted } = await preparedApp(`shop ${slos}`, { env }, (made) => openShop(made, slos))
  closeLater(nines.close)
  const { app, clock } = nines
  return {
    nines,
    async minutes(count: number, failing: Partial<Record<Route, number>> = {}) {
      for (let minute = 1; minute <= count; minute += 1) {
        clock.advance(60_000)
        scrapeUntilNow(nines, counted, failing)
        await app.evaluator.evaluateAll()
      }
    },
    incidents: async (state = 'open') =>
      (await nines.call('GET', `/api/v1/incidents?state=${state}&page_size=100`)).body.incidents,
    messages: async () => app.db.read.selectFrom('notifications').selectAll().orderBy('id').execute(),
  }
}

/** Two hours of a shop that is well, its SLOs, backfilled and evaluated, and a default channel. */
async function openShop(nines: TestApp, slos: number): Promise<Counts> {
  await nines.join('ada')
  const { app, clock } = nines
  const counted: Counts = { scrapedMs: clock.now() - 2 * 3_600_000, counts: new Map() }
  scrapeUntilNow(nines, counted, {})
  const webhook = { name: 'hook', channel_type: 'webhook', is_default: true }
  await nines.call('POST', '/api/v1/notifications/channels', {
    ...webhook,
    configuration: { webhook_url: acceptingHook() },
  })
  const sum = (selector: string) => `sum(rate(requests_total${selector}[5m]))`
  const slo = { target: 99.9, time_window: '30d', metric_type: 'availability', total_query: sum('') }
  for (let n = 1; n <= slos; n += 1)
    await nines.call('POST', '/api/v1/slos', { ...slo, name: `shop ${n}`, bad_query: sum('{code="500"}') })
  clock.advance(5000) // a minute is evaluated 5 s after its end
  app.evaluator.tick()
  await app.backfills.run()
  await app.evaluator.evaluateAll()
  return counted
}

function scrapeUntilNow({ app, clock }: TestApp, counted: Counts, failing: Partial<Record<Route, number>>): void {
  const add = (route: Route, code: string, count: number) => {
    const labels = Object.entries({ __name__: 'requests_total', code, route })
    counted.counts.getOrInsert(`${route} ${code}`, { labels, count: 0 }).count += count
  }
  while (counted.scrapedMs + 1000 * everySeconds <= clock.now()) {
    counted.scrapedMs += 1000 * everySeconds
    for (const route of ['/checkout', '/search'] as const) {
      const requests = everySeconds * 10 * shares[route]
      add(route, '500', requests * (failing[route] ?? 0))
      add(route, '200', requests * (1 - (failing[route] ?? 0)))
    }
    for (const { labels, count } of counted.counts.values()) app.samples.append(1, labels, counted.scrapedMs, count)
  }
}
