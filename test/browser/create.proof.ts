import { beforeEach, describe, expect, test } from 'bun:test'
import { closeAll, closeLater } from '../support/closing.ts'
import { importShop } from '../support/shop-samples.ts'
import { isWithoutBrowser, looksRight } from './browser.ts'
import { formHands } from './form-hands.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "creating an SLO": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('creating an SLO', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded', PORT: '0' } })
  beforeEach(() => importShop(world.nines))

  const { opened, kind, pick, filter, query, write, previewed, created } = formHands(world)

  test('of requests that succeed, by what the source has; it warms up then', async () => {
    await opened('/slos/new')
    const { page } = world
    await looksRight(page)
    await pick('All requests', 'shop_requests_total')
    await filter('All requests', 'service', 'checkout')
    await page.getByRole('button', { name: 'code =~ 5.. as bad' }).press('Enter')
    await previewed(/99\.833/)
    expect(await query('Bad events').innerText()).toBe(
      'sum(rate(shop_requests_total{service="checkout", code=~"5.."}[5m]))',
    )
    await page.getByLabel('Description').fill('Buying works')
    await page.getByLabel('New label').fill('tier=1')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await looksRight(page)
    expect(await created('Checkout answers')).toMatchObject({
      metric_type: 'availability',
      bad_query: 'sum(rate(shop_requests_total{service="checkout", code=~"5.."}[5m]))',
      total_query: 'sum(rate(shop_requests_total{service="checkout"}[5m]))',
      target: 99.9,
      time_window: '30d',
      description: 'Buying works',
      labels: { tier: '1' },
      source_id: null,
    })
    await page.getByText(/^Measuring since/).waitFor()
  })

  test('of requests that are fast, by a bucket or by a quantile', async () => {
    await opened('/slos/new?kind=latency&target=95')
    const { page } = world
    await pick('Duration of requests, a histogram', 'shop_request_duration_seconds')
    await filter('All requests', 'service', 'search')
    await page.getByRole('button', { name: 'At most (le)' }).click()
    const bounds = page.locator('.picker:popover-open').getByRole('option')
    await bounds.first().waitFor()
    expect(await bounds.allInnerTexts()).toEqual(['0.1', '0.25', '1.0'])
    await bounds.nth(1).click()
    await previewed(/^99\.0/)
    await page.getByRole('radio', { name: 'Time in which a quantile is low' }).check()
    await page.getByLabel('At most, in the unit of the metric').fill('0.3')
    await previewed(/^100/)
    expect(await created('Search is fast')).toMatchObject({
      metric_type: 'latency',
      metric_query:
        'histogram_quantile(0.95, sum by (le) (rate(shop_request_duration_seconds_bucket{service="search"}[5m])))',
      threshold: 0.3,
      threshold_op: 'lte',
    })
  })

  test('of a site, by its series, or by a probe that is made with it if the address answers', async () => {
    const site = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('well') })
    closeLater(() => site.stop(true))
    await opened('/slos/new?kind=site')
    const { page, nines } = world
    await filter('Checks', 'job', 'website')
    await previewed(/^100/)
    expect(await created('Website answers')).toMatchObject({
      metric_query: 'avg(avg_over_time(probe_success{job="website"}[5m]))',
    })
    await page.goto(`${world.url}/slos/new?kind=site`)
    await page.getByRole('radio', { name: 'A new check of an address' }).check()
    await page.getByLabel('Address', { exact: true }).fill('http://127.0.0.1:1/')
    await page.getByRole('button', { name: 'Create SLO' }).click()
    await page.getByText('The address does not answer: connection refused.').waitFor()
    expect((await nines.call('GET', '/api/v1/embedded/probes')).body.probes).toEqual([])
    await page.getByLabel('Address', { exact: true }).fill(`http://127.0.0.1:${site.port}/`)
    expect(await created(`127.0.0.1:${site.port} answers`)).toMatchObject({
      metric_query: `avg(avg_over_time(probe_success{job="127.0.0.1:${site.port}"}[5m]))`,
    })
    await closeAll()
  })

  test('of jobs, by failures beside runs or successes, or by the time of the last success', async () => {
    await opened('/slos/new?kind=jobs&target=75')
    const { page } = world
    await pick('Failed jobs', 'jobs_failed_total')
    await pick('All jobs', 'jobs_runs_total')
    await previewed(/^80\.0/)
    await page.getByRole('radio', { name: 'Successful jobs are' }).check()
    await pick('Successful jobs', 'jobs_done_total')
    await previewed(/^80\.0/)
    expect(await query('All events').innerText()).toBe(
      'sum(rate(jobs_done_total[5m])) + sum(rate(jobs_failed_total[5m]))',
    )
    await page.getByRole('radio', { name: 'Time since the last success' }).check()
    await pick('Time of the last success', 'backup_last_success_timestamp_seconds')
    await page.getByLabel('Good if the last success is at most').fill('2700')
    await previewed(/^76\.6/) // 46 of 60 minutes in each hour
    expect(await created('Backup runs in time')).toMatchObject({
      metric_query: 'time() - max(backup_last_success_timestamp_seconds)',
      threshold: 2700,
      threshold_op: 'lte',
    })
  })

  test('by PromQL of each type; what was picked is edited by hand, and there is a way back', async () => {
    await opened('/slos/new')
    const { page, url } = world
    await pick('All requests', 'shop_requests_total')
    await filter('Bad requests', 'code', '5..', true)
    await write('All events', 'sum(rate(shop_requests_total{service="search"}[5m]))')
    await page.getByText('Edited by hand').waitFor()
    expect(await page.getByRole('radio', { name: 'Bad and all' }).isChecked()).toBe(true)
    await page.getByRole('button', { name: 'Back to the picks' }).click()
    await page.getByRole('button', { name: 'All requests: shop_requests_total' }).waitFor()
    await kind('PromQL')
    await page.getByLabel('Name').fill('By hand')
    expect(await created('By hand')).toMatchObject({ total_query: 'sum(rate(shop_requests_total[5m]))' })
    const types = [
      ['One ratio', { Query: 'avg_over_time(probe_success[5m])' }, { threshold: null }],
      ['A bound', { Query: 'sum(rate(jobs_runs_total[5m]))', Bound: '0.01' }, { threshold: 0.01, threshold_op: 'gte' }],
      [
        'Good and all',
        { 'Good events': 'sum(rate(jobs_done_total[5m]))', 'All events': 'sum(rate(jobs_runs_total[5m]))' },
        { good_query: 'sum(rate(jobs_done_total[5m]))', bad_query: null },
      ],
    ] as const
    for (const [type, fields, stored] of types) {
      await page.goto(`${url}/slos/new?kind=promql&target=75`)
      await page.getByRole('radio', { name: type }).check()
      for (const [label, text] of Object.entries(fields)) {
        if (label === 'Bound') await query(label).fill(text)
        else await write(label, text)
      }
      if (type === 'A bound') await page.getByLabel('Good when the value is').selectOption('gte')
      await page.getByLabel('Name').fill(type)
      expect(await created(type)).toMatchObject(stored)
    }
  })

  test('a wrong query is mended by the hint of its problem, where it was picked and where it was written', async () => {
    await opened('/slos/new')
    const { page, url } = world
    await pick('All requests', 'shop_requests_total')
    await filter('All requests', 'service', 'chekout', true)
    await filter('Bad requests', 'code', '5..', true)
    await page.getByText('No series of shop_requests_total has service="chekout".').waitFor()
    await page.getByRole('button', { name: 'Use service=checkout' }).click()
    await previewed(/99\.833/)
    expect(await page.getByText('No series of').count()).toBe(0)
    await page.goto(
      `${url}/slos/new?query=sum(rate(shop_request_total%5B5m%5D))%2Fsum(rate(shop_request_total%5B5m%5D))`,
    )
    await page.getByText('There is no metric shop_request_total').waitFor()
    await page.getByRole('button', { name: 'Use shop_requests_total' }).click()
    await page.getByText('There is no metric').waitFor({ state: 'detached' })
    expect(await query('Query').innerText()).toBe(
      'sum(rate(shop_requests_total[5m]))/sum(rate(shop_requests_total[5m]))',
    )
  })

  test('what lacks is said at its field, and what the server refuses', async () => {
    await opened('/slos/new')
    const { page, net } = world
    await page.getByRole('button', { name: 'Create SLO' }).click()
    await page.getByText('Choose the metric that counts all requests.').waitFor()
    await page.getByText('Must be given.').waitFor()
    await page.locator('.slo-form [aria-invalid]:focus').waitFor()
    const named = await page.evaluate(`[...document.querySelectorAll('.slo-form [aria-invalid]')].map((control) => [
      control.ariaLabel ?? control.labels[0].textContent,
      document.getElementById(control.getAttribute('aria-describedby'))?.textContent,
      control === document.activeElement,
    ])`)
    expect(named).toEqual([
      ['All requests: Choose a metric', 'Choose the metric that counts all requests.', true],
      ['Name', 'Must be given.', false],
    ])
    expect(await page.getByRole('button', { name: 'Save without checking the query' }).count()).toBe(0)
    await looksRight(page)
    await kind('PromQL')
    await write('Query', 'sum(up')
    await page.getByLabel('Name').fill('Broken')
    net.expected.add('POST /api/v1/slos 400')
    net.expected.add('POST /api/v1/slos/preview 400')
    await page.getByRole('button', { name: 'Create SLO' }).click()
    await page.locator('.form-problem').first().waitFor()
    await page.getByRole('button', { name: 'Save without checking the query' }).click()
    await page.getByRole('heading', { level: 1, name: 'Broken' }).waitFor()
  })

  test('a query by a label becomes an SLO for each value, if that is chosen', async () => {
    const by = (code: string) => `sum by (service) (rate(shop_requests_total${code}[5m]))`
    const query = new URLSearchParams({ bad: by('{code=~"5.."}'), total: by('') })
    await opened(`/slos/new?${query}`)
    const { page, nines } = world
    const each = page.getByRole('radio', { name: 'One SLO for each value of service (2 found)' })
    await each.waitFor()
    expect(await page.getByRole('radio', { name: 'One SLO over all of them' }).isChecked()).toBe(true)
    await each.focus()
    await page.keyboard.press('Space')
    await page.getByText('Each gets its value in its name and labels: checkout, search.').waitFor()
    await looksRight(page)
    await page.getByRole('button', { name: 'Create 2 SLOs' }).click()
    await page.getByText('Must be given.').waitFor() // the name
    await page.getByLabel('Name').fill('Shop answers')
    await page.getByRole('button', { name: 'Create 2 SLOs' }).click()
    await page.getByText('2 SLOs: created.').waitFor()
    await page.getByRole('link', { name: 'Shop answers (search)' }).waitFor()
    expect(new URL(page.url()).search).toBe('?label=service')
    const stored = async () =>
      (await nines.call('GET', '/api/v1/slos')).body.slos.map(({ name, labels }: { name: string; labels: object }) => [
        name,
        labels,
      ])
    expect((await stored()).toSorted()).toEqual([
      ['Shop answers (checkout)', { service: 'checkout' }],
      ['Shop answers (search)', { service: 'search' }],
    ])
    await page.getByRole('button', { name: 'Undo' }).click()
    const deleted = page.getByRole('region', { name: 'Deleted' }) // lists it by the same link as the table of SLOs did
    await deleted.getByRole('link', { name: 'Shop answers (search)' }).waitFor()
    expect(await page.getByRole('table', { name: 'SLOs', exact: true }).count()).toBe(0)
    expect(await stored()).toEqual([])
  })

  test('owner and runbook are stored and shown; what is wrong with them is said beside them', async () => {
    await opened('/slos/new?query=avg_over_time(probe_success[5m])&name=Shop')
    const { page, net } = world
    await page.getByLabel('Owner').fill('Payments')
    await page.getByLabel('Runbook').fill('https://wiki example/')
    net.expected.add('POST /api/v1/slos 400')
    await page.getByRole('button', { name: 'Create SLO' }).click()
    const field = page.locator('.field', { has: page.getByLabel('Runbook') })
    await field.getByText('Must be an http(s) URL').waitFor()
    await page.locator('input:focus[aria-invalid]').waitFor()
    await looksRight(page)
    await page.getByLabel('Runbook').fill('wiki.example.com/shop')
    expect(await created('Shop')).toMatchObject({ owner: 'Payments', runbook_url: 'https://wiki.example.com/shop' })
    await page.getByRole('link', { name: 'Definition' }).click()
    await page.getByRole('link', { name: 'https://wiki.example.com/shop' }).waitFor()
    await page.getByText('Payments').waitFor()
  })

  test('queries of an address are shown as their kind at once; where the server does not say it, as PromQL', async () => {
    const address = '/slos/new?query=avg(probe_success{job="shop"})'
    const { page, net, url } = world
    const chosen = (name: string) => page.getByRole('radio', { name, exact: true, checked: true }).waitFor()
    let answer = () => {}
    const isAsked = new Promise<void>((resolve) => {
      void page.route('**/slos/picks', async (route) => {
        resolve()
        await new Promise<void>((go) => (answer = go))
        await route.continue()
      })
    })
    await page.goto(`${url}${address}`)
    await world.signIn()
    await isAsked
    await page.getByRole('heading', { level: 1, name: 'New SLO' }).waitFor()
    expect(await page.getByRole('radio').count()).toBe(0)
    answer()
    await chosen('A site answers')
    await page.unroute('**/slos/picks')
    await page.route('**/slos/picks', (route) => route.fulfill({ status: 500, json: { error: 'Broken' } }))
    net.expected.add('POST /api/v1/slos/picks 500')
    await page.goto(`${url}${address}`)
    await chosen('PromQL')
    await query('Query').filter({ hasText: 'avg(probe_success{job="shop"})' }).waitFor()
  })

  test('at 200 % zoom nothing scrolls sideways, on paper nothing covers the form, and every chosen option is marked in forced colours', async () => {
    await opened(
      '/slos/new?bad=sum(rate(shop_requests_total{code=~"5.."}[5m]))&total=sum(rate(shop_requests_total[5m]))',
    )
    const { page } = world
    await previewed(/99\.833/)
    for (const width of [960, 640]) {
      await page.setViewportSize({ width, height: 400 })
      expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    }
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('.form-bar').evaluate((bar) => bar.computedStyleMap().get('position')?.toString())).toBe(
      'static',
    )
    await page.emulateMedia({ media: 'screen', forcedColors: 'active' })
    const fill = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((label) => label.computedStyleMap().get('background-color')?.toString())
    expect(await fill('.segments label.chosen')).not.toBe(await fill('.segments label:not(.chosen)'))
  })

  test('a draft that is left is there again, until it is discarded', async () => {
    await opened('/slos/new')
    const { page } = world
    await page.getByLabel('Name').fill('Half done')
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByText('Your draft is kept in this tab.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.keyboard.press('n')
    await page.getByText('This is your draft of').waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('Half done')
    await page.getByRole('button', { name: 'Discard it' }).click()
    expect(await page.getByLabel('Name').inputValue()).toBe('')
    await page.reload()
    await page.getByLabel('Name').waitFor()
    expect(await page.getByText('This is your draft').count()).toBe(0)
  })

  test('by keyboard alone', async () => {
    await opened('/', 'Overview')
    const { page } = world
    const { keyboard } = page
    const to = async (locator: ReturnType<typeof page.getByRole>) => {
      for (let steps = 0; steps < 80; steps += 1) {
        await keyboard.press('Tab')
        if (await locator.evaluate((element) => element === element.ownerDocument.activeElement)) return
      }
      throw new Error('Tab does not lead there')
    }
    await page.getByRole('heading', { name: 'Where does the first SLO come from?' }).waitFor()
    await keyboard.press('n')
    await page.getByRole('heading', { name: 'New SLO' }).waitFor()
    await to(page.getByRole('button', { name: 'All requests' }))
    await keyboard.press('Enter')
    await page.getByRole('option', { name: 'shop_requests_total' }).waitFor()
    await keyboard.type('requests_total')
    await keyboard.press('Enter')
    await to(page.getByRole('button', { name: 'Bad requests: add a label' }))
    await keyboard.press('Enter')
    await page.getByRole('option', { name: 'code' }).waitFor()
    await keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Value of code' }).waitFor()
    await keyboard.type('503')
    await keyboard.press('Enter')
    await previewed(/99\.833/)
    await to(page.getByLabel('Name'))
    await keyboard.press('ControlOrMeta+a')
    await keyboard.type('By keys')
    await keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'By keys' }).waitFor()
    await keyboard.press('e')
    await page.getByRole('heading', { level: 1, name: 'Edit By keys' }).waitFor()
  })
})
