import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { closeAll } from '../support/closing.ts'
import { question } from '../support/oauth.ts'
import { isWithoutBrowser, launchBrowser, looksRight } from './browser.ts'
import { elsewhere, heading, signIn, signOut, visit } from './visit.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "other ways in": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('other ways in', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())
  afterEach(closeAll)

  test("the demo's link signs in with one click and once, and a note says what the demo is until it is closed", async () => {
    const { nines, url, page, net } = await visit(browser, {}, ['ada'])
    const link = `${url}/demo-login#${nines.app.demo.start(1)}`
    await page.goto(link)
    await heading(page, 'Overview')
    expect(page.url()).toBe(`${url}/`)
    const note = page.getByRole('note', { name: 'Demo' })
    const about = note.getByText('nothing leaves this machine')
    expect(await about.isVisible()).toBe(false)
    await page.setViewportSize({ width: 390, height: 800 })
    expect((await note.boundingBox())?.height).toBeLessThanOrEqual(56) // one line, also on a phone
    await page.setViewportSize({ width: 1280, height: 720 })
    await note.getByRole('button', { name: 'About' }).click()
    await about.waitFor()
    await looksRight(page)
    await note.getByRole('button', { name: 'Close the note on the demo' }).click()
    await page.reload()
    await heading(page, 'Overview')
    expect(await note.count()).toBe(0)
    await signOut(page, 'ada')
    net.expected.add('POST /api/v1/auth/demo-login 401')
    await page.goto(link)
    await heading(page, 'This link is not valid')
    expect(page.url()).toBe(`${url}/demo-login`)
    await looksRight(page)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await signIn(page, 'ada')
    await heading(page, 'Overview')
    expect(net.problems).toEqual([])
  })

  test('the tour of the demo leads by keyboard through four pages, and stays skipped', async () => {
    const { nines, url, page, net } = await visit(browser, {}, ['ada'])
    await page.goto(`${url}/demo-login#${nines.app.demo.start(1)}`)
    await heading(page, 'Overview')
    const tour = page.locator('.demo-tour')
    await tour.getByText('An SLO (service level objective) says').waitFor()
    await looksRight(page)
    for (const [title, path, name] of [
      ['After an outage', '/', 'Overview'], // there is none here
      ['Who is notified, and when', '/incidents?range=30d', 'Incidents'],
      ['An SLO of your own', '/slos/new', 'New SLO'],
    ] as const) {
      await tour.getByRole('button', { name: 'Next' }).press('Enter')
      await page.waitForURL(`${url}${path}`)
      await heading(page, name)
      await tour.locator('h2:focus', { hasText: title }).waitFor()
    }
    await tour.getByRole('button', { name: 'Back' }).press('Enter')
    await page.waitForURL(`${url}/incidents?range=30d`)
    await page.reload()
    await tour.getByText('Step 3 of 4').waitFor()
    await tour.getByRole('button', { name: 'Skip the tour' }).press('Enter')
    await page.reload()
    await heading(page, 'Incidents')
    expect(await tour.count()).toBe(0)
    await page.getByRole('note', { name: 'Demo' }).getByRole('button', { name: 'Tour' }).click()
    await tour.getByText('Step 1 of 4').waitFor()
    expect(net.problems).toEqual([])
  })

  test("the demo's link signs nobody in who comes through a proxy", async () => {
    const { nines, url, page, net } = await visit(browser, {}, ['ada'], elsewhere)
    net.expected.add('POST /api/v1/auth/demo-login 403')
    await page.goto(`${url}/demo-login#${nines.app.demo.start(1)}`)
    await heading(page, 'This link works on the machine that nines runs on')
    await looksRight(page)
    await page.goto(`${url}/`)
    await heading(page, 'Sign in')
    expect(net.problems).toEqual([])
  })

  test('the consent page lets an application act for somebody, without script', async () => {
    const { nines, url, page, net } = await visit(browser, {}, ['ada'])
    const redirect_uri = `${url}/login`
    const client = (
      await nines.call('POST', '/api/v1/oauth/clients', { name: 'Reporter', redirect_uris: [redirect_uri] })
    ).body
    const asked = `${url}/oauth/authorize?${question(client, { redirect_uri })}`
    await page.goto(asked)
    await heading(page, 'Reporter wants to act for you')
    expect(await page.locator('script').count()).toBe(0)
    await looksRight(page)
    net.expected.add('POST /oauth/authorize 401')
    await page.getByLabel('E-mail').fill('ada@example.com')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in and allow' }).click()
    await page.getByRole('alert').getByText('E-mail or password is wrong.').waitFor()
    await looksRight(page)
    await page.getByLabel('Password').fill('correct horse')
    await page.getByRole('button', { name: 'Sign in and allow' }).click()
    await heading(page, 'Sign in')
    expect(new URL(page.url()).searchParams.get('code')).toMatch(/^[\w-]{43}$/)
    expect(net.problems).toEqual([])
  })
})
