import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { isWithoutBrowser, looksRight } from './browser.ts'
import { keysOf } from './keys.ts'
import { heading } from './visit.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "the first night": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('the first night', () => {
  const world = pageWorld({ isFirstStart: true, env: { SOURCE_URL: 'embedded' } })
  const { focusIsOn, tabTo } = keysOf(world)
  let shop: Receiver
  let onCall: Receiver
  let isDown = false
  let answers: Map<string, number>
  beforeEach(() => {
    isDown = false
    answers = new Map()
    shop = startReceiver(() => new Response(exposed(answers)))
    onCall = startReceiver(() => new Response('thanks'))
  })
  afterEach(() => Promise.all([shop.close(), onCall.close()]))

  /**
   * Advances the time of nines and the browser: the shop is scraped, and each minute ends with an evaluation and deliveries.
   */
  const pass = async (minutes: number) => {
    const { clock, app } = world.nines
    for (let half = 1; half <= 2 * minutes; half++) {
      for (const code of ['200', isDown ? '503' : '200']) answers.set(code, (answers.get(code) ?? 0) + 100)
      for (let second = 0; second < 30; second++) {
        clock.advance(1000)
        app.collector.tick()
      }
      await app.collector.drain()
      if (half % 2 === 0) {
        await app.evaluator.evaluateAll()
        await app.delivery.run()
      }
    }
    const lateMs = clock.now() - (await world.page.evaluate<number>('Date.now()'))
    if (lateMs > 0) await world.page.clock.fastForward(lateMs)
  }

  const press = (key: string) => world.page.keyboard.press(key)
  const write = (text: string) => world.page.keyboard.insertText(text)
  const fill = async (label: string | RegExp, text: string) => {
    await tabTo(label)
    await press('Control+A')
    await write(text)
  }
  /** Tabs to an element and presses Enter. */
  const use = async (name: string | RegExp) => {
    await tabTo(name)
    await press('Enter')
  }
  /** Jumps to an entry with the command palette. */
  const jump = async (to: string) => {
    await press('Control+k')
    await world.page.getByRole('combobox', { name: 'Search or jump' }).waitFor()
    await write(to)
    await world.page.getByRole('option', { name: to }).first().waitFor()
    await press('Enter')
  }
  const notified = () => onCall.received.map(({ json }) => json)

  test('by keyboard alone: scraped, suggested, an SLO; a failure pages, is acknowledged and silenced, and its end arrives', async () => {
    const { page, context, nines, url } = world
    context.setDefaultTimeout(60_000)
    await context.clock.install({ time: nines.clock.now() })
    await page.goto(`${url}/`)
    await page.getByRole('button', { name: 'Make the account' }).waitFor()
    await fill('E-mail', 'ada@example.com')
    await fill('Name', 'Ada')
    await fill('Password', 'correct horse')
    await press('Enter')
    await heading(page, 'Overview')

    await jump('Collect')
    await heading(page, 'Sources')
    await use('Metrics endpoints')
    await heading(page, 'Metrics endpoints')
    await use('New metrics endpoint')
    await heading(page, 'New metrics endpoint')
    await write(`${shop.url}/metrics`) // the first field of the form has the focus
    await fill('Name', 'shop')
    await use('Try now')
    await page.getByText('Nothing of it was stored.').waitFor()
    await tabTo('Save', 'Shift+Tab')
    await press('Enter')
    await page.getByRole('listitem', { name: 'shop' }).waitFor()
    await pass(35)
    await page.getByRole('listitem', { name: 'shop' }).getByText('Up', { exact: true }).waitFor()

    await jump('New SLO')
    await heading(page, 'New SLO')
    await page
      .getByRole('button', { name: /^Create: / })
      .first()
      .waitFor()
    await looksRight(page)
    await use('Create: shop answers')
    const name = 'shop answers'
    await heading(page, name)
    await pass(2)
    await page
      .locator('.now')
      .getByText(/^On track/)
      .waitFor()

    await jump('Notify')
    await heading(page, 'Channels')
    await use('New channel')
    await page.getByRole('combobox', { name: 'New channel' }).waitFor()
    await write('webhook')
    await press('Enter')
    await page.getByRole('dialog', { name: 'New channel: Webhook' }).waitFor()
    await fill('URL', `${onCall.url}/alerts`)
    await fill('Name', 'on call')
    await use('Save and test')
    await page.getByText(/^Test at /).waitFor()
    expect(onCall.received).toHaveLength(1)
    await use('Save')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await use('Rules')
    const usual = page.getByRole('row', { name: /^Usual alerts/ })
    await usual.getByText('Every SLO').waitFor() // the first channel needs no rule

    isDown = true
    await pass(7)
    const [, alert] = notified()
    expect(alert).toMatchObject({ event: 'alert', slo: { name }, alert: { severity: 'page' } })
    await jump('Incidents')
    await heading(page, 'Incidents')
    const firing = page.locator('.incident-rows [data-alert]').filter({ hasText: name }).first()
    await firing.waitFor()
    await firing.getByText(/on call/).waitFor()
    await looksRight(page)
    await use(`Acknowledge: ${name}`)
    await page.getByLabel('Note').first().waitFor()
    await write('The database is being restarted')
    await press('Enter')
    await firing.getByText(/Acknowledged by Ada.*The database is being restarted/).waitFor()

    await use('Silence')
    await focusIsOn('BUTTON', '1 h')
    await press('Enter')
    await firing.getByText(/Silenced to/).waitFor()
    const before = onCall.received.length
    await pass(3)
    expect(notified().slice(before)).toEqual([]) // acknowledged, and silenced

    isDown = false
    await pass(8)
    await firing.getByText(/^Up again/).waitFor()
    await firing.getByText(/Acknowledged by Ada/).waitFor()
    const [end, ...others] = notified().slice(before)
    expect(others).toEqual([]) // the alerts that still fire are silenced
    expect(end).toMatchObject({ event: 'recovery', thread: alert.thread, alert: { acknowledged: { by: 'Ada' } } })
  })
})

/** Request counters in Prometheus' text format. */
function exposed(answers: Map<string, number>): string {
  const lines = [...answers].map(([code, count]) => `http_requests_total{code="${code}"} ${count}\n`)
  return `# TYPE http_requests_total counter\n${lines.join('')}`
}
