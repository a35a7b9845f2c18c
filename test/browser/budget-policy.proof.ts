import { describe, expect, test } from 'bun:test'
import type { TestApp } from '../support/app.ts'
import { isWithoutBrowser, looksRight } from './browser.ts'
import { withMoments } from './moments.ts'
import { heading } from './visit.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "the error budget policy": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('the error budget policy', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded' } })

  test('is written in the form, and says beside the budget and on the overview what holds', async () => {
    const { page, url, nines } = world
    const ids = await withMoments(world)
    const id = ids.get('Search within 500 ms')
    const { left } = await leftOf(nines, id)
    await page.goto(`${url}/slos/${id}/edit`)
    await world.signIn()
    const form = page.getByRole('group', { name: 'Error budget policy' })
    await form.getByRole('button', { name: 'Add a line' }).click()
    await form.getByRole('spinbutton').fill(String(Math.min(99, Math.ceil(left) + 1)))
    await form.getByLabel('What then applies').fill('Freeze of risky deploys')
    await form.getByLabel('Link').fill('javascript:alert(1)')
    world.net.expected.add(`PUT /api/v1/slos/${id} 400`)
    await page.getByRole('button', { name: 'Save' }).first().click()
    await form.getByText(/http/).last().waitFor()
    await form.getByLabel('Link').fill('wiki.example.com/policy')
    await form.getByRole('button', { name: 'Add a line' }).click()
    await form.getByLabel('What then applies').nth(1).fill('Only fixes are deployed')
    await looksRight(page)
    await page.getByRole('button', { name: 'Save' }).first().click()
    await heading(page, 'Search within 500 ms')
    const { policy } = await leftOf(nines, id)
    expect(policy).toMatchObject({ text: 'Freeze of risky deploys', url: 'https://wiki.example.com/policy' })
    const said = page.getByRole('link', { name: /^At \d+\s?% or less: Freeze of risky deploys$/ })
    await said.waitFor()
    expect(await said.getAttribute('href')).toBe('https://wiki.example.com/policy')
    await looksRight(page)
    await page.goto(`${url}/`)
    await page.locator('td.used[title*="Freeze of risky deploys"]').waitFor()
  })

  test('of a team is written in the settings, and holds for an SLO without one', async () => {
    const { page, url, nines } = world
    const id = (await withMoments(world)).get('Search within 500 ms')
    const { left } = await leftOf(nines, id)
    await page.goto(`${url}/settings/teams`)
    await world.signIn()
    await page.getByRole('button', { name: 'Edit Default' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add a line' }).click()
    await dialog.getByRole('spinbutton').fill(String(Math.min(99, Math.ceil(left) + 1)))
    await dialog.getByLabel('What then applies').fill('Two reviews of each change')
    await dialog.getByLabel('Link').fill('javascript:alert(1)')
    world.net.expected.add('PUT /api/v1/organization/teams/1 400')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText(/^Link must be an http/).waitFor()
    await looksRight(page)
    await dialog.getByLabel('Link').fill('wiki.example.com/reviews')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: /or less: Two reviews of each change$/ }).waitFor()
    await looksRight(page)
    await page.goto(`${url}/slos/${id}`)
    await page
      .getByRole('link', { name: /^At \d+\s?% or less: Two reviews of each change \(policy of the team\)$/ })
      .waitFor()
    await looksRight(page)
    await page.goto(`${url}/slos/${id}/edit`)
    const form = page.getByRole('group', { name: 'Error budget policy' })
    await form.getByText(/Two reviews of each change/).waitFor()
    await looksRight(page)
    await page.goto(`${url}/`)
    await page.locator('td.used[title*="Two reviews of each change (policy of the team)"]').first().waitFor()
  })
})

async function leftOf({ call }: TestApp, id: number | undefined) {
  const { body } = await call('GET', `/api/v1/slos/${id}/budget`)
  return { left: 100 - body.error_budget.window_percent_used, policy: body.policy }
}
