import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { isWithoutBrowser, looksRight } from './browser.ts'
import { withMoments } from './moments.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "the page of incidents": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('the page of incidents', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded' } })
  let shop: Receiver
  let onCall: Receiver
  let archived: Receiver
  let isDown = false
  let sold = { good: 0, bad: 0 }
  beforeEach(() => {
    isDown = false
    sold = { good: 0, bad: 0 }
    shop = startReceiver(
      () => new Response(`sales_total{code="200"} ${sold.good}\nsales_total{code="503"} ${sold.bad}\n`),
    )
    onCall = startReceiver(() => new Response('ok'))
    archived = startReceiver(() => Response.json({ error: 'the channel is archived' }, { status: 410 }))
  })
  afterEach(async () => void (await Promise.all([shop, onCall, archived].map((one) => one.close()))))

  /** Advances the time of nines and the browser; while the shop is down, half of its sales fail. */
  const pass = async (minutes: number) => {
    const { clock, app } = world.nines
    for (let half = 1; half <= 2 * minutes; half++) {
      sold = { good: sold.good + (isDown ? 50 : 100), bad: sold.bad + (isDown ? 50 : 0) }
      for (let second = 0; second < 30; second++) {
        clock.advance(1000)
        app.collector.tick()
      }
      await app.collector.drain()
      if (half % 2 !== 0) continue
      await app.evaluator.evaluateAll()
      await app.delivery.run()
      await app.delivery.drain()
    }
    const lateMs = clock.now() - (await world.page.evaluate<number>('Date.now()'))
    if (lateMs > 0) await world.page.clock.fastForward(lateMs)
  }

  const prepare = async () => {
    const { nines, made } = world
    const make = async (path: string, body: object) => {
      const { status, text } = await nines.call('POST', `/api/v1${path}`, body)
      if (status >= 300) throw new Error(`${path}: ${text}`)
    }
    await make('/embedded/targets', { name: 'shop', url: `${shop.url}/metrics`, interval_seconds: 30 })
    const sloId = await made({
      name: 'Sales succeed',
      target: 99,
      time_window: '1h',
      metric_query: null,
      bad_query: 'sum(rate(sales_total{job="shop",code="503"}[5m]))',
      total_query: 'sum(rate(sales_total{job="shop"}[5m]))',
      force: true,
    })
    for (const [name, { url }] of Object.entries({ 'On call': onCall, 'Old chat': archived })) {
      const configuration = { webhook_url: url }
      await make('/notifications/channels', { name, channel_type: 'webhook', configuration })
    }
    for (const channel_id of [1, 2]) {
      await make('/notifications/rules', { slo_id: sloId, channel_id, alert_type: 'burn_rate_too_fast', notify: false })
    }
  }

  const eventsOf = ({ received }: Receiver) => received.map(({ json }) => json.event)

  test('an incident opens, is acknowledged by keyboard, told in a note, is up again, and is over', async () => {
    const { page, context, nines, url, signIn } = world
    await context.clock.install({ time: nines.clock.now() })
    await prepare()
    await page.goto(`${url}/`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await pass(12)
    await page.locator('body').press('g')
    await page.keyboard.press('i')
    await page.getByRole('heading', { level: 1, name: 'Incidents' }).waitFor()
    await page.getByText('No incident is open.').waitFor()
    await looksRight(page)

    isDown = true
    await pass(4)
    const row = page.getByRole('table', { name: 'Open incidents' }).locator('[data-alert]')
    await row.getByText(/^Burning \d+×$/).waitFor()
    await row.getByText(/^On call \d\d:\d\d:\d\d$/).waitFor()
    await row.getByText('Old chat failed').waitFor()
    await row.getByText(/% so far$|times so far$/).waitFor()
    const place = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Incidents/ })
    await place.getByText('1 open, not acknowledged').waitFor()
    await looksRight(page)

    await page.keyboard.press('j')
    await page.keyboard.press('a')
    await page.getByRole('textbox', { name: 'Note' }).waitFor()
    await page.keyboard.type('The new release; rolling back')
    await page.keyboard.press('Enter')
    await row.getByText(/Acknowledged by ada, \d\d:\d\d: The new release; rolling back/).waitFor()
    await page.getByText('Sales succeed: acknowledged.').waitFor()
    await place.locator('.badge').waitFor({ state: 'detached' })

    await row.getByRole('button', { name: 'Unfold Sales succeed' }).focus()
    await page.keyboard.press('Enter')
    const more = page.locator('.incident-more')
    await more.getByRole('link', { name: /^Page \(urgent\), 5.min and 1.min$/ }).waitFor()
    await more.getByText(/^On call was notified, /).waitFor()
    await more
      .getByRole('table', { name: 'Attempts' })
      .getByText(/^Failed: .*the channel is archived/)
      .waitFor()
    await more.getByRole('textbox', { name: 'Note' }).focus()
    await page.keyboard.type('Rolled back')
    await page.keyboard.press('Enter')
    await more.getByText('ada noted: Rolled back').waitFor()
    await looksRight(page)
    const before = eventsOf(onCall)
    await pass(6)
    expect(eventsOf(onCall)).toEqual(before)

    isDown = false
    await pass(8)
    await row.getByText(/^Up again/).waitFor()
    await row.getByText(/^On call: end \d\d:\d\d:\d\d$/).waitFor()
    expect(eventsOf(onCall)).toEqual([...before, 'recovery'])
    await pass(16)
    const closed = page.getByRole('table', { name: /closed$/ }).locator('[data-alert]')
    await closed.getByText('Over', { exact: true }).waitFor()
    await page.getByText('No incident is open.').waitFor()

    const bar = page.locator('.timeline-bar').first()
    await bar.focus()
    await page.keyboard.press('End')
    await page.keyboard.press('Home')
    await page
      .locator('.timeline-below')
      .getByText(/^Sales succeed: .+min, /)
      .waitFor()

    await closed.getByRole('link', { name: 'Sales succeed' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Incident: Sales succeed' }).waitFor()
    await page
      .locator('.sentence')
      .getByText(
        /^Over since \d\d:\d\d\. It lasted \d+.min and used.* On call was notified at [\d:]{8} that it is up again\./,
      )
      .waitFor()
    const steps = page.locator('.happened')
    for (const step of [
      'It began to fail',
      'ada acknowledged it: The new release; rolling back',
      'ada noted: Rolled back',
      'On call was notified that it is up again',
      'It was closed after 15 min without failures',
    ]) {
      await steps.getByText(step, { exact: true }).waitFor()
    }
    await looksRight(page)
  })

  /** Stores an open incident of an SLO with its alert, ten minutes old. */
  const failing = async (slo_id: number) => {
    const { db, clock } = world.nines.app
    const began_at = Math.floor(clock.now() / 1000) - 600
    const fails = { severity: 'critical', state: 'down', reason: 'HTTP 503', relapses: 0 } as const
    const { id } = await db.write
      .insertInto('incidents')
      .values({ organization_id: 1, slo_id, ...fails, began_at, opened_at: began_at + 40, since: began_at })
      .returning('id')
      .executeTakeFirstOrThrow()
    const alert = { organization_id: 1, slo_id, began_at, ended_at: null, severity: 'critical' } as const
    await db.write
      .insertInto('alerts')
      .values([
        { ...alert, name: 'down', incident_id: id },
        { ...alert, name: 'status', incident_id: null },
      ])
      .execute()
    return id
  }

  test('a page on which nothing happens is not drawn again within a minute', async () => {
    const { page, nines, url, signIn, made, context } = world
    await context.clock.install({ time: nines.clock.now() })
    await failing(await made({ name: 'Sales succeed' }))
    await page.goto(`${url}/incidents`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn()
    await page.getByText(/^Down 10/).waitFor()
    await page.locator('.timeline-bar').first().waitFor()
    await page.evaluate(`
      globalThis.drawn = []
      new MutationObserver((changes) => drawn.push(...changes.map(({ target }) => target.nodeName))).observe(
        document.querySelector('.incidents'),
        { subtree: true, childList: true, attributes: true, characterData: true },
      )`)
    const time = await page.evaluate<number>('Date.now()')
    await page.clock.pauseAt(time - (time % 60_000) + 121_000) // early in a minute
    const drawn: string[][] = []
    for (let stretch = 0; stretch < 5; stretch++) {
      await page.evaluate('drawn = []')
      await page.clock.runFor(10_000)
      drawn.push(await page.evaluate<string[]>('drawn'))
    }
    expect(drawn).toContainEqual([]) // in the others an answer may have arrived
  })

  test('an acknowledgement is taken back, filters are in the address, and a viewer can only look', async () => {
    const { page, nines, url, signIn, made } = world
    const sloId = await made({ name: 'Sales succeed' })
    await made({ name: 'Search answers' })
    await failing(sloId)
    await page.goto(`${url}/alerts?state=firing&severity=page`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn()
    const row = page.getByRole('table', { name: 'Open incidents' }).locator('[data-alert]')
    await row.getByText('HTTP 503').waitFor()
    const { pathname, search } = new URL(page.url())
    expect([pathname, search]).toEqual(['/incidents', '?state=open&severity=critical'])
    await page.setViewportSize({ width: 390, height: 844 })
    const tabs = await page
      .getByRole('navigation', { name: 'Shown' })
      .evaluate((nav) => ({ shown: nav.clientWidth, all: nav.scrollWidth }))
    expect(tabs.all).toBe(tabs.shown) // no tab is cut on a phone
    await page.setViewportSize({ width: 1280, height: 800 })
    await row.getByRole('button', { name: /^Acknowledge/ }).click()
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).click()
    await row.getByText(/Acknowledged by ada/).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await row.getByRole('button', { name: /^Acknowledge:/ }).waitFor()
    await page.getByRole('button', { name: 'Critical' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Warning' }).click()
    await page.getByText('No incident like that is open.').waitFor()
    expect(new URL(page.url()).search).toBe('?state=open&severity=warning')

    await page.goto(`${url}/incidents?view=alerts`)
    const others = page.getByRole('table', { name: 'Alerts without an incident that fire now' })
    await others.getByRole('row', { name: 'Recently below target' }).waitFor()
    expect(await others.locator('[data-alert]').count()).toBe(1)
    await looksRight(page)
    await others.getByRole('link', { name: 'Sales succeed' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sales succeed: recently below target' }).waitFor()
    await page.getByText('Sales succeed was below its target over the last hour, or over the last 5 min').waitFor()
    await looksRight(page)

    await nines.app.db.write.updateTable('users').set({ role: 'viewer' }).where('id', '=', 1).execute()
    await page.goto(`${url}/incidents?slo=${sloId}`)
    const button = row.getByRole('button', { name: 'Acknowledge' })
    await button.waitFor()
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    await page.goto(`${url}/incidents/1?acknowledge`)
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' })
    await confirm.waitFor()
    expect(await confirm.getAttribute('aria-disabled')).toBe('true')
  })

  test('a list of incidents has its words in line, alerts in lanes, and the shapes of the overview', async () => {
    const { page, nines, url, signIn, context } = world
    await context.clock.install({ time: nines.clock.now() })
    const ids = await withMoments(world)
    const sloId = ids.get('Checkout answers') ?? 0
    const { db, clock } = nines.app
    const before = { organization_id: 1, slo_id: sloId, severity: 'critical', name: 'down' } as const
    const beganAt = (at: number) => Math.floor(clock.now() / 1000) - 7200 + at * 300
    await db.write
      .insertInto('alerts')
      .values(
        Array.from({ length: 20 }, (_, at) => ({ ...before, began_at: beganAt(at), ended_at: beganAt(at) + 120 })),
      )
      .execute()
    await page.goto(`${url}/incidents?range=24h`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn()
    const row = page.locator(`[data-slo="${sloId}"]`)
    await row.getByText(/^[\d.]+.% so far$/).waitFor() // in one line
    await page.locator('.timeline-bar').first().waitFor()
    const shapeOf = (name: string) =>
      page
        .locator(`[data-slo="${ids.get(name)}"] .shape`)
        .first()
        .evaluate((shape) => shape.innerHTML)
    const inList = await shapeOf('Orders answer')
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height })
      const leftOf = (one: string) =>
        row.locator(one).evaluate((element) => Math.round(element.getBoundingClientRect().left))
      expect([width, await leftOf('.alert-what')]).toEqual([width, await leftOf('.alert-name a')])
      const beyond = `(() => {
        const { right } = document.querySelector('.timeline-rows').getBoundingClientRect()
        return [...document.querySelectorAll('.timeline-axis text')]
          .filter((label) => label.getBoundingClientRect().right > right + 1)
          .map((label) => label.textContent)
      })()`
      expect([width, await page.evaluate<string[]>(beyond)]).toEqual([width, []])
      const lanes = page.locator('.timeline-row svg').first()
      expect(await lanes.evaluate((svg) => svg.getBoundingClientRect().height)).toBeLessThan(50) // one, for 21 alerts
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(url)
    expect(await shapeOf('Orders answer')).toBe(inList)
  })

  test('the links of a message ask, and one press acknowledges or silences; a member closes it by hand', async () => {
    const { page, url, signIn, made } = world
    const id = await failing(await made({ name: 'Sales succeed' }))
    await page.goto(`${url}/incidents/${id}?acknowledge`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn()
    await page.getByRole('dialog', { name: 'Acknowledge: Sales succeed' }).waitFor()
    await looksRight(page)
    await page.keyboard.press('Enter')
    await page.getByText(/^Acknowledged by ada/).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('')

    await page.goto(`${url}/incidents/${id}?silence=30m`)
    await page.getByRole('dialog', { name: /^Silence for 30.min: Sales succeed$/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText(/^Silenced to .* by ada: No reason given$/).waitFor()

    await page.goto(`${url}/incidents/${id}?acknowledge`) // it is acknowledged: nothing is asked
    await page.getByText(/^Acknowledged by ada/).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.getByRole('button', { name: 'Close…' }).click()
    await page.getByRole('dialog').getByText('not that it is up again').waitFor()
    await looksRight(page)
    await page.getByRole('button', { name: 'Close the incident' }).click()
    await page.locator('.status').getByText('Closed by ada').waitFor()
    await page.getByRole('button', { name: 'Close…' }).waitFor({ state: 'detached' })
  })
})
