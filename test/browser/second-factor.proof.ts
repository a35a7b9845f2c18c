import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { addUser } from '../support/accounts.ts'
import type { TestApp } from '../support/app.ts'
import { closeAll } from '../support/closing.ts'
import { codeNow } from '../support/second-factor.ts'
import { isWithoutBrowser, launchBrowser, looksRight } from './browser.ts'
import { heading, signIn, signOut, visit } from './visit.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "second factor": chromium is not installed\n')

/** Goes through the set-up that a page displays; returns the secret and the recovery codes. */
async function setUp(nines: TestApp, page: Page) {
  await page.getByLabel('Your password').fill('correct horse')
  await page.getByRole('button', { name: 'Set up' }).click()
  await page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor()
  await looksRight(page)
  const secret = (await page.locator('.secret').innerText()).replaceAll(/\s/g, '')
  await page.getByLabel('Code', { exact: true }).fill(codeNow(nines, { secret }))
  await page.getByRole('button', { name: 'Confirm' }).click()
  const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
  await codes.first().waitFor()
  const recoveryCodes = await codes.allInnerTexts()
  expect(recoveryCodes).toHaveLength(10)
  await looksRight(page)
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Save as a file' }).click()
  expect((await download).suggestedFilename()).toBe('nines-recovery-codes.txt')
  await page.getByRole('button', { name: 'I have kept them' }).click()
  nines.clock.advance(30_000)
  return { secret, recoveryCodes }
}

describe.skipIf(isWithoutBrowser)('a second factor', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())
  afterEach(closeAll)

  test('is set up, asked for at the sign-in, replaced by a recovery code, and disabled', async () => {
    const { nines, url, page, net } = await visit(browser, {}, ['ada'])
    net.expected.add('POST /api/v1/auth/login 401')
    net.expected.add('POST /api/v1/auth/login/mfa 401')
    await page.goto(`${url}/settings/security`)
    await signIn(page, 'ada')
    const section = page.getByRole('region', { name: 'Second factor' })
    await section.getByLabel('Your password').waitFor()
    await looksRight(page)
    const factor = await setUp(nines, page)
    await section.getByText('Recovery codes left: 10.').waitFor()
    await looksRight(page)

    await signOut(page, 'ada')
    await signIn(page, 'ada')
    await heading(page, 'Second factor')
    const code = page.getByLabel('Code', { exact: true })
    expect(await code.getAttribute('autocomplete')).toBe('one-time-code')
    await looksRight(page)
    await code.fill('000000')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('must be the code that the app shows now', { exact: false }).waitFor()
    await code.fill(codeNow(nines, factor))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'ada', exact: true }).waitFor()

    await signOut(page, 'ada')
    await signIn(page, 'ada')
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await page.getByLabel('Recovery code').fill(factor.recoveryCodes[0] ?? '')
    await looksRight(page)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'ada', exact: true }).waitFor()

    await page.goto(`${url}/settings/security`)
    await section.getByText('Recovery codes left: 9.').waitFor()
    await section.getByRole('button', { name: 'Disable' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Your password').fill('correct horse')
    await dialog.getByLabel('Code').fill(factor.recoveryCodes[1] ?? '')
    await looksRight(page)
    await dialog.getByRole('button', { name: 'Disable' }).click()
    await page.getByText('The second factor is disabled.').waitFor()
    await section.getByLabel('Your password').waitFor()
    expect(net.problems).toEqual([])
  })

  test('that comes too late leads back to the password', async () => {
    const { nines, url, page, net } = await visit(browser, {}, ['ada'])
    net.expected.add('POST /api/v1/auth/login 401')
    net.expected.add('POST /api/v1/auth/login/mfa 401')
    await page.goto(`${url}/settings/security`)
    await signIn(page, 'ada')
    const factor = await setUp(nines, page)
    await signOut(page, 'ada')
    await signIn(page, 'ada')
    await heading(page, 'Second factor')
    nines.clock.advance(300_000)
    await page.getByLabel('Code', { exact: true }).fill(codeNow(nines, factor))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The code came too late. Sign in again.').waitFor()
    await heading(page, 'Sign in')
    expect(net.problems).toEqual([])
  })

  test('that an organization requires is set up before anything else, also by who is signed in', async () => {
    const { nines, url, page, net } = await visit(browser, {}, ['ada'])
    await addUser(nines, 'grace', 'member')
    await page.goto(`${url}/settings/people`)
    await signIn(page, 'ada')
    await page.getByRole('columnheader', { name: 'Second factor' }).waitFor()
    await looksRight(page)
    net.expected.add(/ 403$/)
    net.expected.add(/^WebSocket .* closed before the connection is established/) // it may just be opened when it ends
    await page.getByLabel('Require a second factor').check()
    await page.getByRole('region', { name: 'Second factor' }).getByRole('button', { name: 'Save' }).click()
    await heading(page, 'Set up a second factor')
    await looksRight(page)
    await setUp(nines, page)
    await heading(page, 'Settings')
    const rows = page.getByRole('table', { name: 'People' }).getByRole('row')
    await rows.filter({ hasText: 'ada@example.com' }).getByText('Yes', { exact: true }).waitFor()
    await rows.filter({ hasText: 'grace@example.com' }).getByText('No', { exact: true }).waitFor()

    await signOut(page, 'ada')
    await signIn(page, 'grace')
    await heading(page, 'Set up a second factor')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await heading(page, 'Sign in')
    expect(net.problems).toEqual([])
  })
})
