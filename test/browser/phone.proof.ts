import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Ntfy, startNtfy } from '../support/receivers/ntfy.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { fits, isWithoutBrowser, serious } from './browser.ts'
import { heading } from './visit.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "an outage on a phone": chromium is not installed\n')

const phoneSize = { width: 390, height: 844 }
/** Folder for a screenshot of each step; unset: none are taken. */
const shots = process.env['PHONE_SHOTS']

describe.skipIf(isWithoutBrowser)('an outage on a phone', () => {
  const world = pageWorld({ isFirstStart: true, env: { SOURCE_URL: 'embedded', PUBLIC_URL: 'http://nines.example' } })
  let site: Receiver
  let phone: Ntfy
  let isDown = false
  let shot = 0
  beforeEach(() => {
    isDown = false
    site = startReceiver(() => new Response('welcome', { status: isDown ? 503 : 200 }))
    phone = startNtfy({ topic: 'my-phone' })
  })
  afterEach(() => Promise.all([site.close(), phone.close()]))

  /** Advances the time of nines and the browser: checks run, SLOs are evaluated, messages are delivered. */
  async function pass(seconds: number): Promise<void> {
    const { clock, app } = world.nines
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1000)
      app.collector.tick()
      await app.collector.drain()
      if (second % 5 !== 4) continue
      await app.backfills.run()
      await app.evaluator.evaluateAll()
      await app.delivery.run()
    }
    const lateMs = clock.now() - (await world.page.evaluate<number>('Date.now()'))
    if (lateMs > 0) await world.page.clock.fastForward(lateMs)
  }

  async function seen(name: string): Promise<void> {
    await fits(world.page)
    await world.page.setViewportSize({ ...phoneSize, height: 3 * phoneSize.height }) // nothing is below the bar
    expect(await serious(world.page)).toEqual([])
    await world.page.setViewportSize(phoneSize)
    if (!shots) return
    shot += 1
    for (const colorScheme of ['light', 'dark'] as const) {
      await world.page.emulateMedia({ colorScheme })
      await world.page.screenshot({ path: `${shots}/${shot}-${name}-${colorScheme}.png`, fullPage: true })
    }
    await world.page.emulateMedia({ colorScheme: 'light' })
  }

  const titles = () => [...phone.shown.values()].map(({ title }) => title)

  test('an address is watched, an outage arrives in ntfy, is acknowledged by its link, and its end arrives', async () => {
    const { page, context, nines, url } = world
    context.setDefaultTimeout(60_000)
    await context.clock.install({ time: nines.clock.now() })
    await page.setViewportSize(phoneSize)
    await page.goto(`${url}/`)
    await page.getByLabel('E-mail').fill('ada@example.com')
    await page.getByLabel('Name', { exact: true }).fill('Ada')
    await page.getByLabel('Password').fill('correct horse')
    await seen('account')
    await page.getByRole('button', { name: 'Make the account' }).click()

    await page.getByLabel('Address').fill(`${new URL(site.url).host}/health`)
    await seen('address')
    await page.getByRole('button', { name: 'Watch it' }).click()
    const name = `${new URL(site.url).host} answers`
    await heading(page, name)
    await seen('measuring')
    await pass(70)
    await page
      .locator('.now')
      .getByText(/^On track/)
      .waitFor()
    await seen('on-track')

    await page.getByRole('link', { name: 'Notify' }).first().click()
    await page.getByRole('button', { name: 'New channel' }).click()
    await page.getByRole('combobox', { name: 'New channel' }).fill('ntfy')
    await seen('channel-types')
    await page.keyboard.press('Enter')
    await page.getByLabel('Topic').fill('my-phone')
    await page.getByLabel('Server').fill(phone.url)
    await seen('channel')
    await page.getByRole('button', { name: 'Save and test' }).click()
    await page.getByText('It arrived').waitFor()
    expect(titles()).toEqual(['Test of nines'])
    await seen('channel-tested')
    await page.getByRole('button', { name: 'Close', exact: true }).first().click()

    isDown = true
    await pass(60)
    expect(titles()).toHaveLength(2)
    const down = [...phone.shown.values()].at(-1)
    expect(down).toMatchObject({ title: expect.stringContaining('is down since'), priority: 5 })
    const link = new URL(/http\S+\?acknowledge/.exec(down?.message ?? '')?.[0] ?? '')
    await page.goto(`${url}${link.pathname}${link.search}`)
    await seen('asked-to-acknowledge')
    await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click()
    await page
      .getByText(/Acknowledged by Ada/)
      .first()
      .waitFor()
    await seen('acknowledged')

    isDown = false
    await pass(65)
    await page
      .getByText(/Up again/)
      .first()
      .waitFor()
    await seen('up-again')
    expect(titles()).toEqual(['Test of nines', expect.stringContaining('is up again after')]) // in place of the opening
    expect(phone.received).toHaveLength(3)
    await page.getByRole('link', { name: 'Open the SLO' }).click()
    await page
      .locator('.now')
      .getByText(/^Up again/)
      .waitFor()
    await seen('slo-up-again')
  })
})
