import type { Browser, Page } from 'playwright-core'
import { type Options, type TestApp, testApp } from '../support/app.ts'
import { closeLater } from '../support/closing.ts'
import { type Net, watchContext } from './browser.ts'

/** A nines and a browser without cookies for it. `tab` opens another page in the browser. */
export type Visit = { nines: TestApp; url: string; page: Page; net: Net; tab: () => Promise<Page> }

/** Header of a local proxy that forwards a client from another network. */
export const elsewhere = { 'x-forwarded-for': '203.0.113.7' }

/** A nines with these settings and the accounts of `names`; `overrides` replace parts of it. Closed after the test, in a file that has `afterEach(closeAll)`. */
export async function visit(
  browser: Browser,
  env: Record<string, string>,
  names: string[],
  headers: Record<string, string> = {},
  overrides: Omit<Options, 'env'> = {},
): Promise<Visit> {
  const nines = await testApp({ env: { PORT: '0', ...env }, ...overrides })
  closeLater(() => nines.close())
  for (const name of names) await nines.join(name)
  const url = nines.listen()
  const context = await browser.newContext({ reducedMotion: 'reduce', extraHTTPHeaders: headers })
  closeLater(() => context.close())
  await context.clock.setSystemTime(nines.clock.now())
  context.setDefaultTimeout(20_000)
  const net = await watchContext(context, url)
  const tab = () => context.newPage()
  return { nines, url, page: await tab(), net, tab }
}

export function heading(page: Page, name: string): Promise<void> {
  return page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
}

/** Signs in with the form, once it is displayed, and waits for its end: an address opened before would abort the request. */
export async function signIn(page: Page, name: string, password = 'correct horse'): Promise<void> {
  await heading(page, 'Sign in')
  await page.getByLabel('E-mail').fill(`${name}@example.com`)
  await page.getByLabel('Password').fill(password)
  const answer = page.waitForResponse((response) => response.url().endsWith('/auth/login'))
  await page.getByRole('button', { name: 'Sign in' }).click()
  if (!(await answer).ok()) return
  await page.getByRole('heading', { level: 1, name: 'Sign in', exact: true }).waitFor({ state: 'detached' })
}

/**
 * Signs in, once the form is displayed, by what a tab does whose form is sent: its request and its message to other tabs. Takes half
 * the processor time of the form.
 */
export async function signInElsewhere(page: Page, name: string): Promise<void> {
  await heading(page, 'Sign in')
  const body = { email: `${name}@example.com`, password: 'correct horse' }
  await page.evaluate(`(async () => {
    const headers = { 'content-type': 'application/json', 'x-nines-session': 'cookie' }
    const answer = await fetch('/api/v1/auth/login', { method: 'POST', headers, body: ${JSON.stringify(JSON.stringify(body))} })
    new BroadcastChannel('nines.session').postMessage({ tokens: await answer.json() })
  })()`)
  await page.getByRole('heading', { level: 1, name: 'Sign in', exact: true }).waitFor({ state: 'detached' })
}

export async function signOut(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await heading(page, 'Sign in')
}

/** The error displayed at a field. */
export function problemAt(page: Page, label: string) {
  return page.locator('.field', { has: page.getByLabel(label) }).locator('.problem')
}
