import { describe, expect, test } from 'bun:test'
import { isWithoutBrowser, looksRight } from './browser.ts'
import { withMoments } from './moments.ts'
import { heading } from './visit.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "journeys": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('journeys', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded' } })

  test('a journey of SLOs is made, says what each member used, and is changed', async () => {
    const { page, url, nines } = world
    const ids = await withMoments(world)
    const members = [...ids.keys()].slice(0, 2)
    await page.goto(`${url}/slos/new`)
    await world.signIn()
    await page.getByRole('button', { name: 'A journey of SLOs' }).click()
    await heading(page, 'New journey')
    await page.getByLabel('Name', { exact: true }).fill('Buying')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('A journey has 2 to 20 members.').waitFor()
    const search = page.getByRole('combobox', { name: 'Search the SLOs' })
    const options = page.getByRole('listbox', { name: 'Search the SLOs' }).getByRole('option')
    for (const name of members) {
      await search.fill(name)
      await options.filter({ hasText: name }).and(page.locator('[aria-selected=true]')).waitFor()
      await search.press('Enter')
      await page.locator('.member', { hasText: name }).waitFor()
    }
    await search.fill('no SLO has this name')
    await page.getByText('No other SLO is called that.').waitFor()
    await search.press('Escape')
    expect(await search.inputValue()).toBe('')
    await options.first().waitFor()
    expect(await search.getAttribute('aria-activedescendant')).toBe(await options.first().getAttribute('id'))
    await page.getByLabel(`Weight of ${members[0]}`).fill('3')
    await looksRight(page)
    await page.getByRole('button', { name: 'Create' }).click()
    await heading(page, 'Buying')
    const id = Number(/slos\/(\d+)/.exec(page.url())?.[1])
    const stored = (await nines.call('GET', `/api/v1/slos/${id}`)).body
    expect(stored.composite).toMatchObject({
      method: 'weighted',
      members: members.map((name, place) => ({ slo_id: ids.get(name), weight: place === 0 ? 3 : 1 })),
    })
    await nines.app.evaluator.evaluateAll()
    await page.reload()
    const table = page.locator('section', { has: page.getByRole('heading', { name: 'Members' }) })
    for (const name of members) await table.getByRole('link', { name, exact: true }).waitFor()
    await looksRight(page)
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await heading(page, 'Edit Buying')
    await page.getByLabel('Its SLI is').selectOption('worst')
    await page.getByRole('button', { name: 'Save' }).click()
    await heading(page, 'Buying')
    expect((await nines.call('GET', `/api/v1/slos/${id}`)).body).toMatchObject({
      revision: 2,
      composite: { method: 'worst' },
    })
  })
})
