import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { fits, isWithoutBrowser, serious } from './browser.ts'
import { heading } from './visit.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "a missed run": chromium is not installed\n')

const stepSeconds = 10 // the longest pause that does not count as an absence of nines
const sizes = [
  ['a desk', { width: 1280, height: 800 }],
  ['a phone', { width: 390, height: 844 }],
] as const

describe.skipIf(isWithoutBrowser)('a missed run', () => {
  const world = pageWorld({ isFirstStart: true, env: { SOURCE_URL: 'embedded' } })
  let onCall: Receiver
  beforeEach(() => void (onCall = startReceiver(() => new Response('thanks'))))
  afterEach(() => onCall.close())

  const button = (name: string) => world.page.getByRole('button', { name, exact: true })
  const field = (label: string) => world.page.getByLabel(label, { exact: true })
  const link = (name: string) => world.page.getByRole('link', { name, exact: true })

  /** Lets time pass for nines and the browser: deadlines are noticed, SLOs are evaluated, messages are delivered. */
  async function pass(minutes: number): Promise<void> {
    const { clock, app } = world.nines
    app.collector.tick()
    await app.collector.drain()
    for (let minute = 0; minute < minutes; minute += 1) {
      for (let second = 0; second < 60; second += stepSeconds) {
        clock.advance(stepSeconds * 1000)
        await app.heartbeats.tick()
      }
      await app.evaluator.evaluateAll()
      await app.delivery.run()
    }
    const lateMs = clock.now() - (await world.page.evaluate<number>('Date.now()'))
    if (lateMs > 0) await world.page.clock.fastForward(lateMs)
  }

  test.each(sizes)(
    'on %s: from no account to a cron job whose missed run is notified, and the end of that',
    async (_, size) => {
      const { page, context, nines, url } = world
      const looksRightHere = async () => {
        await fits(page, [size.width])
        expect(await serious(page)).toEqual([])
      }
      context.setDefaultTimeout(60_000)
      await context.clock.install({ time: nines.clock.now() })
      await page.setViewportSize(size)
      await page.goto(`${url}/`)
      await page.getByLabel('E-mail').fill('ada@example.com')
      await field('Name').fill('Ada')
      await page.getByLabel('Password').fill('correct horse')
      await button('Make the account').click()

      await link('a heartbeat').click()
      await heading(page, 'New heartbeat')
      await field('Name').fill('Nightly backup')
      await field('Period').fill('5 min')
      await field('Grace').fill('1 min')
      await button('Save').click()
      await heading(page, 'Nightly backup')
      const address = await page.locator('.lines-to-copy pre').first().innerText()
      const job = async () => (await fetch(`${url}${new URL(address).pathname}`)).text()
      await button('Make an SLO').click()
      await heading(page, 'New SLO')
      await button('Create SLO').click()
      await heading(page, 'Nightly backup')

      await link('Notify').first().click()
      await button('New channel').click()
      await page.getByRole('combobox', { name: 'New channel' }).fill('webhook')
      await page.keyboard.press('Enter')
      await field('URL').fill(`${onCall.url}/jobs`)
      await field('Name').fill('on call')
      await button('Save').click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })

      expect(await job()).toBe('OK')
      await pass(2)
      expect(onCall.received).toEqual([])
      await pass(5)
      const [missed, ...others] = onCall.received.map(({ json }) => json)
      expect(others).toEqual([])
      expect(missed).toMatchObject({ event: 'alert', incident: { event: 'opened', state: 'down' } })
      expect(missed.subject).toEndWith('Nightly backup has not reported by 10:06 UTC')

      await page
        .getByRole('link', { name: /^Incidents/ })
        .first()
        .click()
      await heading(page, 'Incidents')
      const incident = page.locator('.incident-rows [data-alert]').filter({ hasText: 'Nightly backup' }).first()
      await incident.getByText(/on call/).waitFor()
      await looksRightHere()
      await page.goto(`${url}/collect/heartbeats`)
      await page
        .getByRole('row', { name: /Nightly backup/ })
        .getByText('Missed')
        .waitFor()
      await link('Nightly backup').click()
      await page.locator('.heartbeat-facts').getByRole('link', { name: 'Nightly backup' }).waitFor()
      await looksRightHere()

      expect(await job()).toBe('OK')
      await pass(3)
      expect(onCall.received.at(-1)?.json).toMatchObject({ event: 'recovery', thread: missed.thread })
      expect(onCall.received).toHaveLength(2)
    },
  )
})
