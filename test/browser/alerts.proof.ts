import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { isWithoutBrowser, looksRight } from './browser.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "the page of alerts": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('the page of alerts', () => {
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
      await make('/notifications/rules', { slo_id: sloId, channel_id, alert_type: 'violation', notify: false })
    }
  }

  const eventsOf = ({ received }: Receiver) => received.map(({ json }) => json.event)

  test('an alert fires, is acknowledged by keyboard with a note, is not repeated, and ends', async () => {
    const { page, context, nines, url, signIn } = world
    await context.clock.install({ time: nines.clock.now() })
    await prepare()
    await page.goto(`${url}/`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await pass(12)
    await page.locator('body').press('g')
    await page.keyboard.press('a')
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
    await page.getByText('Nothing is firing.').waitFor()
    await looksRight(page)

    isDown = true
    await pass(4)
    const firing = page.getByRole('table', { name: 'Alerts that fire now' })
    const status = firing.getByRole('row', { name: 'Target missed, budget low' })
    await status.getByText('On call: delivered').waitFor()
    await status.getByText(/Old chat: failed/).waitFor()
    await firing
      .getByRole('row', { name: /Page, 5.min and 1.min/ })
      .getByText(/Burning \d+× over 5.min/)
      .waitFor()
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: /Alerts\s*\d firing/ })
      .waitFor()
    await looksRight(page)

    for (let step = 0; step < 8; step++) {
      await page.keyboard.press('j')
      const row = await page.evaluate<string>(`document.activeElement?.closest('tr')?.innerText ?? ''`)
      if (row.includes('Target missed, budget low')) break
    }
    await page.keyboard.press('a')
    await page.getByRole('textbox', { name: 'Note' }).waitFor()
    await page.keyboard.type('The new release; rolling back')
    await page.keyboard.press('Enter')
    await status.getByText(/Acknowledged by ada, \d\d:\d\d: The new release; rolling back/).waitFor()
    await page.getByText('Sales succeed: acknowledged.').waitFor()
    expect([eventsOf(onCall), eventsOf(archived)]).toEqual([['alert'], ['alert']])
    await pass(36)
    expect([eventsOf(onCall), eventsOf(archived)]).toEqual([['alert'], ['alert']])
    await looksRight(page)

    isDown = false
    await pass(14)
    expect(eventsOf(onCall)).toEqual(['alert', 'recovery'])
    expect(onCall.received[1]?.json.alert.acknowledged).toMatchObject({
      by: 'ada',
      note: 'The new release; rolling back',
    })
    const ended = page.getByRole('table', { name: /^Alerts that ended/ })
    const row = ended.getByRole('row', { name: 'Target missed, budget low' })
    await row.getByText(/^[45]\d.min$/).waitFor()
    await row.getByText(/^>\s1,000\s%$/).waitFor()
    await ended
      .getByRole('row', { name: /Page, 5.min and 1.min/ })
      .getByText(/^\d\d×$/)
      .waitFor()

    const bar = page.locator('.timeline-bar').first()
    await bar.focus()
    await page.keyboard.press('End')
    await page.keyboard.press('Home')
    await page
      .locator('.timeline-below')
      .getByText(/^Sales succeed: .+min, /)
      .waitFor()

    await row.getByRole('link', { name: 'Sales succeed' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Sales succeed: target missed, budget low' }).waitFor()
    const steps = page.locator('.happened')
    await steps.getByText('ada acknowledged it: The new release; rolling back').waitFor()
    await steps.getByText('On call was notified of the end').waitFor()
    await steps
      .getByRole('table', { name: 'Attempts' })
      .getByText(/^Failed: .*the channel is archived/)
      .waitFor()
    await looksRight(page)
  }, 180_000)

  test('a page on which nothing happens is not drawn again within a minute', async () => {
    const { page, nines, url, signIn, made, context } = world
    await context.clock.install({ time: nines.clock.now() })
    const sloId = await made({ name: 'Sales succeed' })
    const began_at = Math.floor(nines.clock.now() / 1000) - 600
    await nines.app.db.write
      .insertInto('alerts')
      .values({ organization_id: 1, slo_id: sloId, ended_at: null, began_at, name: 'status', severity: 'critical' })
      .execute()
    await page.goto(`${url}/alerts`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn()
    await page.getByRole('row', { name: 'Target missed, budget low' }).waitFor()
    await page.locator('.timeline-bar').waitFor()
    await page.evaluate(`
      globalThis.drawn = []
      new MutationObserver((changes) => drawn.push(...changes.map(({ target }) => target.nodeName))).observe(
        document.querySelector('.alerts-page'),
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
  }, 60_000)

  test('an acknowledgement is taken back, a filter is in the address, and a viewer can only look', async () => {
    const { page, nines, url, signIn, made } = world
    const sloId = await made({ name: 'Sales succeed' })
    await made({ name: 'Search answers' })
    const began_at = Math.floor(nines.clock.now() / 1000) - 600
    const fires = { organization_id: 1, slo_id: sloId, ended_at: null, began_at }
    await nines.app.db.write
      .insertInto('alerts')
      .values([
        { ...fires, name: 'status', severity: 'critical' },
        { ...fires, name: 'burn_rate:3600:300', severity: 'page' },
      ])
      .execute()
    await page.goto(`${url}/alerts`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn()
    const status = page.getByRole('row', { name: 'Target missed, budget low' })
    await status.getByRole('button', { name: /^Acknowledge/ }).click()
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).click()
    await status.getByText(/Acknowledged by ada/).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await status.getByRole('button', { name: /^Acknowledge:/ }).waitFor()
    await page.goto(`${url}/alerts/1`)
    await page.getByRole('heading', { level: 1, name: 'Sales succeed: target missed, budget low' }).waitFor()
    await page.keyboard.press('a')
    await page.getByRole('textbox', { name: 'Note' }).waitFor()
    await looksRight(page)
    await page.goBack()
    await page.getByRole('button', { name: 'Severity' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Page' }).click()
    await status.waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?severity=page')
    await nines.app.db.write.updateTable('users').set({ role: 'viewer' }).where('id', '=', 1).execute()
    await page.goto(`${url}/alerts?slo=${sloId}`)
    const button = status.getByRole('button', { name: 'Acknowledge' })
    await button.waitFor()
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    await page.getByLabel('SLO', { exact: true }).selectOption('Search answers')
    await page.getByText('Nothing like that is firing.').waitFor()
  }, 60_000)
})
