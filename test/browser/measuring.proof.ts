import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { fits, isWithoutBrowser, seriousInThemes, titledExactly } from './browser.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "an SLO without figures": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('an SLO without figures', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded' } })
  let site: Receiver
  let isDown = false
  beforeEach(() => {
    isDown = false
    site = startReceiver(() => new Response('welcome', { status: isDown ? 503 : 200 }))
  })
  afterEach(() => site.close())

  /** Runs the checks that are due in so many seconds. */
  const pass = async (seconds: number) => {
    const { clock, app } = world.nines
    for (let second = 0; second < seconds; second++) {
      clock.advance(1000)
      app.collector.tick()
      await app.collector.drain()
    }
    await world.context.clock.setFixedTime(clock.now())
  }
  const watch = async () => {
    const probe = { name: 'site', type: 'http', target: `${site.url}/` }
    expect((await world.nines.call('POST', '/api/v1/embedded/probes', probe)).status).toBe(201)
    const id = await world.made({
      name: 'My site answers',
      metric_query: 'probe_success{job="site"}',
      time_window: '30d',
    })
    await pass(2)
    return id
  }
  const sentence = async () => (await world.page.locator('.now').innerText()).replaceAll(/\s+/g, ' ').trim()

  test('an SLO without figures says when they come, and is not cut with a clock of 12 hours', async () => {
    const { page, nines, url } = world
    expect((await nines.call('PUT', '/api/v1/auth/me', { clock: '12h' })).status).toBe(200)
    await watch()
    await page.goto(`${url}/`)
    await world.signIn()
    const word = page.locator('.slo-row .state-word')
    await page.getByText(/^First figures at 10:01.am$/).waitFor()
    for (const width of [1280, 1000, 800, 640, 390, 320]) {
      await page.setViewportSize({ width, height: 800 })
      const isCut = await word.evaluate((of) => of.scrollWidth > of.clientWidth)
      expect([width, isCut]).toEqual([width, false])
    }
  })

  test('an SLO without figures has a sentence and the list of its checks, and no chart; then figures of what exists', async () => {
    const { page, nines, url } = world
    const id = await watch()
    await page.goto(`${url}/`)
    await world.signIn()
    await page.locator('.slo-row').getByText('First figures at 10:01').waitFor()
    await page.goto(`${url}/slos/${id}`)
    await page.getByText(/^Measuring: the first check runs at 10:00:\d\d, figures come a minute later\.$/).waitFor()
    await page.getByText('None has run yet.').waitFor()
    await titledExactly(page, 'My site answers · nines')

    await pass(30)
    await page.reload()
    await page.getByText(/^Measuring: the first check ran at 10:00 and was good; figures at 10:01\.$/).waitFor()
    const checks = page.locator('.checks tbody tr')
    await checks.first().waitFor()
    expect(await checks.count()).toBe(1)
    expect(await checks.first().innerText()).toMatch(/^10:00:\d\d\s+Good\s+\d+.ms\s+–$/)
    expect(await page.locator('.plot, .number-card, .went').count()).toBe(0)
    expect(await page.locator('main').innerText()).not.toMatch(/100.%|On track|No data/)
    expect(await seriousInThemes(page)).toEqual([])
    await fits(page)

    await pass(40)
    await nines.app.backfills.run()
    await nines.app.evaluator.evaluateAll()
    await page.locator('.number-card').first().waitFor()
    await page.getByText('The line begins with the second minute of data.').waitFor()
    expect(await page.locator('.checks').count()).toBe(0)
    expect(await sentence()).toBe('On track: nothing of the budget is used.')
    await fits(page)

    const change = async (paused: boolean) =>
      expect((await nines.call('PUT', `/api/v1/slos/${id}`, { paused })).status).toBe(200)
    await pass(60)
    await nines.app.evaluator.evaluateAll()
    const chart = page.getByRole('application', { name: /^Budget left over time/ })
    await chart.locator('canvas').waitFor()
    await change(true)
    await pass(60)
    await change(false)
    for (let minute = 0; minute < 2; minute++) {
      await pass(60)
      await nines.app.evaluator.evaluateAll()
    }
    const last = page.locator('.budget-and-incidents').getByText(/10:05.* · Left 100.%/)
    while ((await last.count()) === 0) await chart.press('End')

    await page.locator('.budget-and-incidents').getByRole('button', { name: 'Show as table' }).click()
    const rows = page.locator('.budget-and-incidents .figures tbody tr')
    expect(await rows.first().innerText()).toMatch(/^10:0\d\s+100\s/) // not 30 days of which nothing is known
    expect(await rows.count()).toBeLessThan(15)
  })

  test('that fails at once has the reason at each check; its few minutes of history are not thirty days', async () => {
    const { page, nines, url } = world
    isDown = true
    const id = await watch()
    await pass(14)
    const { body } = await nines.call('GET', `/api/v1/slos/${id}/checks`)
    await pass(Math.max(0, (Date.parse(body.next_at) - nines.clock.now()) / 1000))
    await page.goto(`${url}/slos/${id}`)
    await world.signIn()
    await page.locator('.checks').getByText('HTTP 503, expected 2xx').first().waitFor()
    await page.locator('.now').getByText('failed (HTTP 503, expected 2xx)').waitFor()
    await nines.app.backfills.run()
    for (let minute = 0; minute < 4; minute++) {
      await pass(60)
      await nines.app.evaluator.evaluateAll()
    }
    await page.reload()
    await page.getByText(/^Down since 10:0/).waitFor()
    await page.locator('.number-card').first().waitFor()
    const said = (await page.locator('main').innerText()).replaceAll('\u2009', ' ')
    expect(said).not.toMatch(/>\s?1,000 %|[2-9]\d\d %|1\d\d\d %/)
    expect(said).toMatch(/\b[3-5](?:\.\d)? of 43 min used/)
    expect(await page.locator('.sum .number').innerText()).toMatch(/^(?:[7-9](?:\.\d)?|1[0-2]).% used$/)
    await page.getByRole('link', { name: 'Incident', exact: true }).waitFor()
    await page.getByRole('button', { name: /still failing/ }).click()
    await page.getByRole('link', { name: 'Open the incident' }).click()
    await page.getByRole('heading', { level: 1, name: 'Incident: My site answers' }).waitFor()
  })

  test('an SLO without figures is previewed by the minutes that exist, with the budget of the whole window', async () => {
    const { page, nines, url } = world
    isDown = true
    const id = await watch()
    await pass(4 * 60)
    await nines.app.backfills.run()
    await nines.app.evaluator.evaluateAll()
    await page.goto(`${url}/slos/${id}/edit`)
    await world.signIn()
    const pane = page.getByRole('region', { name: 'Preview' })
    await pane.getByRole('heading', { name: /^Preview: the [3-5].min since there is data$/ }).waitFor()
    await pane.getByText(/^budget left of 30.d$/).waitFor()
    const said = (await pane.innerText()).replaceAll('\u2009', ' ')
    expect(said).toMatch(/\b(?:89|9[0-3])(?:\.\d)? %/)
    expect(said).toMatch(/not known: it needs 30 min of data[^]*it needs 2 h of data[^]*it needs 6 h of data/)
    expect(said).not.toMatch(/never (?:gone|used up)|the last 30 d|\d,\d\d\d %/)
    await fits(page)
    await page.goto(`${url}/slos/${id}/activity`)
    await page.locator('.evaluations tbody tr').first().waitFor()
    await page.getByRole('columnheader', { name: 'Result, last hour' }).waitFor()
    expect((await page.locator('.evaluations').innerText()).replaceAll('\u2009', ' ')).toMatch(
      /Below target\s.*\b(?:[7-9]|1[0-1])\.\d %/,
    )
  })
})
