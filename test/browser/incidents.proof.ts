import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { measured, startSeconds } from '../sli/ledger-fixtures.ts'
import { evaluated } from './evaluated.ts'
import { type FakeSeries, type FakeSource, fakeSource } from '../support/fake-source.ts'
import { isWithoutBrowser, looksRight } from './browser.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "where the budget went": chromium is not installed\n')

const minute = 60
const hour = 3600
const day = 24 * hour
const all = 'requests_total{service="shop"}'
const pair = {
  metric_query: null,
  bad_query: `sum(rate(${all.replace('}', ',code=~"5.."}')}[5m]))`,
  total_query: `sum(rate(${all}[5m]))`,
}

/** Eight routes, each with two status codes; `/pay` fails. */
const series = (isBad: boolean): FakeSeries[] =>
  ['/', '/cart', '/help', '/login', '/orders', '/pay', '/search', '/a/route/with/a/name/that/is/rather/long'].flatMap(
    (route) => {
      const bad = route === '/pay' ? 600 : 2
      const failed = { labels: { route, code: '503' }, value: bad }
      return isBad ? [failed] : [failed, { labels: { route, code: '200' }, value: 1000 - bad }]
    },
  )

describe.skipIf(isWithoutBrowser)('where the budget went', () => {
  let source: FakeSource
  let isRefusing = false
  const world = pageWorld()
  beforeEach(async () => {
    isRefusing = false
    source = fakeSource((expression) => {
      if (isRefusing) throw new Error('too many samples')
      return series(expression.includes('5..'))
    })
    const { nines } = world
    await nines.call('POST', '/api/v1/tsdb/sources', { name: 'Shop', api_url: source.url, is_default: true })
  })
  afterEach(() => source.close())

  /** Opens the page of an SLO with an outage five hours ago and a smaller one an hour ago, signed in. */
  const opened = async (slo: object) => {
    const { nines, page, url } = world
    const sloId = await world.made({ name: 'Shop answers', target: 99, time_window: '24h', ...slo })
    const past = (from: number, to: number, bad: number) =>
      measured(nines, { sloId, resolution: 60, from, to }, { good: 100 - bad, total: 100 })
    await past(-day, -5 * hour, 0)
    await past(-5 * hour, -5 * hour + 20 * minute, 40)
    await past(-5 * hour + 20 * minute, -hour, 0)
    await past(-hour, -hour + 20 * minute, 5)
    await past(-hour + 20 * minute, 0, 0)
    await evaluated(nines, sloId, { own: 99.375, budgetUsed: 62.5, goodEvents: 143_100, totalEvents: 144_000 })
    await nines.app.db.write
      .insertInto('alerts')
      .values({
        organization_id: 1,
        slo_id: sloId,
        name: 'burn_rate:3600:300',
        severity: 'critical',
        began_at: nines.clock.now() / 1000 - 5 * hour + 120,
        ended_at: nines.clock.now() / 1000 - 5 * hour + 1500,
      })
      .execute()
    nines.clock.advance(1000)
    await page.goto(`${url}/slos/${sloId}`)
    await world.signIn()
    await page.getByRole('heading', { level: 1, name: 'Shop answers' }).waitFor()
    return sloId
  }
  const rows = () => world.page.locator('.went').getByRole('button', { expanded: false })
  const isIn = (place: string) => world.page.waitForURL((url) => url.search === place)

  test('a row opens what is known of its incident, and what failed in it; the address has it', async () => {
    await opened(pair)
    const { page } = world
    const key = startSeconds - 5 * hour
    await rows().first().click()
    await isIn(`?incident=${key}`)
    const open = page.locator('.went').getByRole('button', { expanded: true })
    await page.getByText(/route=\/pay has 98\s% of the failures with 13\s% of the traffic\./).waitFor()
    await open.getByText('route=/pay').waitFor()
    for (const fact of [
      /Worst minute\s*40\s% failed/,
      /Failed\s*800 of 2,000/,
      /Budget used\s*56\s%/,
      /As time\s*8 of 14\smin/,
    ])
      await page.locator('.incident dl > div').filter({ hasText: fact }).waitFor()
    await page.getByRole('list', { name: 'Alerts that fired' }).getByText('1\u2009h and 5\u2009min').waitFor()
    const table = page.getByRole('table').filter({ has: page.getByRole('columnheader', { name: 'route' }) })
    expect(await table.getByRole('row').count()).toBe(1 + 6)
    expect(await table.getByRole('row', { name: '/pay' }).innerText()).toMatch(/98\s%\s*600\s*13\s%\s*1,000/)
    await page.getByRole('button', { name: '2 more values' }).click()
    expect(await table.getByRole('row').count()).toBe(1 + 8)
    await page.getByText('One more label').click()
    await page.getByText(/100\s% of the failures are code=503\./).waitFor()
    await looksRight(page)

    await page.getByRole('button', { name: 'Zoom to it' }).click()
    await page.waitForURL((url) => url.searchParams.has('from') && url.searchParams.get('incident') === String(key))
    await page.getByRole('button', { name: 'Whole window' }).click()
    await isIn(`?incident=${key}`)
    await page.reload()
    await open.focus()
    await page.keyboard.press('Escape')
    await isIn('')
    expect(await page.evaluate<string>('document.activeElement.textContent')).toContain('route=/pay')
    await page.goBack()
    await open.waitFor()
    await open.click()
    await open.waitFor({ state: 'detached' })
    await rows().nth(1).click()
    await page.getByText('It was over before this SLO was made.').waitFor()
  })

  test('where the budget went says what the source said where it refuses, and tries again', async () => {
    isRefusing = true
    const sloId = await opened(pair)
    const { page, net } = world
    net.expected.add(new RegExp(`^GET /api/v1/slos/${sloId}/incidents/\\d+/breakdown 500$`))
    await rows().first().click()
    const failed = page.locator('.incident').getByRole('alert')
    await failed.getByText('too many samples').waitFor()
    isRefusing = false
    await failed.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('route=/pay has').waitFor()
  })

  test('where the budget went is red for what was urgent, amber for a ticket and what no alert saw', async () => {
    const { nines, page } = world
    const sloId = await opened(pair)
    const bars = page.locator('.went button .share')
    const colours = () =>
      page.evaluate<string[]>(
        "[...document.querySelectorAll('.went button .share rect')].map((bar) => getComputedStyle(bar).fill)",
      )
    const token = (name: string) =>
      page.evaluate<string>(`(() => {
        const sample = document.body.appendChild(document.createElement('i'))
        sample.style.color = 'var(${name})'
        const { color } = getComputedStyle(sample)
        sample.remove()
        return color
      })()`)
    const [red, amber] = [await token('--crit'), await token('--warn')]
    await bars.nth(1).waitFor()
    expect(await colours()).toEqual([amber, amber])
    for (const severity of ['warning', 'critical'] as const) {
      await nines.app.db.write
        .replaceInto('incidents')
        .values({
          id: 1,
          organization_id: 1,
          slo_id: sloId,
          severity,
          state: 'closed',
          began_at: startSeconds - 5 * hour,
          opened_at: startSeconds - 5 * hour + minute,
          since: startSeconds - 5 * hour,
          recovered_at: startSeconds - 5 * hour + 20 * minute,
          closed_at: startSeconds - 4 * hour,
          close_reason: 'recovered',
          relapses: 0,
        })
        .execute()
      await page.reload()
      await bars.nth(1).waitFor()
      expect(await colours()).toEqual([severity === 'critical' ? red : amber, amber])
    }
  })

  test('where the budget went says why where there is nothing to compare', async () => {
    await opened({ metric_query: 'avg_over_time(probe_success[5m])' })
    await rows().first().click()
    await world.page.getByText('This SLI is a mean over time.').waitFor()
    await looksRight(world.page)
  })
})
