import { describe, expect, test } from 'bun:test'
import { isWithoutBrowser, looksRight } from './browser.ts'
import { withMoments } from './moments.ts'
import { heading } from './visit.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "service hours": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('service hours', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded' } })

  test('are set in the form, refused where they are wrong, shown with the definition, and taken away', async () => {
    const { page, url, nines } = world
    const ids = await withMoments(world)
    const id = ids.get('Search within 500 ms')
    const stored = async () => (await nines.call('GET', `/api/v1/slos/${id}`)).body.service_hours
    await page.goto(`${url}/slos/${id}/edit`)
    await world.signIn()
    const form = page.getByRole('group', { name: 'Service hours' })
    await form.getByText('It counts at all times.').waitFor()
    await form.getByRole('button', { name: 'Add hours' }).click()
    await form.getByRole('checkbox', { name: 'Fri' }).uncheck()
    await form.getByLabel('To', { exact: true }).fill('25:00')
    for (const name of ['UTC', 'Europe/Kyiv']) {
      await form.locator(`option[value="${name}"]`).waitFor({ state: 'attached' }) // browsers do not list these names
    }
    await form.getByLabel('Time zone').fill('Europe/Zurich')
    await form.getByLabel('Holidays').fill('2026-12-25')
    await looksRight(page)
    world.net.expected.add(`PUT /api/v1/slos/${id} 400`)
    await page.getByRole('button', { name: 'Save' }).first().click()
    await form.getByText(/time of day/).waitFor()
    await form.getByLabel('To', { exact: true }).fill('18:00')
    await page.getByText('Mon to Thu 08:00 to 18:00 (Europe/Zurich), not on 2026-12-25').waitFor()
    await page.getByRole('button', { name: 'Save' }).first().click()
    await heading(page, 'Search within 500 ms')
    expect(await stored()).toEqual({
      time_zone: 'Europe/Zurich',
      hours: [{ days: [1, 2, 3, 4], from: '08:00', to: '18:00' }],
      holidays: ['2026-12-25'],
    })
    await page.goto(`${url}/slos/${id}/definition`)
    await page.getByText('Mon to Thu 08:00 to 18:00 (Europe/Zurich), not on 2026-12-25').first().waitFor()
    await page.goto(`${url}/slos/${id}/edit`)
    await form.getByRole('button', { name: 'Remove the hours of Mon to Thu' }).click()
    await page.getByText('at all times').last().waitFor()
    await page.getByRole('button', { name: 'Save' }).first().click()
    await heading(page, 'Search within 500 ms')
    expect(await stored()).toBeNull()
  })
})
