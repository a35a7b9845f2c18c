import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { closeAll, closeLater } from '../support/closing.ts'
import { ada, TestProvider } from '../support/test-provider.ts'
import { isWithoutBrowser, launchBrowser, looksRight } from './browser.ts'
import { heading, visit } from './visit.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "sign-in by a provider": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('sign-in by a provider', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())
  afterEach(closeAll)

  async function visitWith(env: Record<string, string>, headers: Record<string, string> = {}) {
    const provider = await TestProvider.start()
    closeLater(() => provider.close())
    provider.person = ada
    const visited = await visit(browser, { ...provider.env, ...env }, [], headers)
    visited.net.expected.add(new RegExp(`^request to ${provider.issuer}/`))
    provider.serve(visited.url)
    return { ...visited, provider }
  }

  test('one click signs in and goes on to the page that was asked for; signing out goes on to the provider', async () => {
    const { url, page, net, provider } = await visitWith({ OIDC_ONLY: 'true' })
    await page.goto(`${url}/incidents?range=30d`)
    await heading(page, 'Sign in')
    expect(await page.getByLabel('Password').count()).toBe(0)
    await looksRight(page)
    await page.getByRole('button', { name: 'Sign in with Example ID' }).click()
    await heading(page, 'Incidents')
    expect(page.url()).toBe(`${url}/incidents?range=30d`)
    await page.reload()
    await heading(page, 'Incidents')
    await page.goto(`${url}/settings/sign-in`)
    await page.getByText(`Example ID, ${provider.issuer}`).waitFor()
    await page.getByText('No, only the provider signs in').waitFor()
    await looksRight(page)
    await page.getByRole('button', { name: 'Test the provider' }).click()
    await page.getByText('Example ID answers.').waitFor()
    await page.getByRole('button', { name: 'Ada Lovelace', exact: true }).click()
    for (const one of [/^request to https:\/\/fonts\.googleapis\.com/, /^GET \/css net::/]) net.expected.add(one) // of the provider's page
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL(new RegExp(`^${provider.issuer}/session/end`))
    expect(net.problems).toEqual([])
  })

  test('a refusal says what to ask of whom, and leads back', async () => {
    const { url, page, net, provider } = await visitWith({})
    provider.person = { ...ada, groups: [] }
    await page.goto(`${url}/login`)
    await heading(page, 'Sign in')
    await page.getByLabel('Password').waitFor()
    await looksRight(page)
    net.expected.add('GET /auth/oidc/callback 403')
    await page.getByRole('button', { name: 'Sign in with Example ID' }).click()
    await heading(page, 'You may not use this nines')
    await page.getByText('ask the administrator of Example ID').waitFor()
    await looksRight(page)
    await page.getByRole('link', { name: 'Back to the sign-in with Example ID' }).click()
    await heading(page, 'Sign in')
    expect(net.problems).toEqual([])
  })

  test('a proxy signs in by its button', async () => {
    const settings = { TRUST_PROXY: '127.0.0.1', TRUSTED_HEADER_USER: 'Remote-User', OIDC_ROLE_MAP: '*=admin' }
    const { url, page, net } = await visitWith(settings, { 'remote-user': 'ada@example.com' })
    await page.goto(url)
    await heading(page, 'Sign in')
    await looksRight(page)
    await page.getByRole('button', { name: 'Sign in through the proxy' }).click()
    await heading(page, 'Overview')
    expect(net.problems).toEqual([])
  })
})
