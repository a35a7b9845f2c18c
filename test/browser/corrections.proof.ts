import { describe, expect, test } from 'bun:test'
import { isWithoutBrowser, looksRight } from './browser.ts'
import { withMoments } from './moments.ts'
import { heading } from './visit.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "corrections": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('corrections', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded' } })

  test('the mistake of last week is left out of the budget from its incident, and counts again when that is undone', async () => {
    const { page, url, nines } = world
    const ids = await withMoments(world)
    const id = ids.get('Checkout answers')
    await nines.app.db.write.updateTable('backfills').set({ status: 'failed' }).execute()
    const excludedSeconds = async () =>
      (await nines.call('GET', `/api/v1/slos/${id}/budget`)).body.excluded?.seconds ?? null
    await page.goto(`${url}/slos/${id}`)
    await world.signIn()
    await page.locator('li > button.row').first().click() // the costliest is that of last week
    await page.getByRole('link', { name: 'Leave it out…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave a time out' })
    expect(await dialog.getByLabel('SLO', { exact: true }).inputValue()).toBe(String(id))
    await dialog.getByLabel('Reason').selectOption('bad_data')
    await dialog.getByLabel('Text').fill('Wrong alert rule')
    await dialog.getByText(/^Checkout answers: 1.h would not count; of the budget/).waitFor()
    await looksRight(page)
    await dialog.getByRole('button', { name: 'Leave it out' }).click()
    await heading(page, 'Corrections')
    const row = page.getByRole('row', { name: /^Wrong data Wrong alert rule/ })
    await row.getByText('Checkout answers').waitFor()
    await looksRight(page)

    expect(await excludedSeconds()).toBe(3600)
    await page.goto(`${url}/slos/${id}`)
    await page.getByText(/^1.h \(0\.1.%\) do not count/).waitFor()
    await page.locator('.plot-below').getByText('Left out').first().waitFor()
    await page.getByLabel('Budget left over time').locator('.u-over').hover()
    await page
      .locator('.plot-below')
      .getByText(/ · Left .* · Without corrections /)
      .first()
      .waitFor()
    await looksRight(page)
    await page.getByRole('link', { name: 'Corrections', exact: true }).click()
    await row.getByRole('button', { name: /^Delete/ }).click()
    await row.waitFor({ state: 'detached' })
    expect(await excludedSeconds()).toBeNull()
    await page.getByRole('button', { name: 'Undo' }).click()
    await row.waitFor()
    expect(await excludedSeconds()).toBe(3600)
  })

  test('maintenance of every week is announced for all SLOs with a label', async () => {
    const { page, url, nines } = world
    await withMoments(world)
    await page.goto(`${url}/corrections?new`)
    await world.signIn()
    const dialog = page.getByRole('dialog', { name: 'Leave a time out' })
    await dialog.getByLabel('SLO', { exact: true }).selectOption('labels')
    await dialog.getByLabel('How often').selectOption('WEEKLY')
    await dialog.getByLabel('First from').fill('never')
    await dialog.getByRole('button', { name: 'Leave it out' }).click()
    await dialog.getByText('Labels are written as name=value').waitFor()
    await dialog.getByLabel('Labels').fill('tier=1')
    await dialog.getByRole('button', { name: 'Leave it out' }).click()
    await dialog.getByText(/^A time is now/).waitFor()
    await dialog.getByLabel('First from').fill('2026-11-29 02:00')
    await dialog.getByRole('button', { name: 'Leave it out' }).click()
    await page.getByRole('row', { name: /weekly for 2.h, first / }).waitFor()
    const { corrections } = (await nines.call('GET', '/api/v1/corrections')).body
    expect(corrections).toMatchObject([
      { labels: { tier: '1' }, rrule: 'FREQ=WEEKLY', duration_seconds: 7200, category: 'planned_maintenance' },
    ])
  })

  test('its times and its text are changed in place, and a rule that the form cannot write stays', async () => {
    const { page, url, nines } = world
    const times = { from: '2026-11-29T02:00:00Z', duration_seconds: 7200, time_zone: 'Asia/Kolkata' }
    const body = { labels: { tier: '1' }, rrule: 'FREQ=MONTHLY;BYDAY=-1SU', ...times, category: 'other' }
    await nines.call('POST', '/api/v1/corrections', body)
    await page.goto(`${url}/corrections`)
    await world.signIn()
    const row = page.getByRole('row', { name: /^Another reason/ })
    await row.getByText(/^monthly for 2.h, first /).waitFor()
    await row.getByRole('button', { name: /^Change/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Change the correction' })
    await dialog.getByLabel('For how many minutes').fill('0')
    await dialog.getByLabel('Text').fill('Backups of the month')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText(/^A whole number of minutes/).waitFor()
    await dialog.getByLabel('For how many minutes').fill('90')
    await looksRight(page)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByText('Backups of the month').waitFor()
    const stored = async () => (await nines.call('GET', '/api/v1/corrections')).body.corrections
    const changed = { ...body, from: '2026-11-29T02:00:00.000Z', duration_seconds: 5400, text: 'Backups of the month' }
    expect(await stored()).toMatchObject([changed])
    await row.getByRole('button', { name: /^Change/ }).click()
    await dialog.getByLabel('How often').selectOption('Once')
    await dialog.getByLabel('To').fill('2026-11-29 09:00')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByText(/ to /).waitFor()
    expect(await stored()).toMatchObject([{ rrule: null, time_zone: null, to: '2026-11-29T09:00:00.000Z' }])
  })

  test('an administrator makes the address of the calendar feed, which is shown once, renews it and revokes it', async () => {
    const { page, url, nines } = world
    const times = { from: '2026-11-29T02:00:00Z', duration_seconds: 7200, time_zone: 'Europe/Zurich' }
    const body = { labels: { tier: '1' }, rrule: 'FREQ=WEEKLY', ...times, category: 'planned_maintenance' }
    await nines.call('POST', '/api/v1/corrections', body)
    const shown = page.getByLabel(/^Secret address/)
    const statusOf = async (address: string) => (await fetch(`${url}${new URL(address).pathname}`)).status
    await page.goto(`${url}/corrections`)
    await world.signIn()
    const feed = page.getByRole('region', { name: 'Calendar feed' })
    await feed.getByRole('button', { name: 'Make an address' }).click()
    const first = await shown.inputValue()
    await looksRight(page)
    expect(await (await fetch(`${url}${new URL(first).pathname}`)).text()).toContain('RRULE:FREQ=WEEKLY\r\n')

    await page.reload()
    await feed.getByText(/^The address was made/).waitFor()
    expect(await shown.count()).toBe(0)
    await feed.getByRole('button', { name: 'New address…' }).click()
    const dialog = page.getByRole('dialog', { name: 'A new address?' })
    await looksRight(page)
    await dialog.getByRole('button', { name: 'New address' }).click()
    const second = await shown.inputValue()
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200])

    await feed.getByRole('button', { name: 'Revoke…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await feed.getByRole('button', { name: 'Make an address' }).waitFor()
    expect([await shown.count(), await statusOf(second)]).toEqual([0, 404])
  })
})
