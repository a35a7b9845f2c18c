import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { evaluated } from './evaluated.ts'
import { addUser } from '../support/accounts.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { accept } from '../support/people.ts'
import { isWithoutBrowser, launchBrowser, looksRight } from './browser.ts'
import { heading, problemAt, signIn, signOut, type Visit, visit } from './visit.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "the first steps": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('the first steps', () => {
  let browser: Browser
  let world: Visit
  /** Outside server for the probed service, the Prometheus and the receiver, by the first segment of the path. */
  let elsewhere: { url: string; notified: string[] }
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    world = await visit(browser, { REGISTRATION: 'invite' }, ['ada'])
    elsewhere = startElsewhere()
    await world.page.goto(`${world.url}/`)
    await signIn(world.page, 'ada')
    await world.page.getByRole('heading', { name: 'Where does the first SLO come from?' }).waitFor()
  })
  afterEach(async () => {
    expect(world.net.problems).toEqual([])
    await closeAll()
  })

  const stored = async (path: string, field: string): Promise<unknown[]> =>
    (await world.nines.call('GET', `/api/v1/${path}`)).body[field]
  const step = (title: string) => world.page.getByRole('listitem').filter({ hasText: title })

  test('an address is watched if it answers; else the field says why, and nothing is left', async () => {
    const { page } = world
    await looksRight(page)
    await page.getByLabel('Address').fill('http://127.0.0.1:1/health')
    await page.getByRole('button', { name: 'Watch it' }).click()
    await problemAt(page, 'Address').getByText('The address does not answer: connection refused.').waitFor()
    expect([await stored('embedded/probes', 'probes'), await stored('slos', 'slos')]).toEqual([[], []])
    await page.getByLabel('Address').fill(`${new URL(elsewhere.url).host}/health`)
    await page.getByRole('button', { name: 'Watch it' }).click()
    await heading(page, `${new URL(elsewhere.url).host} answers`)
    expect(await stored('embedded/probes', 'probes')).toMatchObject([{ target: `${elsewhere.url}/health` }])
    const sources = await stored('tsdb/sources', 'sources')
    expect(sources).toMatchObject([{ api_url: 'embedded' }])
    await page.goto(`${world.url}/slos/new?kind=site`)
    const check = page.getByRole('button', { name: new URL(elsewhere.url).host })
    await check.click()
    await page.getByText('It has no results yet').waitFor()
    await page.getByRole('region', { name: 'Preview' }).getByText('No data').waitFor()
    expect(await page.locator('.form-problem').count()).toBe(0)
  })

  test('a Prometheus is connected if it answers; else the field says why, and nothing is left', async () => {
    const { page, net } = world
    net.expected.add('POST /api/v1/tsdb/query 503')
    await page.getByLabel('Base URL').fill(`${elsewhere.url}/health`)
    await page.getByRole('button', { name: 'Connect' }).click()
    await problemAt(page, 'Base URL').waitFor()
    expect(await stored('tsdb/sources', 'sources')).toEqual([])
    await page.getByLabel('Base URL').fill(`${elsewhere.url}/prometheus/`)
    await page.getByRole('button', { name: 'Connect' }).click()
    await heading(page, 'Metrics endpoints are up')
    expect(await stored('tsdb/sources', 'sources')).toMatchObject([
      { api_url: `${elsewhere.url}/prometheus`, is_default: true },
    ])
  })

  test('the example needs nothing and has its past at once', async () => {
    const { nines, page } = world
    await page.getByRole('button', { name: 'Create the example' }).click()
    await heading(page, 'An example')
    const { body } = await nines.call('POST', '/api/v1/slos/preview', (await stored('slos', 'slos'))[0])
    expect(body.own).toMatchObject({ coverage: 1, status: 'healthy' })
    expect(body.problems).toEqual([])
  })

  test('the checklist leads through four steps, and is gone once they are done', async () => {
    const { nines, page, net } = world
    await page.getByText('0 of 4 done').waitFor()
    await page.getByRole('button', { name: 'Create the example' }).click()
    await heading(page, 'An example')
    await evaluated(nines, 1, { own: 99.95, budgetUsed: 50, status: 'healthy' })
    await page.goto(`${world.url}/`)
    await page.getByText('2 of 4 done').waitFor()
    await looksRight(page)

    net.expected.add('POST /api/v1/notifications/test 500')
    await step('A channel is tested').getByLabel('Webhook or e-mail').fill(`${elsewhere.url}/refused`)
    await page.getByRole('button', { name: 'Send a test' }).click()
    await problemAt(page, 'Webhook or e-mail').waitFor()
    expect(await stored('notifications/channels', 'data')).toEqual([])
    await step('A channel is tested')
      .getByLabel('Webhook or e-mail')
      .fill(`${new URL(elsewhere.url).host}/hook`)
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('3 of 4 done').waitFor()
    expect(elsewhere.notified).toEqual([expect.stringContaining('Test of nines')])
    await page.getByText('The test has arrived. It is notified of every SLO.').waitFor()
    expect(await stored('notifications/channels', 'data')).toMatchObject([{ is_default: true }])

    await page.getByLabel('E-mail', { exact: true }).fill('eve@example.com')
    await page.getByRole('button', { name: 'Invite' }).click()
    const link = new URL(await page.getByLabel('Send this link to eve@example.com').inputValue())
    expect((await accept(nines, 'eve@example.com', link.searchParams.get('invitation_token'))).status).toBe(201)
    await page.reload()
    await page.getByRole('link', { name: 'An example' }).waitFor()
    await page.getByText('First steps').waitFor({ state: 'detached' })
  })

  test('the checklist has no step for a second person while registration is closed', async () => {
    const { url, page, net } = await visit(browser, { REGISTRATION: 'closed' }, ['ada'])
    await page.goto(`${url}/`)
    await signIn(page, 'ada')
    await page.getByText('0 of 3 done').waitFor()
    expect(await page.getByText('A second person').count()).toBe(0)
    expect(net.problems).toEqual([])
  })

  test('the checklist stays closed for who has closed it, and is for administrators', async () => {
    const { nines, page } = world
    await page.getByRole('button', { name: 'Close the first steps' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'Watch it' }).waitFor()
    expect(await page.getByText('First steps').count()).toBe(0)
    await addUser(nines, 'grace', 'admin')
    await addUser(nines, 'vera', 'viewer')
    await signOut(page, 'ada')
    await signIn(page, 'grace')
    await page.getByText('1 of 4 done').waitFor()
    await signOut(page, 'grace')
    await signIn(page, 'vera')
    await page.getByRole('button', { name: 'Create the example', disabled: true }).click({ force: true })
    await page.getByRole('button', { name: 'Watch it', disabled: true }).click({ force: true })
    expect(await page.getByText('First steps').count()).toBe(0)
    expect(await stored('slos', 'slos')).toEqual([])
  })
})

/** Starts a healthy service, a Prometheus with two targets, and a receiver that accepts requests to `/hook`. */
function startElsewhere(): { url: string; notified: string[] } {
  const notified: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/hook') notified.push(await request.text())
      if (pathname === '/refused') return new Response('no', { status: 403 })
      if (pathname !== '/prometheus/api/v1/query') return new Response('well')
      const result = [{ metric: {}, value: [1, '2'] }]
      return Response.json({ status: 'success', data: { resultType: 'vector', result } })
    },
  })
  closeLater(() => server.stop(true))
  return { url: `http://127.0.0.1:${server.port}`, notified }
}
