import { describe, expect, test } from 'bun:test'
import { fits, isWithoutBrowser, looksRight } from './browser.ts'
import { withOutage } from './outage.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "zone and clock": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('zone and clock', () => {
  const world = pageWorld({ env: { PORT: '0' } })

  const own = () => world.page.getByRole('region', { name: 'Your time' })
  const ofAll = () => world.page.getByRole('region', { name: 'Time of the organization' })
  const open = async (name: string) => {
    await world.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click() // with a count of open ones
    await world.page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  }

  test('that a person sets are on all pages at once, without a reload, and in other tabs', async () => {
    const { page, context, net, url, signIn } = world
    await withOutage(world)
    net.expected.add(/backfill 404$/)
    await page.goto(`${url}/`)
    await signIn()
    await page.getByText(/live, 10:0\d:\d\d \(UTC\)/).waitFor()
    const other = await context.newPage()
    await other.goto(`${url}/`)
    await other.getByText(/live, 10:0\d:\d\d \(UTC\)/).waitFor()

    await page.getByRole('button', { name: 'ada', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Settings' }).click()
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    await looksRight(page)
    const zone = own().getByLabel('Time zone')
    await zone.fill('Mars/Olympus')
    await own().getByRole('button', { name: 'Save' }).click()
    await own().locator('.problem').waitFor()
    await zone.fill('asia/kolkata')
    await own().getByLabel('12 h').check()
    await own()
      .getByText(/Now: 21 Nov 2026, 3:3\d:\d\d\spm GMT\+5:30/)
      .waitFor()
    await own().getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    expect(await zone.inputValue()).toBe('Asia/Kolkata')

    await other.getByText(/live, 3:3\d:\d\d\spm \(GMT\+5:30\)/).waitFor()
    await open('Overview')
    await page.getByText(/live, 3:3\d:\d\d\spm \(GMT\+5:30\)/).waitFor()
    await fits(page)
    await page.getByRole('link', { name: 'Checkout' }).first().click()
    const went = page.locator('.went time').first()
    await went.getByText(/^10:3\d\sam$/).waitFor()
    expect(await went.getAttribute('title')).toContain('UTC')
    await fits(page)
    await open('Incidents')
    const began = page
      .locator('main time')
      .getByText(/^10:\d\d\sam$/)
      .first()
    await began.waitFor()
    expect(await began.getAttribute('title')).toMatch(/am GMT\+5:30 · 2026-11-21 05:\d\d:\d\d UTC$/)
    await fits(page)
  })

  test('of the organization count for who has chosen nothing, and only its administrators set them', async () => {
    const { page, nines, url, signIn } = world
    await page.goto(`${url}/settings`)
    await signIn()
    await ofAll().getByLabel('Time zone').fill('Pacific/Chatham')
    await ofAll().getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await own().getByPlaceholder('As the organization').waitFor()
    await own()
      .getByText(/GMT\+13:45/)
      .waitFor()
    await open('Overview')
    await nines.app.db.write.updateTable('users').set({ role: 'viewer' }).execute()
    await page.goto(`${url}/settings`)
    await own()
      .getByText(/GMT\+13:45/)
      .waitFor()
    expect(await ofAll().count()).toBe(0)
    await own().getByLabel('Time zone').fill('UTC')
    await own().getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    expect((await nines.call('GET', '/api/v1/auth/me')).body).toMatchObject({
      time_zone: 'UTC',
      clock: null,
      organization: { time_zone: 'Pacific/Chatham', clock: null },
    })
  })
})
