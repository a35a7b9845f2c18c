import { beforeEach, describe, expect, test } from 'bun:test'
import { importShop } from '../support/shop-samples.ts'
import { fits, isWithoutBrowser, looksRight } from './browser.ts'
import { formHands } from './form-hands.ts'
import { heading } from './visit.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "a calendar window": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('a calendar window', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded', PORT: '0' } })
  beforeEach(() => importShop(world.nines))

  const { opened, pick, filter, previewed, created } = formHands(world)

  /** Stores the October of an SLO in Zurich as one that has ended. */
  async function storeOctober(slo_id: number): Promise<void> {
    const { db, clock } = world.nines.app
    const [starts_at, ends_at] = [Date.UTC(2026, 8, 30, 22) / 1000, Date.UTC(2026, 9, 31, 23) / 1000]
    const measured = { revision: 1, sli: 98.5, good_events: 197, total_events: 200 }
    const counted = { counted_good: 197, counted_total: 200, note: null, frozen_at: clock.now(), recomputed_at: null }
    const of = { slo_id, starts_at, ends_at, time_window: 'month' as const, time_zone: 'Europe/Zurich', target: 99 }
    await db.write
      .insertInto('slo_periods')
      .values({ ...of, ...measured, ...counted })
      .execute()
  }

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
    await storeOctober(slo.id)
    const times = { from: '2026-10-20T10:00:00Z', to: '2026-10-20T11:00:00Z', category: 'planned_maintenance' }
    await nines.call('POST', '/api/v1/corrections', { slo_ids: [slo.id], ...times })
    await page.reload()
    const october = page.getByRole('row', { name: /^Oct 2026/ })
    await october.getByText('98.5', { exact: false }).first().waitFor()
    await october.getByRole('button', { name: /^Compute Oct 2026 again/ }).click()
    await page.getByText('Oct 2026: computed again with the corrections of now.').waitFor()
    await october.getByText(/^computed again/).waitFor()
    await october.getByText(/^1.h; 98.50?.% with it$/).waitFor()
    await looksRight(page)
    await page.goto(`${world.url}/slos/${slo.id}/definition`)
    await page.getByText('calendar month, Europe/Zurich').waitFor()
    await page.goto(`${world.url}/slos/${slo.id}/edit`)
    await page.getByRole('radio', { name: 'Calendar' }).waitFor()
    expect(await page.getByLabel('Time zone').inputValue()).toBe('Europe/Zurich')
    await page.getByRole('radio', { name: '7\u2009d', exact: true }).check()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await heading(page, 'Checkout answers')
    expect((await nines.call('GET', `/api/v1/slos/${slo.id}`)).body).toMatchObject({
      time_window: '7d',
      time_zone: null,
    })
  })
})
