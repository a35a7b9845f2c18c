import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { isWithoutBrowser, looksRight, titled } from './browser.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "the first day": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('the first day', () => {
  const world = pageWorld({ isFirstStart: true, env: { SOURCE_URL: 'embedded' } })
  let shop: Receiver
  let isDown = false
  beforeEach(() => {
    isDown = false
    shop = startReceiver(() => new Response('welcome', { status: isDown ? 503 : 200 }))
  })
  afterEach(() => shop.close())

  /** Minutes pass for nines and for the browser: the probes run, and at the end of each everything is evaluated. */
  const pass = async (minutes: number) => {
    const { clock, app } = world.nines
    for (let half = 1; half <= 2 * minutes; half++) {
      clock.advance(30_000)
      app.collector.tick()
      await app.collector.drain()
      if (half % 2 === 0) await app.evaluator.evaluateAll()
    }
    await world.context.clock.setSystemTime(clock.now())
  }

  test('an account, a probe and its SLO, an outage that the page shows live, and its end', async () => {
    const { page, url } = world
    await page.goto(`${url}/`)
    await page.getByLabel('E-mail').fill('ada@example.com')
    await page.getByLabel('Name').fill('Ada')
    await page.getByLabel('Password').fill('correct horse')
    await page.getByRole('button', { name: 'Make the account' }).click()

    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByLabel('Address').fill(`${shop.url}/health`)
    await page.getByRole('button', { name: 'Watch it' }).click()
    const name = `${new URL(shop.url).host} answers`
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await pass(35)
    await page.locator('.page-head').getByText('Healthy').waitFor()
    await looksRight(page)

    await page.getByRole('link', { name: 'Overview' }).first().click()
    await titled(page, 'Overview · nines')
    const row = page.getByRole('row', { name })
    await row.getByText('Healthy').waitFor({ state: 'attached' })
    await page.getByText('live,').waitFor()
    await page.evaluate('globalThis.isSameDocument = true')

    isDown = true
    await pass(2)
    await row.getByText('Warning').waitFor({ state: 'attached' })
    await pass(5)
    await row.getByText('Critical').waitFor({ state: 'attached' })
    await row.getByText('Burning').waitFor()
    await looksRight(page)

    await row.getByRole('link', { name }).click()
    await page.locator('.page-head').getByText('Critical').waitFor()
    const incident = page.locator('.went').getByRole('listitem').first()
    await incident.getByText('goes on').waitFor()
    await incident.getByText(/\d\s*%/).waitFor()

    isDown = false
    await pass(10)
    await page.getByText('Recovering').first().waitFor()
    await pass(15)
    await incident.getByText(/\d\s*min/).waitFor()
    expect(await page.evaluate<boolean>('isSameDocument')).toBe(true)
  }, 60_000)
})
