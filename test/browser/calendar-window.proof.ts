import { beforeEach, describe, expect, test } from 'bun:test'
import { importShop } from '../support/shop-samples.ts'
import { fits, isWithoutBrowser, looksRight } from './browser.ts'
import { formHands } from './form-hands.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "a calendar window": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('a calendar window', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded', PORT: '0' } })
  beforeEach(() => importShop(world.nines))

  const { opened, pick, filter, previewed, created } = formHands(world)

  test('is chosen with its time zone, and the page says of each figure that it is of the month', async () => {
    await opened('/slos/new')
    const { page, nines, net } = world
    net.expected.add('POST /api/v1/slos/preview 400')
    await pick('All requests', 'shop_requests_total')
    await filter('All requests', 'service', 'checkout')
    await page.getByRole('button', { name: 'code =~ 5.. as bad' }).press('Enter')
    await page.getByRole('radio', { name: 'Calendar' }).check()
    await page.getByLabel('Time zone').fill('Europe/Zurch')
    await page.getByText('must be an IANA time zone').waitFor()
    await page.getByLabel('Time zone').fill('Europe/Zurich')
    await previewed(/the month so far/)
    await looksRight(page)
    const slo = await created('Checkout answers')
    expect(slo).toMatchObject({ time_window: 'month', time_zone: 'Europe/Zurich' })
    await nines.app.backfills.run()
    await nines.app.evaluator.evaluateAll()
    await page.reload()
    await page.getByRole('heading', { name: 'SLI, this month' }).waitFor()
    await page.getByRole('heading', { name: 'Past months' }).waitFor()
    await fits(page)
    await page.goto(`${world.url}/slos/${slo.id}/definition`)
    await page.getByText('calendar month, Europe/Zurich').waitFor()
    await page.goto(`${world.url}/slos/${slo.id}/edit`)
    await page.getByRole('radio', { name: 'Calendar' }).waitFor()
    expect(await page.getByLabel('Time zone').inputValue()).toBe('Europe/Zurich')
    await page.getByRole('radio', { name: '7\u2009d', exact: true }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Checkout answers' }).waitFor()
    expect((await nines.call('GET', `/api/v1/slos/${slo.id}`)).body).toMatchObject({
      time_window: '7d',
      time_zone: null,
    })
  })
})
