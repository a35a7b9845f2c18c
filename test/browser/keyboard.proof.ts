import { describe, expect, test } from 'bun:test'
import { measured } from '../sli/ledger-fixtures.ts'
import { evaluated } from './evaluated.ts'
import { isWithoutBrowser, titled } from './browser.ts'
import { keysOf } from './keys.ts'
import { pageWorld } from './world.ts'
import { heading } from './visit.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "without a pointer": chromium is not installed\n')

const day = 86_400

describe.skipIf(isWithoutBrowser)('without a pointer', () => {
  const world = pageWorld()

  const withTwoSlos = async () => {
    const { nines, made } = world
    const search = await made({ name: 'Search answers', target: 99, time_window: '24h', labels: { tier: '1' } })
    const job = await made({ name: 'Nightly job', target: 95, time_window: '24h' })
    await measured(nines, { sloId: search, resolution: 60, from: -day, to: 0 }, { good: 99.9, total: 100 })
    await evaluated(nines, search, { own: 99.9, budgetUsed: 10, status: 'healthy' })
    await evaluated(nines, job, { own: 99, budgetUsed: 20, status: 'healthy' })
    return { search, job }
  }

  const { focus, tabTo, focusIsOn } = keysOf(world)

  test('one signs in, filters, opens an SLO, zooms, goes back and signs out', async () => {
    const { page, url } = world
    await withTwoSlos()
    const { keyboard } = page
    await page.goto(`${url}/`)
    await focusIsOn('INPUT', 'E-mail')
    await keyboard.type('ada@example.com')
    await tabTo('Password')
    await keyboard.type('correct horse')
    await keyboard.press('Enter')
    await focusIsOn('H1', 'Overview')
    await page.getByRole('row', { name: 'Nightly job' }).waitFor()

    await tabTo('Search')
    await keyboard.type('search')
    await page.getByRole('row', { name: 'Nightly job' }).waitFor({ state: 'detached' })
    await focusIsOn('INPUT', 'Search')
    await tabTo('Search answers')
    await keyboard.press('Enter')
    await titled(page, 'Search answers · nines')
    await focusIsOn('H1', 'Search answers')

    await page.locator('.plot canvas').first().waitFor()
    await tabTo(/^SLI.* plus zooms in/)
    await keyboard.press('ArrowRight')
    await keyboard.press('+')
    await page.waitForURL(/from=\d+&to=\d+/)
    expect((await focus()).name).toMatch(/plus zooms in/)
    await page.getByRole('button', { name: 'Whole window' }).waitFor()
    await page.locator('.is-read-again').waitFor({ state: 'detached' })
    await page.locator('.over .plot canvas').waitFor()
    expect((await focus()).name).toMatch(/plus zooms in/)
    await keyboard.press('Escape')
    await page.waitForURL((found) => !found.searchParams.has('from'))
    expect((await focus()).name).toMatch(/plus zooms in/)

    await tabTo('Overview', 'Shift+Tab')
    await keyboard.press('Enter')
    await titled(page, 'Overview · nines')
    await focusIsOn('H1', 'Overview')
    await tabTo('ada', 'Shift+Tab')
    await keyboard.press('Enter')
    await focusIsOn('BUTTON', 'Corrections') // a menu focuses its first item
    for (const next of ['Reports', 'Settings', 'Sign out']) {
      await keyboard.press('ArrowDown')
      await focusIsOn('BUTTON', next)
    }
    await keyboard.press('Enter')
    await titled(page, 'Sign in · nines')
    await focusIsOn('INPUT', 'E-mail')
  })

  test('the heading of a new page does not take the focus back from what got it without a key', async () => {
    const { page, url } = world
    await page.goto(`${url}/notify/channels`)
    await world.signIn()
    await focusIsOn('H1', 'Channels')
    await page.getByRole('link', { name: 'History' }).focus() // as a screen reader does
    await page.evaluate(`document.querySelector('main').append('more')`)
    await page.evaluate('new Promise(requestAnimationFrame)')
    expect((await focus()).name).toBe('History')
  })

  test('a key pressed as soon as its page is shown works', async () => {
    const { page, url } = world
    await world.made({ name: 'Shop answers' })
    await page.goto(url)
    await world.signIn()
    await heading(page, 'Overview')
    await page.evaluate(`new MutationObserver((_, observer) => {
      if (document.querySelector('main a[href$="/edit"]')) {
        observer.disconnect()
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'e', bubbles: true, composed: true }))
      }
    }).observe(document.body, { childList: true, subtree: true })`)
    await page.getByRole('link', { name: 'Shop answers', exact: true }).click()
    await heading(page, 'Edit Shop answers')
  })

  test('changes of state are said, all of ten seconds at once', async () => {
    const { page, context, nines, url } = world
    await context.clock.install({ time: nines.clock.now() })
    const { search, job } = await withTwoSlos()
    await page.goto(`${url}/`)
    await world.signIn()
    await page.getByText('live,').waitFor()
    await page.getByRole('row', { name: 'Nightly job' }).waitFor()
    const change = async (sloId: number, name: string, status: 'critical' | 'healthy' | 'warning') => {
      await evaluated(nines, sloId, { own: 97, budgetUsed: 300, status })
      nines.app.feed.evaluated([{ sloId, evaluatedAtMs: nines.clock.now() }])
      const word = { critical: 'Down', healthy: 'On track', warning: 'Burning' }[status]
      await page.getByRole('row', { name }).getByText(word, { exact: true }).waitFor()
    }
    const voice = page.locator('p.hidden-text[role=status]')
    await change(search, 'Search answers', 'critical')
    await voice.getByText('Search answers: Down.').waitFor({ state: 'attached' })
    await change(search, 'Search answers', 'healthy')
    await change(job, 'Nightly job', 'warning')
    expect(await voice.textContent()).toBe('Search answers: Down.')
    await page.clock.fastForward(10_000)
    await voice.getByText('Search answers: On track. Nightly job: Burning.').waitFor({ state: 'attached' })
  })

  test('a screen reader finds the landmarks, the headings, and each row with its words', async () => {
    const { page, url } = world
    await withTwoSlos()
    await page.goto(`${url}/`)
    await world.signIn()
    await page.getByRole('row', { name: 'Nightly job' }).waitFor()
    await page.getByText('live,').waitFor()
    const lines = (await page.locator('body').ariaSnapshot()).split('\n').map((line) => line.trim())
    const start = [
      '- link "Skip to the content":',
      '- navigation "Main":',
      '- banner:',
      '- main:',
      '- heading "Overview" [level=1]',
      '- search:',
      '- searchbox "Search"',
      '- table "SLOs":',
      '- columnheader "Budget used":',
    ]
    expect(lines.filter((line) => start.includes(line))).toEqual(start)
    const rows = lines.filter((line) => line.startsWith('- row "') && !line.startsWith('- row "State '))
    expect(rows.map((row) => row.replaceAll(/\s/g, ' '))).toEqual([
      '- row "On track Nightly job Default 99.00 % 95 % of 24 h 14 of 72 min used No data in these days More for Nightly job":',
      '- row "On track Search answers Default, tier=1 99.90 % 99 % of 24 h 1.4 of 14 min used On 0 of 2 days of UTC 1 % or more failed; on the worst 0.1 % More for Search answers":',
    ])
    // every element has an accessible name
    expect(lines.filter((line) => /^- (?:button|link|textbox|img)(?: ""|:|$)/.test(line))).toEqual([])
  })

  test('targets are large enough for a finger', async () => {
    const { browser, url } = world
    await withTwoSlos()
    const context = await browser.newContext({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } })
    await context.clock.setSystemTime(world.nines.clock.now())
    const page = await context.newPage()
    const small = () =>
      page.evaluate<string[]>(`[...document.querySelectorAll('button, input, select, summary, .side a')]
        .map((element) => element.closest('label') ?? element)
        .map((element) => ({ element, box: element.getBoundingClientRect() }))
        .filter(({ element, box }) => box.width > 0 && getComputedStyle(element).visibility === 'visible')
        .map(({ element, box }) => {
          const after = getComputedStyle(element, '::after')
          const grown = after.content === 'none' ? 0 : -parseFloat(after.top) - parseFloat(after.bottom)
          return { name: element.getAttribute('aria-label') ?? element.textContent, height: box.height + (grown || 0) }
        })
        .filter(({ height }) => height < 44)
        .map(({ name, height }) => name + ' ' + height)`)
    await page.goto(`${url}/`)
    await world.signIn(page)
    await page.getByText('Nightly job').waitFor()
    expect(await small()).toEqual([])
    await page.getByText('Search answers').click()
    await page.getByRole('heading', { name: 'Search answers' }).waitFor()
    expect(await small()).toEqual([])
    await context.close()
  })
})
