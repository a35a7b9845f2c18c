import { describe, expect, test } from 'bun:test'
import { fillOverview } from '../../scripts/bench/page/data.ts'
import { evaluated } from './evaluated.ts'
import { fits, isWithoutBrowser, layoutShifts, seriousInThemes } from './browser.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "the overview": chromium is not installed\n')

const path = '/api/v1/slos/overview'

describe.skipIf(isWithoutBrowser)('the overview', () => {
  const world = pageWorld({ env: { PORT: '0' } })

  /** Signs in, and counts the requests for the overview from then on. */
  const open = async (address: string) => {
    const reads = { count: 0 }
    world.page.on('request', (request) => {
      if (new URL(request.url()).pathname === path) reads.count++
    })
    await world.page.goto(`${world.url}${address}`)
    await world.signIn()
    await world.page.locator('.slo-row').first().waitFor()
    return reads
  }
  const names = () => world.page.locator('.slo-row th a').allTextContents()
  const focusedName = () =>
    world.page.evaluate<string | null>('document.activeElement?.closest("th")?.querySelector("a")?.textContent ?? null')

  /** 400 SLOs, more than are rendered at the same time. */
  const filled = async () => {
    await world.made({ name: 'Checkout answers 0', target: 99.9, time_window: '30d' })
    await fillOverview(world.nines.app.db, { slos: 400, exhausted: 1, nowMs: world.nines.clock.now(), hasPast: false })
  }

  test('what is filtered, sorted and grouped is in the address, and survives a reload and Back', async () => {
    const { nines, page, made } = world
    const burning = await made({ name: 'Search answers', target: 99, time_window: '24h', labels: { tier: '1' } })
    const calm = await made({ name: 'Payments work', target: 99, time_window: '24h', labels: { tier: '2' } })
    await made({ name: 'Nightly job', target: 99, time_window: '24h' })
    await evaluated(nines, burning, { own: 97, budgetUsed: 300, status: 'critical' })
    await evaluated(nines, calm, { own: 99.9, budgetUsed: 10, status: 'healthy' })
    await open('/')
    expect(await names()).toEqual(['Search answers', 'Nightly job', 'Payments work'])
    await page.getByRole('button', { name: 'Label' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'tier=1' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'tier=2' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('columnheader', { name: 'Budget used' }).getByRole('button').click()
    await page.getByRole('columnheader', { name: 'Budget used' }).getByRole('button').click()
    await page.locator('[aria-sort=descending]').waitFor()
    const shown = ['Payments work', 'Search answers']
    expect(await names()).toEqual(shown)
    expect(new URL(page.url()).search).toBe('?label=tier%3D1&label=tier%3D2&sort=-budget')
    await page.reload()
    await page.locator('[aria-sort=descending]').waitFor()
    expect(await names()).toEqual(shown)
    await page.getByRole('link', { name: 'Search answers' }).click()
    await page.getByRole('heading', { level: 1, name: 'Search answers' }).waitFor()
    await page.goBack()
    await page.locator('[aria-sort=descending]').waitFor()
    expect(await names()).toEqual(shown)
  })

  test('of 400 SLOs those near the window are drawn, and every one can be reached by scrolling and by keys', async () => {
    await filled()
    const { page, net } = world
    net.expected.add(/backfill 404$/) // rows copied by SQL have none
    await open('/?sort=name&group=label%3Atier')
    // with the header row and four groups
    expect(await page.locator('.slos').getAttribute('aria-rowcount')).toBe('405')
    expect(await page.locator('.slos tr').count()).toBeLessThan(100)
    expect(await layoutShifts(page)).toEqual([])
    await page.keyboard.press('End')
    await page.locator('[aria-rowindex="405"]').waitFor()
    await page.getByRole('link', { name: 'Search is fast 396' }).waitFor()
    expect(await page.locator('.slos tr').count()).toBeLessThan(100)
    await page.keyboard.press('Home')
    await page.locator('[aria-rowindex="2"]').waitFor()
    await page.keyboard.press('j')
    const first = (await names())[0] ?? ''
    expect(await focusedName()).toBe(first)
    for (let step = 0; step < 40; step++) await page.keyboard.press('j')
    await page.keyboard.press('k')
    const row = page.locator('tr:has(a:focus)')
    // the header row, two groups, and forty rows
    expect(await row.getAttribute('aria-rowindex')).toBe('43')
    expect(
      await page.evaluate<boolean>(
        'document.activeElement.closest("tr").getBoundingClientRect().bottom <= innerHeight',
      ),
    ).toBe(true)
    const name = await focusedName()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: name ?? '', exact: true }).waitFor()
    await page.goBack()
    // where the list was scrolled to
    await page.getByRole('link', { name: name ?? '', exact: true }).waitFor()
    await fits(page)
  })

  test('a round of updates moves the rows without a reading for each', async () => {
    await filled()
    const { nines, page } = world
    const reads = await open('/')
    await page.getByText('live,').waitFor()
    const all = await nines.app.db.read.selectFrom('slos').select(['id', 'name']).orderBy('id').execute()
    const healthy = all.slice(-5)
    const before = reads.count
    nines.clock.advance(60_000)
    for (const { id } of healthy) await evaluated(nines, id, { own: 98, budgetUsed: 2000, status: 'critical' })
    nines.app.feed.evaluated(healthy.map(({ id }) => ({ sloId: id, evaluatedAtMs: nines.clock.now() })))
    const worst = healthy.map(({ name }) => name).toSorted()
    await page.locator('.slo-row').first().getByText('used over 10 times').waitFor()
    expect((await names()).slice(0, 5).toSorted()).toEqual(worst)
    expect(reads.count - before).toBeLessThanOrEqual(1)
  })

  test('rows do not overlap after an update, nothing leaves its row, and names are whole', async () => {
    const { nines, page, made } = world
    const ids: number[] = []
    const longName = 'Checkout of the shop answers within 300 ms for users who are signed in'
    for (const name of ['Search answers', longName, 'Nightly job']) {
      const id = await made({ name, target: 99, time_window: '24h' })
      await evaluated(nines, id, { own: 99.9, budgetUsed: 10, status: 'healthy' })
      ids.push(id)
    }
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await open('/')
    await page.getByText('live,').waitFor()
    nines.clock.advance(60_000)
    for (const id of ids) await evaluated(nines, id, { own: 96, budgetUsed: 400, status: 'critical' })
    nines.app.feed.evaluated(ids.map((sloId) => ({ sloId, evaluatedAtMs: nines.clock.now() })))
    await page.locator('.slo-row .changed').nth(5).waitFor()
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 })
      const outside = `[...document.querySelectorAll('.slo-row')].flatMap((row, at, rows) => {
        const box = row.getBoundingClientRect()
        const next = rows[at + 1]?.getBoundingClientRect()
        const isOut = (part) => {
          const { top, bottom, height } = part.getBoundingClientRect()
          return height > 0 && (top < box.top - 1 || bottom > box.bottom + 1)
        }
        const out = [...row.querySelectorAll('td, th, td *')].filter(isOut).map(({ className }) => String(className))
        return next && next.top < box.bottom - 1 ? [...out, 'row ' + at] : out
      })`
      expect(await page.evaluate<string[]>(outside)).toEqual([])
      const cut = `[...document.querySelectorAll('.slo-name a')].filter(
        ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
          scrollWidth > clientWidth || scrollHeight > clientHeight,
      ).map(({ innerText }) => innerText)`
      expect(await page.evaluate<string[]>(cut)).toEqual([])
    }
  })

  test('the palette finds an SLO by its label, and goes there', async () => {
    const { page, made } = world
    await made({ name: 'Search answers', target: 99, time_window: '24h', labels: { tier: '1' } })
    await made({ name: 'Payments work', target: 99, time_window: '24h', labels: { service: 'till' } })
    const reads = await open('/')
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Search or jump' })
    await field.fill('service=till')
    await page.getByRole('option', { name: 'Payments work', selected: true }).waitFor()
    expect(await page.getByRole('option').count()).toBe(1)
    await field.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Payments work' }).waitFor()
    await page.getByRole('button', { name: 'Search or jump' }).click()
    await field.fill('overv')
    const readAgain = page.waitForRequest(/\/slos\/overview$/)
    await field.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await readAgain
    expect(reads.count).toBe(2) // once for each visit
    await page.keyboard.press('Control+k')
    await field.fill('sign out')
    await field.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  })

  test('the palette and the list of keys can be read in both themes, and single keys be turned off', async () => {
    const { page, made } = world
    await made({ name: 'Search answers', target: 99, time_window: '24h', labels: { tier: '1' } })
    await open('/')
    await page.locator('.slo-row a').focus()
    for (const [keys, part] of [
      ['Control+k', page.getByRole('combobox', { name: 'Search or jump' })],
      ['?', page.getByRole('switch', { name: 'Single keys' })],
    ] as const) {
      await page.keyboard.press(keys)
      await part.waitFor()
      expect(await seriousInThemes(page)).toEqual([])
      await fits(page)
      await page.keyboard.press('Escape')
      await part.waitFor({ state: 'detached' })
      expect(await focusedName()).toBe('Search answers')
    }
    await page.keyboard.press('?')
    await page.getByRole('switch', { name: 'Single keys' }).uncheck()
    await page.keyboard.press('Escape')
    await page.reload()
    await page.locator('.slo-row').first().waitFor()
    await page.keyboard.press('j')
    expect(await focusedName()).toBeNull()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump' }).waitFor()
  })
})
