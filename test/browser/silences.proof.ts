import { describe, expect, test } from 'bun:test'
import { isWithoutBrowser, looksRight } from './browser.ts'
import { heading } from './visit.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "a silence": chromium is not installed\n')

/** Moment as a field of the page takes it. */
const localInputOf = (ms: number) => new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

describe.skipIf(isWithoutBrowser)('a silence', () => {
  const world = pageWorld()

  test('a silence is made in two clicks with undo, and by keyboard from the overview, and ends early', async () => {
    const { page, nines, made, url, signIn } = world
    const sloId = await made({ name: 'Search', labels: { team: 'web' } })
    await page.goto(`${url}/slos/${sloId}`)
    await signIn()
    await heading(page, 'Search')
    await page.getByRole('button', { name: 'Silence' }).click()
    await page.getByRole('menuitem', { name: '1 h' }).click()
    await page.getByText(/^Search: silenced until/).waitFor()
    await page.getByText(/^Silenced until .* by ada: No reason given$/).waitFor()
    const inForce = async () => (await nines.call('GET', '/api/v1/notifications/silences?state=active')).body.silences
    const nowMs = nines.clock.now()
    const [{ slo_id, until }] = await inForce()
    expect([slo_id, (Date.parse(until) - nowMs) / 60_000]).toEqual([sloId, expect.closeTo(60, 0)])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Silence', exact: true }).waitFor()
    expect(await inForce()).toEqual([])

    await page.goto(`${url}/`)
    await page.getByRole('link', { name: 'Search' }).waitFor()
    for (const key of ['j', 's']) await page.keyboard.press(key)
    await page.getByRole('heading', { name: 'Silence' }).waitFor()
    await looksRight(page)
    for (const key of ['ArrowRight', 'Tab', 'Tab']) await page.keyboard.press(key)
    await page.getByLabel('Reason').fill('Moving the database')
    await page.keyboard.press('Enter')
    await page.getByText(/^Search: silenced until/).waitFor()
    expect(await page.evaluate<string>('document.activeElement.innerText')).toBe('Search')
    expect(await inForce()).toMatchObject([{ slo_id: sloId, comment: 'Moving the database' }])

    await page.goto(`${url}/notify/silences`)
    await heading(page, 'Silences')
    const row = page.getByRole('row', { name: /Search/ })
    await row.getByText('Moving the database').waitFor()
    await page.getByRole('button', { name: 'Change the silence of Search' }).click()
    await page.getByLabel('Reason').fill('Moving it further')
    await page.getByRole('button', { name: 'Save' }).click()
    await row.getByText('Moving it further').waitFor()
    await page.getByRole('button', { name: 'Silence…' }).click()
    await page.getByLabel('What').selectOption('labels')
    await page.getByLabel('Label', { exact: true }).selectOption('team=web')
    await page.getByText('It covers 1 SLO: Search.').waitFor()
    await page.getByRole('button', { name: 'Silence', exact: true }).click()
    await page.getByRole('row', { name: /team=web · 1 SLO/ }).waitFor()
    await looksRight(page)
    const endNow = page.getByRole('button', { name: 'End now: the silence of Search' })
    await endNow.click()
    await endNow.waitFor({ state: 'detached' }) // an earlier silence of it has ended: `Silence Search again` is there already
    await page.getByRole('button', { name: 'Silence Search again' }).first().waitFor()
    expect(await inForce()).toMatchObject([{ labels: { team: 'web' } }])

    await page.goto(`${url}/slos/${sloId}`)
    await page.getByText(/^Silenced until .* with all of team=web by ada: No reason given$/).waitFor()
    await page.getByRole('button', { name: /^Silenced until/ }).click()
    await page.getByRole('menuitem', { name: 'End now, for all with team=web' }).click()
    await page.getByRole('button', { name: 'Silence', exact: true }).waitFor()
    expect(await inForce()).toEqual([])
  })

  test('a silence is planned: it is among the coming ones until it begins', async () => {
    const { page, nines, made, url, signIn } = world
    const sloId = await made({ name: 'Search' })
    await page.goto(`${url}/slos/${sloId}`)
    await signIn()
    await heading(page, 'Search')
    await page.getByRole('button', { name: 'Silence' }).click()
    await page.getByRole('menuitem', { name: 'Custom…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Silence' })
    await dialog.getByLabel('Begins when').fill('2020-01-01T10:00')
    await dialog.getByRole('button', { name: 'Silence' }).click()
    await dialog.getByText('Choose a time in the future.').waitFor()
    const startMs = Math.ceil(nines.clock.now() / 60_000) * 60_000 + 48 * 3_600_000
    await dialog.getByLabel('Begins when').fill(await page.evaluate(localInputOf, startMs))
    await dialog.getByLabel('4 h').check()
    await looksRight(page)
    await dialog.getByRole('button', { name: 'Silence' }).click()
    await page.getByText(/^Search: silenced from .* until/).waitFor()
    const { silences } = (await nines.call('GET', '/api/v1/notifications/silences?state=pending')).body
    expect(silences.map((one: { starts_at: string; until: string }) => [one.starts_at, one.until])).toEqual([
      [startMs, startMs + 4 * 3_600_000].map((ms) => new Date(ms).toISOString()),
    ])
    await page.goto(`${url}/notify/silences`)
    await page
      .getByRole('table', { name: 'Coming silences' })
      .getByRole('row', { name: /Search/ })
      .waitFor()
  })

  test('its dialog closes with the page that opened it', async () => {
    const { page, url, signIn } = world
    await page.goto(`${url}/`)
    await signIn()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByRole('link', { name: 'Incidents' }).click()
    await page.getByRole('button', { name: 'Silence…' }).click()
    await page.getByRole('dialog', { name: 'Silence' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })
})
