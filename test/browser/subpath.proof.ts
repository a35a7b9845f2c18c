import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContext } from 'playwright-core'
import { evaluated } from './evaluated.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { measured } from '../sli/ledger-fixtures.ts'
import { checkout } from '../support/slo-calls.ts'
import { isWithoutBrowser, launchBrowser, titled, type Watched, watchedPage } from './browser.ts'
import { type PathProxy, startPathProxy } from './path-proxy.ts'
import { signIn } from './visit.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "the page below a path": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('the page below a path', () => {
  const prefix = '/tools/nines'
  let browser: Browser
  let proxy: PathProxy
  let nines: TestApp
  let context: BrowserContext
  let watched: Watched

  beforeEach(async () => {
    browser = await launchBrowser()
    proxy = startPathProxy(prefix)
    nines = await testApp({ env: { PUBLIC_URL: `${proxy.url}/`, PORT: '0' } })
    proxy.upstream = nines.listen()
    context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
    await context.clock.setSystemTime(nines.clock.now())
    watched = await watchedPage(context, proxy.url)
    watched.page.setDefaultTimeout(10_000)
  })
  afterEach(async () => {
    expect([watched.problems, proxy.strays]).toEqual([[], []])
    await browser.close()
    await nines.close()
    await proxy.close()
  })

  test('the page below a path registers, keeps its session, is live, opens every address again, and asks for nothing outside of it', async () => {
    const { page, expected } = watched
    const pathOf = () => new URL(page.url()).pathname
    await page.goto(`${proxy.url}/register`)
    await page.getByLabel('E-mail').fill('ada@example.com')
    await page.getByLabel('Name', { exact: true }).fill('Ada')
    await page.getByLabel('Password').fill('correct horse')
    await page.getByRole('button', { name: 'Make the account' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(pathOf()).toBe(`${prefix}/`)
    const cookies = await context.cookies(`${proxy.url}/api/v1/auth/refresh`)
    expect(cookies.map(({ path, httpOnly, sameSite }) => [path, httpOnly, sameSite])).toEqual([
      [`${prefix}/api/v1/auth/refresh`, true, 'Strict'],
    ])
    expect(await context.cookies(new URL(proxy.url).origin)).toEqual([])

    const login = { email: 'ada@example.com', password: 'correct horse' }
    const { body } = await nines.call('POST', '/api/v1/auth/login', login, { token: null })
    const slo = { ...checkout, name: 'Search answers', target: 99, time_window: '24h' }
    const { id: sloId } = (await nines.call('POST', '/api/v1/slos', slo, { token: body.access_token })).body
    await evaluated(nines, sloId, { own: 99.9, budgetUsed: 10, status: 'healthy' })
    await measured(nines, { sloId, resolution: 60, from: -3600, to: 0 }, { good: 99, total: 100 })
    await page.reload()
    const row = page.getByRole('row', { name: 'Search answers' })
    await row.getByText('On track').waitFor()
    await page.getByText('live,').waitFor()
    await evaluated(nines, sloId, { own: 97, budgetUsed: 300, status: 'critical' })
    nines.app.feed.evaluated([{ sloId, evaluatedAtMs: nines.clock.now() }])
    await row.getByText('Down').waitFor()

    await row.getByRole('link', { name: 'Search answers' }).click()
    await page.getByRole('heading', { level: 1, name: 'Search answers' }).waitFor()
    expect(pathOf()).toBe(`${prefix}/slos/${sloId}`)
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Search answers' }).waitFor()
    await page.locator('.plot canvas').first().waitFor()

    expected.add(`GET ${prefix}/slos/x/unknown 404`)
    await page.goto(`${proxy.url}/slos/x/unknown`)
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    await page.getByRole('link', { name: 'Overview', exact: true }).first().click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(pathOf()).toBe(`${prefix}/`)

    await page.getByRole('button', { name: 'Ada' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await titled(page, 'Sign in · nines')
    expect(pathOf()).toBe(`${prefix}/login`)
    await signIn(page, 'ada')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  test('opened past the proxy it says where it is, instead of nothing', async () => {
    const { page, expected } = watched
    expected.add(/request to|\/assets\/|MIME type/)
    await page.goto(`${proxy.upstream}/`)
    const home = page.getByRole('link', { name: `${proxy.url}/` })
    await home.waitFor()
    await home.click()
    await page.getByLabel('E-mail').waitFor()
    expect(await page.getByText('nines is at').isVisible()).toBe(false)
  })
})
