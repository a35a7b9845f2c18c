import { describe, expect, test } from 'bun:test'
import { isWithoutBrowser, looksRight } from './browser.ts'
import { withMoments } from './moments.ts'
import { heading } from './visit.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "deploys": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('deploys', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded' } })

  const deployed = async (minutesAgo: number, sent: object) => {
    const at = new Date(world.nines.clock.now() - minutesAgo * 60_000).toISOString()
    const { status, text } = await world.nines.call('POST', '/api/v1/annotations', { kind: 'deploy', at, ...sent })
    expect({ status, text }).toMatchObject({ status: 201 })
  }

  test('an incident leads to the deploy before it, which says what it cost', async () => {
    const { page, url, nines } = world
    const ids = await withMoments(world)
    await nines.app.db.write.updateTable('backfills').set({ status: 'failed' }).execute()
    await deployed(10, { labels: { tier: '1' }, version: 'v1.4.2', url: 'https://ci.example.com/runs/812' })
    await deployed(300, { service: 'nobody', version: 'v7' })
    const { incidents } = (await nines.call('GET', `/api/v1/incidents?slo_id=${ids.get('Checkout answers')}`)).body
    await page.goto(`${url}/incidents/${incidents[0].id}`)
    await world.signIn()
    await page.getByRole('link', { name: 'deploy 1 v1.4.2' }).click()
    await heading(page, 'Deploy 1 v1.4.2')
    await page
      .getByText(/^Up to now it used .+ of the error budget of Checkout answers; in the same time before/)
      .waitFor()
    const row = page.getByRole('table', { name: 'What it cost' }).getByRole('row', { name: /^Checkout answers/ })
    await row.getByText('to the minute').waitFor()
    await row.getByText(/^10\s?min so far$/).waitFor()
    await looksRight(page)
  })

  test('a flag of a chart leads to its deploy', async () => {
    const { page, url } = world
    const ids = await withMoments(world)
    await deployed(600, { labels: { tier: '1' }, version: 'v1.4.2' })
    await page.goto(`${url}/slos/${ids.get('Checkout answers')}?range=24h`)
    await world.signIn()
    await page
      .getByRole('link', { name: /deploy 1 v1\.4\.2/ })
      .first()
      .click()
    await heading(page, 'Deploy 1 v1.4.2')
  })

  test('the list says what each cost, adds a note, keeps its filters in the address, and undoes a deletion', async () => {
    const { page, url, nines } = world
    await withMoments(world)
    await nines.app.db.write.updateTable('backfills').set({ status: 'failed' }).execute()
    await deployed(10, { labels: { tier: '1' }, version: 'v1.4.2', url: 'https://ci.example.com/runs/812' })
    await deployed(300, { service: 'nobody', version: 'v7' })
    await page.goto(`${url}/deploys`)
    await world.signIn()
    await heading(page, 'Deploys')
    const rows = page.getByRole('table', { name: 'Deploys, changes and notes' }).locator('tbody tr')
    const row = (name: string) => rows.filter({ hasText: name })
    await row('v1.4.2')
      .getByText(/ so far$/)
      .waitFor()
    await row('v1.4.2')
      .getByText(/ in the same time before · to the minute$/)
      .waitFor()
    await row('v7').getByText('Matches no SLO').waitFor()
    await looksRight(page)

    await page.getByRole('button', { name: 'New note…' }).click()
    const form = page.getByRole('dialog', { name: 'New note' })
    await form.getByRole('button', { name: 'Add' }).click()
    await form.getByText('Name a service or a label: an SLO that has it shows the note.').waitFor()
    await form.getByLabel('Other labels').fill('tier=1')
    await form.getByLabel('When').fill('now-2h')
    await form.getByLabel('Text').fill('The sale begins')
    await form.getByRole('button', { name: 'Add' }).click()
    await row('Note 1: The sale begins').getByText('Checkout answers').waitFor()

    await page.getByLabel('Kind').selectOption('note')
    await row('v7').waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?kind=note')
    await row('The sale begins').getByText('Checkout answers').waitFor() // its cost is read, which it would not be once it is deleted
    await row('The sale begins')
      .getByRole('button', { name: /^Delete/ })
      .click()
    await page.getByText('Nothing is like this.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await row('The sale begins').waitFor()
  })
})
