import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { isWithoutBrowser, looksRight, titled } from './browser.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "the first day": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('the first day', () => {
  const world = pageWorld({ isFirstStart: true, env: { SOURCE_URL: 'embedded' } })
  let shop: Receiver
  let isDown = false
  let answers: Map<string, number>
  beforeEach(() => {
    isDown = false
    answers = new Map()
    shop = startReceiver(({ path }) =>
      path === '/metrics' ? new Response(exposed(answers)) : new Response('welcome', { status: isDown ? 503 : 200 }),
    )
  })
  afterEach(() => shop.close())

  /** Half a minute of requests to the shop. While it is down, payments fail. */
  const sell = () => {
    for (const route of ['/', '/cart', '/pay']) {
      const series = `route="${route}",code="${isDown && route === '/pay' ? 503 : 200}"`
      answers.set(series, (answers.get(series) ?? 0) + 100)
    }
  }

  /** Advances the time of nines and the browser: probes run, and each minute ends with an evaluation. */
  const pass = async (minutes: number) => {
    const { clock, app } = world.nines
    for (let half = 1; half <= 2 * minutes; half++) {
      sell()
      for (let second = 0; second < 30; second++) {
        clock.advance(1000)
        // each probe and target has its own second; a missed one is not made up for
        app.collector.tick()
      }
      await app.collector.drain()
      await app.backfills.run()
      if (half % 2 === 0) await app.evaluator.evaluateAll()
    }
    const lateMs = clock.now() - (await world.page.evaluate<number>('Date.now()'))
    if (lateMs > 0) await world.page.clock.fastForward(lateMs)
  }

  /** Creates by API, since the page has no form for it, a scrape target and an SLO over its counters. */
  const createOverCounters = async () => {
    const { call } = world.nines
    const ada = { email: 'ada@example.com', password: 'correct horse' }
    const token = (await call('POST', '/api/v1/auth/login', ada)).body.access_token
    const target = { name: 'shop', url: `${shop.url}/metrics`, interval_seconds: 30 }
    expect((await call('POST', '/api/v1/embedded/targets', target, { token })).status).toBe(201)
    const slo = {
      name: 'Sales succeed',
      target: 99.9,
      time_window: '30d',
      metric_type: 'availability',
      bad_query: 'sum(rate(sales_total{job="shop",code="503"}[5m]))',
      total_query: 'sum(rate(sales_total{job="shop"}[5m]))',
      force: true,
    }
    expect((await call('POST', '/api/v1/slos', slo, { token })).status).toBe(201)
  }

  test('an account, a probe and its SLO, an outage that the page shows live, and its end', async () => {
    const { page, context, nines, url } = world
    await context.clock.install({ time: nines.clock.now() })
    await page.goto(`${url}/`)
    // the login page also has an e-mail field
    await page.getByRole('button', { name: 'Make the account' }).waitFor()
    await page.getByLabel('E-mail').fill('ada@example.com')
    await page.getByLabel('Name').fill('Ada')
    await page.getByLabel('Password').fill('correct horse')
    await page.getByRole('button', { name: 'Make the account' }).click()

    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByLabel('Address').fill(`${shop.url}/health`)
    await page.getByRole('button', { name: 'Watch it' }).click()
    const name = `${new URL(shop.url).host} answers`
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await createOverCounters()
    await pass(35)
    await page
      .locator('.now')
      .getByText(/^On track/)
      .waitFor()
    await looksRight(page)

    await page.getByRole('link', { name: 'Overview' }).first().click()
    await titled(page, 'Overview · nines')
    const row = page.getByRole('row', { name })
    await row.getByText('On track').waitFor()
    await page.getByText('live,').waitFor()
    await page.evaluate('globalThis.isSameDocument = true')

    isDown = true
    await pass(2)
    await row.getByText(/^Down/).waitFor()
    await pass(5)
    await row.getByText(/^Down \d+\s*min$/).waitFor()
    await row.getByText(/^Burning [\d,]+×$/).waitFor()
    await looksRight(page)

    await row.getByRole('link', { name }).click()
    await page
      .locator('.now')
      .getByText(/^Down since \d\d:\d\d \(\d+\s*min\): HTTP 503, expected 2xx\. /)
      .waitFor()
    const incident = page.locator('.went').getByRole('listitem').first()
    await incident.getByText('still failing').waitFor()
    await incident.getByText(/\d\s*%/).waitFor()

    await page.getByRole('link', { name: 'Overview' }).first().click()
    await page.getByRole('link', { name: 'Sales succeed' }).click()
    await page
      .locator('.now')
      .getByText(/^Burning \d+ times too fast/)
      .waitFor()
    await incident.getByRole('button').first().click()
    await incident.getByText(/route=\/pay has 100\s% of the failures with 33\s% of the traffic\./).waitFor()
    await looksRight(page)

    isDown = false
    await pass(10)
    await page
      .locator('.now')
      .getByText(/^Up again for/)
      .waitFor()
    await pass(15)
    await incident
      .locator('.when')
      .getByText(/\d\s*min/)
      .waitFor()
    expect(await page.evaluate<boolean>('isSameDocument')).toBe(true)
  })
})

/** Sales counters in Prometheus' text format. */
function exposed(answers: Map<string, number>): string {
  return [...answers].map(([series, count]) => `sales_total{${series}} ${count}\n`).join('')
}
