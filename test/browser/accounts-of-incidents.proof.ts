import { describe, expect, test } from 'bun:test'
import { isWithoutBrowser, looksRight } from './browser.ts'
import { withMoments } from './moments.ts'
import { heading } from './visit.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "the account of an incident": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('the account of an incident', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded' } })

  test('is written, shown as Markdown without HTML, never replaced unseen, and deleted', async () => {
    const { page, url, nines, net } = world
    const ids = await withMoments(world)
    const { incidents } = (await nines.call('GET', `/api/v1/incidents?slo_id=${ids.get('My site answers')}`)).body
    const path = `/incidents/${incidents[0].id}`
    await page.goto(`${url}${path}`)
    await world.signIn()
    await heading(page, 'Incident: My site answers')
    await page.getByRole('button', { name: 'Write an account…' }).click()
    const form = page.getByRole('dialog', { name: 'Account of the incident' })
    await form
      .getByLabel('Account', { exact: true })
      .fill('# The disk\n\n- it was **full**\n- <img src=x onerror=alert(1)>')
    await form.getByLabel('Link').fill('javascript:alert(1)')
    net.expected.add(`PUT /api/v1${path}/account 400`)
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText(/http/).last().waitFor()
    await form.getByLabel('Link').fill('https://wiki.example.com/81')
    await form.getByRole('button', { name: 'Save' }).click()
    const part = page.getByRole('region', { name: 'Account' })
    await part.getByRole('heading', { name: 'The disk' }).waitFor()
    await part.getByText('<img src=x onerror=alert(1)>').waitFor()
    expect(await part.locator('img').count()).toBe(0)
    await part.getByRole('link', { name: 'https://wiki.example.com/81' }).waitFor()
    await looksRight(page)
    await part.getByRole('button', { name: 'Edit the account…' }).click()
    await nines.call('PUT', `/api/v1${path}/account`, { text: 'It was the cable', version: 1 })
    await form.getByLabel('Account', { exact: true }).fill('It was the disk')
    net.expected.add(`PUT /api/v1${path}/account 409`)
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('It was the cable').waitFor()
    await form.getByRole('button', { name: 'Replace theirs' }).click()
    await part.getByText('It was the disk').waitFor()

    await part.getByRole('button', { name: 'Delete the account' }).click()
    await part.getByText(/^Nobody has written yet/).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await part.getByText('It was the disk').waitFor()
  })
})
