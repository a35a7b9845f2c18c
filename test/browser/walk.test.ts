import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type TestApp, testApp } from '../support/app.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { checkout } from '../support/slo-calls.ts'
import { measured } from '../sli/ledger-fixtures.ts'
import { evaluated } from './evaluated.ts'
import { signIn as signInAs } from './visit.ts'
import { isWithoutBrowser, launchBrowser, looksRight, titled, type Watched, watchedPage } from './browser.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "the page": chromium is not installed\n')

const hour = 3600
const day = 24 * hour

describe.skipIf(isWithoutBrowser)('the page', () => {
  let browser: Browser
  let box: MailServer
  let nines: TestApp
  let url: string
  let context: BrowserContext
  let watched: Watched
  let page: Page

  beforeAll(async () => {
    browser = await launchBrowser()
    box = await startMailServer({ isOpen: true })
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await box.close()
  })
  beforeEach(async () => {
    nines = await testApp({ env: { PORT: '0', SMTP_URL: box.url } })
    url = nines.listen()
    await nines.join('ada')
    context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
    await context.clock.setSystemTime(nines.clock.now())
    watched = await watchedPage(context, url)
    page = watched.page
    page.setDefaultTimeout(20_000)
  })
  afterEach(async () => {
    expect(watched.problems).toEqual([])
    await context.close()
    await nines.close()
  })

  const signIn = (of = page) => signInAs(of, 'ada')
  const made = async (change: object): Promise<number> =>
    (await nines.call('POST', '/api/v1/slos', { ...checkout, ...change })).body.id

  test('the page asks to sign in, shows the SLOs that need attention first, and goes where it was asked to', async () => {
    const sloId = await made({ name: 'Search answers', target: 99, time_window: '24h' })
    await made({ name: 'Nightly job', target: 95, time_window: '24h' })
    await evaluated(nines, sloId, { own: 98, budgetUsed: 200, status: 'critical' })
    await page.goto(`${url}/?state=down`)
    await titled(page, 'Sign in · nines')
    await signIn()
    await page.getByRole('link', { name: 'Search answers' }).waitFor()
    expect(await page.locator('.slo-row').count()).toBe(1)
    await page.goto(`${url}/`)
    await page.getByRole('link', { name: 'Nightly job' }).waitFor()
    expect(await page.locator('.slo-row th a').allTextContents()).toEqual(['Search answers', 'Nightly job'])
    await page.getByRole('searchbox').fill('night')
    await page.getByRole('link', { name: 'Search answers' }).waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?q=night')
  }, 60_000)

  test('the page keeps a session over a reload, in two tabs, until one of them signs out', async () => {
    await made({ name: 'Search answers' })
    await page.goto(`${url}/`)
    await signIn()
    await page.getByRole('link', { name: 'Search answers' }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'Search answers' }).waitFor()
    const other = await context.newPage()
    await other.goto(`${url}/`)
    await other.getByRole('link', { name: 'Search answers' }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'Search answers' }).waitFor()
    await other.getByRole('button', { name: 'Ada' }).click()
    await other.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
  }, 60_000)

  test('the page shows a hostile name, label and message as the text it is', async () => {
    const hostile = '<img src=x onerror=alert(1)>"\'</script>'
    const sloId = await made({ name: hostile, labels: { tier: hostile } })
    await page.goto(`${url}/slos/${sloId}`)
    await signIn()
    await page.getByRole('heading', { level: 1, name: hostile, exact: true }).waitFor()
    await page.getByRole('link', { name: `tier=${hostile}` }).waitFor()
  }, 60_000)

  test('a row goes down live', async () => {
    const sloId = await made({ name: 'Search answers', target: 99, time_window: '24h' })
    await evaluated(nines, sloId, { own: 99.9, budgetUsed: 10, status: 'healthy' })
    await page.goto(`${url}/`)
    await signIn()
    const row = page.getByRole('row', { name: 'Search answers' })
    await row.getByText('On track').waitFor()
    await page.getByText('live,').waitFor()
    await evaluated(nines, sloId, { own: 97, budgetUsed: 300, status: 'critical' })
    nines.app.feed.evaluated([{ sloId, evaluatedAtMs: nines.clock.now() }])
    await row.getByText('Down').waitFor()
    await row.getByText('used 3 times over').waitFor()
  }, 60_000)

  test('one SLO says how much is left, where it went, and how that was calculated', async () => {
    const sloId = await made({ name: 'Search answers', target: 99, time_window: '24h' })
    const past = (from: number, to: number, bad: number) =>
      measured(nines, { sloId, resolution: 60, from, to }, { good: 100 - bad, total: 100 })
    await past(-day, -5 * hour, 0)
    await past(-5 * hour, -5 * hour + 600, 50)
    await past(-5 * hour + 600, 0, 0)
    await evaluated(nines, sloId, { own: 99.6528, budgetUsed: 34.72, goodEvents: 143_500, totalEvents: 144_000 })
    await page.goto(`${url}/slos/${sloId}`)
    await signIn()
    expect(await page.locator('.big').first().innerText()).toBe('99.65\u2009%')
    await page.getByText('65\u2009%', { exact: true }).waitFor()
    await page.getByText('35\u2009% used').waitFor()
    await page.locator('.plot canvas').first().waitFor()
    await page.getByRole('button', { name: 'Budget left: how?' }).click()
    await page.getByText('may fail').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Show as table' }).first().click()
    await page.getByRole('columnheader', { name: 'Left, %' }).waitFor()
    await looksRight(page)
  }, 60_000)

  test('the page has nothing serious against it for readers in either theme, and fits a phone', async () => {
    await made({ name: 'Search answers', target: 99, time_window: '24h' })
    await page.goto(`${url}/login`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await looksRight(page)
    await signIn()
    await page.getByRole('link', { name: 'Search answers' }).waitFor()
    await looksRight(page)
  }, 60_000)

  test('the links of mails lead to an account and to a new password', async () => {
    const mailed = async (start: string) => {
      await nines.app.mailer.drain()
      const links = box.mails.map(({ text }) => new RegExp(`${start}\\S+`).exec(text)?.[0])
      return new URL(links.findLast((link) => link !== undefined) ?? '')
    }
    await nines.call('POST', '/api/v1/organization/invitations', { email: 'eve@example.com', role: 'viewer' })
    const invitation = await mailed(`${url}/register`)
    await page.goto(`${url}${invitation.pathname}${invitation.search}`)
    await page.getByLabel('E-mail').fill('eve@example.com')
    await page.getByLabel('Name').fill('Eve')
    await page.getByLabel('Password').fill('another horse')
    await page.getByRole('button', { name: 'Make the account' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByRole('button', { name: 'Eve' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('link', { name: 'Forgotten password' }).click()
    // the login form also has an e-mail field
    await page.getByRole('heading', { name: 'Forgotten password' }).waitFor()
    await page.getByLabel('E-mail').fill('eve@example.com')
    await page.getByRole('button', { name: 'Send a link' }).click()
    await page.getByRole('heading', { name: 'Look into your mailbox' }).waitFor()
    const reset = await mailed(`${url}/reset-password`)
    await page.goto(`${url}${reset.pathname}${reset.search}`)
    await page.getByLabel('New password').fill('a third horse')
    await page.getByRole('button', { name: 'Set the password' }).click()
    await page.getByLabel('E-mail').fill('eve@example.com')
    await page.getByLabel('Password').fill('a third horse')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  }, 60_000)

  test('a wrong password is said at the form, and an unknown page is said to be one', async () => {
    watched.expected.add('POST /api/v1/auth/login 401')
    await page.goto(`${url}/login`)
    await page.getByLabel('E-mail').fill('ada@example.com')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await signIn()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    watched.expected.add(/^GET \/api\/v1\/slos\/999(?:\/[a-z-]+)? 404$/)
    await page.goto(`${url}/slos/999`)
    await page.getByText('There is no such page').waitFor()
  }, 60_000)
})
