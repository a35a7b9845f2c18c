import { describe, expect, test } from 'bun:test'
import type { Locator } from 'playwright-core'
import { addUser } from '../support/accounts.ts'
import { collect, recorded } from '../insight/suggestions/recorded.ts'
import { isWithoutBrowser, looksRight } from './browser.ts'
import { heading, signIn, signOut } from './visit.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "suggestions": chromium is not installed\n')

const maxCalls = 5

/** Waits until a field has this value. */
async function expectValue(field: Locator, value: string): Promise<void> {
  while ((await field.inputValue()) !== value) await Bun.sleep(20)
}

describe.skipIf(isWithoutBrowser)('suggestions', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded' } })

  const stored = async (): Promise<{ name: string }[]> => (await world.nines.call('GET', '/api/v1/slos')).body.slos
  /** Signs in and opens a path. */
  const open = async (path: string) => {
    await world.page.goto(`${world.url}${path}`)
    await world.signIn()
  }
  const list = () => world.page.getByRole('region', { name: 'Found in your source' })
  const row = (name: string) => list().getByRole('listitem').filter({ hasText: name })

  test('where there is no SLO the best one is created by a click, and undone by another', async () => {
    const { nines, page } = world
    await collect(nines, await recorded('go-http'))
    const calls: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/api/') && !pathname.includes('/auth/')) calls.push(pathname)
    })
    await open('/')
    await page.getByText('nines found http_requests_total in your source: “checkout answers”, target 99.9').waitFor()
    expect(new Set(calls).size, calls.join()).toBeLessThanOrEqual(maxCalls)
    await page.getByRole('heading', { name: 'Where does the first SLO come from?' }).waitFor()
    await looksRight(page)
    await page.getByRole('button', { name: 'Create one from it' }).click()
    await heading(page, 'checkout answers')
    expect(await stored()).toMatchObject([{ name: 'checkout answers', target: 99.9, source_id: 1 }])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Create one from it' }).waitFor()
    expect(await stored()).toEqual([])
  })

  test('the form lists those of the chosen kind by metric; one is created and then marked, one is used', async () => {
    const { nines, page } = world
    await collect(nines, await recorded('go-http'))
    await open('/slos/new')
    await row('checkout answers').getByText('reached 99.911').waitFor()
    await row('cart answers').getByText('1,500 requests a day').waitFor()
    await page.getByRole('radio', { name: 'Jobs done' }).check()
    await list().getByText('Jobs are not searched for: pick a heartbeat').waitFor()
    await list().getByRole('button', { name: 'Show those of other kinds' }).click()
    await row('checkout answers').first().waitFor()
    await page.getByRole('radio', { name: 'Requests are fast' }).check()
    await row('checkout answers within 250 ms').waitFor()
    expect(await list().getByRole('group').count()).toBe(1)
    await looksRight(page)
    await page.getByRole('button', { name: 'Create: checkout answers within 250 ms' }).focus()
    await page.keyboard.press('Enter')
    await heading(page, 'checkout answers within 250 ms')
    expect(await stored()).toMatchObject([{ metric_type: 'latency', target: 99 }])
    await page.goBack()
    await page.getByRole('radio', { name: 'Requests are fast' }).check()
    await row('within 250 ms').getByRole('link', { name: 'Has an SLO' }).waitFor()
    await page.getByRole('button', { name: 'Use: checkout answers within 250 ms' }).click()
    await expectValue(page.getByLabel('Name'), 'checkout answers within 250 ms')
    expect(await page.getByRole('radio', { name: 'Requests are fast' }).isChecked()).toBe(true)
  })

  test('it says where a source has nothing, and where it does not answer; a viewer may look', async () => {
    const { nines, page, net } = world
    await open('/slos/new')
    await list().getByText('No metrics of requests, latencies or checks').waitFor()
    await collect(nines, await recorded('envoy'), { isStill: true })
    nines.clock.advance(5 * 60_000 + 1)
    await collect(nines, await recorded('envoy'), { isStill: true })
    await page.reload()
    await list().getByText('none had traffic in the last day').waitFor()

    await nines.call('POST', '/api/v1/tsdb/sources', {
      name: 'silent',
      api_url: 'http://127.0.0.1:1',
      is_default: true,
    })
    net.expected.add('GET /api/v1/tsdb/sources/2/suggestions 503')
    await page.reload()
    await list().getByRole('button', { name: 'Try again' }).waitFor()
    await looksRight(page)

    await nines.call('PUT', '/api/v1/tsdb/sources/1', { is_default: true })
    await collect(nines, await recorded('haproxy'))
    nines.clock.advance(4 * 60_000)
    await addUser(nines, 'vera', 'viewer')
    await signOut(page, 'ada')
    await signIn(page, 'vera')
    await page.getByRole('button', { name: 'vera', exact: true }).waitFor()
    await page.goto(`${world.url}/`)
    await page.getByRole('button', { name: 'Create one from it', disabled: true }).click({ force: true })
    expect(await stored()).toEqual([])
  })
})
