import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { measured } from '../sli/ledger-fixtures.ts'
import { evaluated } from './evaluated.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { invited } from '../support/people.ts'
import { checkout } from '../support/slo-calls.ts'
import { isWithoutBrowser, launchBrowser, layoutShifts, serious, type Watched, watchedPage } from './browser.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "the states of an SLO": chromium is not installed\n')

const hour = 3600
const day = 24 * hour

describe.skipIf(isWithoutBrowser)('the page of an SLO', () => {
  let browser: Browser
  let nines: TestApp
  let url: string
  let context: BrowserContext
  let watched: Watched
  let page: Page
  let token: string

  beforeAll(async () => {
    browser = await launchBrowser()
    nines = await testApp({ env: { PORT: '0' } })
    url = nines.listen()
    token = await nines.join('ada')
    context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
    await context.clock.setSystemTime(nines.clock.now())
    watched = await watchedPage(context, url)
    page = watched.page
    page.setDefaultTimeout(20_000)
    await page.goto(`${url}/login`)
    await signIn(page, 'ada')
  })
  afterEach(() => expect(watched.problems).toEqual([]))
  afterAll(async () => {
    await browser.close()
    await nines.close()
  })

  async function signIn(of: Page, name: string): Promise<void> {
    await of.getByLabel('E-mail').fill(`${name}@example.com`)
    await of.getByLabel('Password').fill('correct horse')
    await of.getByRole('button', { name: 'Sign in' }).click()
    await of.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  }
  const made = async (name: string, change: object = {}): Promise<number> => {
    const definition = { ...checkout, name, target: 99, time_window: '24h', ...change }
    return (await nines.call('POST', '/api/v1/slos', definition)).body.id
  }
  /** An SLO with 10 % failures for an hour, 20 hours ago. Its data end `untilHoursAgo`. */
  const measuredOne = async (name: string, untilHoursAgo = 0) => {
    const sloId = await made(name)
    const past = (from: number, to: number, bad: number) =>
      measured(nines, { sloId, resolution: 60, from, to }, { good: 100 - bad, total: 100 })
    await past(-day, -20 * hour, 0)
    await past(-20 * hour, -19 * hour, 10)
    await past(-19 * hour, -untilHoursAgo * hour, 0)
    return sloId
  }
  const opened = async (sloId: number, name: string, of = page) => {
    await of.goto(`${url}/slos/${sloId}`)
    await of.getByRole('heading', { level: 1, name }).waitFor()
  }

  test('the page of an SLO shows shapes of its size while it is read, and nothing moves when the figures come', async () => {
    const sloId = await measuredOne('Search answers')
    await evaluated(nines, sloId, { own: 99.583, budgetUsed: 41.7, goodEvents: 143_400, totalEvents: 144_000 })
    const { promise, resolve: release } = Promise.withResolvers<void>()
    const isBudget = /\/slos\/\d+\/budget$/
    await page.route(isBudget, async (route) => {
      await promise
      await route.continue()
    })
    await opened(sloId, 'Search answers')
    await page.locator('.numbers.loading .skeleton.late').first().waitFor()
    const shape = await page.locator('.numbers').boundingBox()
    release()
    await page.getByText('1,440 allowed').waitFor()
    await page.locator('.plot canvas').first().waitFor()
    expect(await layoutShifts(page)).toEqual([])
    expect(await page.locator('.numbers').boundingBox()).toEqual(shape)
    await page.unroute(isBudget)
    await page.getByRole('heading', { name: 'What comes back' }).waitFor()
    const row = page.locator('.calendar tbody tr').first()
    expect(await row.innerText()).toMatch(/by (Sat )?\d\d:00\s+\+42\u2009%\s+100\u2009%/)
    await page.getByText('Comes back: +42').waitFor()
    expect(await serious(page)).toEqual([])
  })

  test('the page of an SLO says since when it is measured and how much of the past is there, then shows the figures', async () => {
    const sloId = await made('Young one')
    const backfill = (chunks_done: number, status: 'running' | 'done') =>
      nines.app.db.write
        .updateTable('backfills')
        .set({ status, chunks: 100, chunks_done, updated_at: nines.clock.now() + chunks_done })
        .where('slo_id', '=', sloId)
        .execute()
    await backfill(34, 'running')
    await opened(sloId, 'Young one')
    await page.getByText('past requested, 34\u2009%').waitFor()
    expect(await layoutShifts(page)).toEqual([])
    expect(await page.getByRole('progressbar').getAttribute('value')).toBe('0.34')
    await page.getByText(/^Measuring since \d\d:\d\d: the first figures come/).waitFor()
    await measured(nines, { sloId, resolution: 60, from: -day, to: 0 }, { good: 100, total: 100 })
    await evaluated(nines, sloId, { own: 100 })
    await backfill(100, 'done')
    await page.getByText('past requested').waitFor({ state: 'detached' })
    await page.getByText('Nothing was used, so nothing comes back.').waitFor()
  })

  test('the page of an SLO says since when there are no data, what the query lacks, and which source was asked', async () => {
    const source = { name: 'Far Prometheus', api_url: 'http://127.0.0.1:9' }
    const { body } = await nines.call('POST', '/api/v1/tsdb/sources', source)
    const sloId = await measuredOne('Nightly job', 8)
    await nines.app.db.write.updateTable('slos').set({ source_id: body.id }).where('id', '=', sloId).execute()
    const message = 'The source has no data for this query in the window.'
    await evaluated(nines, sloId, {
      own: 99.5,
      budgetUsed: 50,
      status: 'unknown',
      current: null,
      reason: 'no_data',
      message,
    })
    await opened(sloId, 'Nightly job')
    await page.getByText(/^No data since \d\d:00\./).waitFor()
    const notice = page.locator('.notice')
    await notice.getByText(message).waitFor()
    expect(await notice.getByRole('link', { name: 'Far Prometheus' }).getAttribute('href')).toBe('/collect/sources')
  })

  test('the page of an SLO says the sentence of the server where figures cannot be read, keeps the rest, and tries again', async () => {
    const sloId = await measuredOne('Payments work')
    await evaluated(nines, sloId, { own: 99.583, budgetUsed: 41.7 })
    const isBudget = /\/slos\/\d+\/budget$/
    watched.expected.add(`GET /api/v1/slos/${sloId}/budget 503`)
    const body = JSON.stringify({ error: 'The database is busy', details: 'try again in a moment' })
    await page.route(isBudget, (route) => route.fulfill({ status: 503, contentType: 'application/json', body }))
    await opened(sloId, 'Payments work')
    await page.getByRole('alert').getByText('The database is busy.').waitFor()
    await page.getByRole('heading', { name: 'Where it went' }).waitFor()
    await page.unroute(isBudget)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Budget left', exact: true }).waitFor()
  })

  test('the page of an SLO has a link to copy, can be deleted, and the deletion be undone', async () => {
    const sloId = await measuredOne('Short-lived')
    await evaluated(nines, sloId, { own: 99.583, budgetUsed: 41.7 })
    const burning = { state: 'burning_fast', burn_rate_now: 1000 } as const
    await nines.app.db.write.updateTable('slo_states').set(burning).where('slo_id', '=', sloId).execute()
    const isActive = async () => (await nines.call('GET', `/api/v1/slos/${sloId}`)).body.active
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await opened(sloId, 'Short-lived')
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Copy link' }).click()
    await page.getByText('The link is copied').waitFor()
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(`${url}/slos/${sloId}`)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByText('Short-lived: deleted.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    expect(await isActive()).toBe(false)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('heading', { level: 1, name: 'Short-lived' }).waitFor()
    expect(await isActive()).toBe(true)
    await nines.call('DELETE', `/api/v1/slos/${sloId}`)
    await page.reload()
    await page.getByText('This SLO was deleted').waitFor()
    await page.getByRole('heading', { name: 'Budget left', exact: true }).waitFor()
    expect(await page.locator('main').innerText()).not.toMatch(/Burning|gone in|still failing/i)
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('This SLO was deleted').waitFor({ state: 'detached' })
    await page.locator('.numbers').getByText('Burning').waitFor()
    expect(await isActive()).toBe(true)
  })

  test('of a viewer has the button to delete switched off, with why', async () => {
    const sloId = await measuredOne('Looked at')
    await evaluated(nines, sloId, { own: 99.583, budgetUsed: 41.7 })
    await invited(nines, { id: 1, token, email: 'ada@example.com' }, 'vera', 'viewer')
    const other = await browser.newContext()
    const theirs = await watchedPage(other, url)
    await theirs.page.goto(`${url}/login`)
    await signIn(theirs.page, 'vera')
    await opened(sloId, 'Looked at', theirs.page)
    await theirs.page.getByRole('button', { name: 'More' }).click()
    const remove = theirs.page.getByRole('menuitem', { name: 'Delete' })
    expect(await remove.getAttribute('aria-disabled')).toBe('true')
    expect(await remove.getAttribute('title')).toContain('Your role can look, not change')
    await remove.click({ force: true })
    expect((await nines.call('GET', `/api/v1/slos/${sloId}`)).body.active).toBe(true)
    expect(theirs.problems).toEqual([])
    await other.close()
  })

  test('that is stale shows its figures in grey, with their age', async () => {
    const sloId = await measuredOne('Left alone')
    await evaluated(nines, sloId, { own: 99.583, budgetUsed: 41.7 })
    nines.clock.advance(6 * 60_000)
    await context.clock.setSystemTime(nines.clock.now())
    await opened(sloId, 'Left alone')
    await page.getByText(/^No evaluation since \d\d:\d\d\. 58\u2009% of the budget was left then\.$/).waitFor()
    expect(await page.locator('.stale-age').count()).toBe(3)
    expect(await serious(page)).toEqual([])
  })
})
