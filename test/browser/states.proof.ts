import { describe, expect, test } from 'bun:test'
import { evaluated } from './evaluated.ts'
import { isWithoutBrowser, layoutShifts, looksRight } from './browser.ts'
import { measured } from '../sli/ledger-fixtures.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "what a view shows": chromium is not installed\n')

const overviewPath = '/api/v1/slos/overview'

describe.skipIf(isWithoutBrowser)('what a view shows', () => {
  const world = pageWorld()
  const row = () => world.page.getByRole('row', { name: 'Search answers' })
  const withOneSlo = async () => {
    const sloId = await world.made({ name: 'Search answers', target: 99, time_window: '24h' })
    await evaluated(world.nines, sloId, { own: 99.9, budgetUsed: 10, status: 'healthy' })
    return sloId
  }

  test('while it is read: shapes of the size of what comes, and only where that takes a while', async () => {
    const { page, url } = world
    await withOneSlo()
    const { promise: isHeld, resolve: release } = Promise.withResolvers<void>()
    await page.route(`**${overviewPath}`, async (route) => {
      await isHeld
      await route.continue()
    })
    await page.goto(`${url}/`)
    await world.signIn()
    const shapes = page.locator('.skeleton')
    await shapes.first().waitFor({ state: 'attached' })
    await page.locator('.skeleton.late').first().waitFor()
    await looksRight(page)
    release()
    await row().waitFor()
    await shapes.first().waitFor({ state: 'detached' })
    await page.unroute(`**${overviewPath}`)
    await page.getByRole('link', { name: 'Search answers' }).click()
    await page.getByRole('heading', { name: 'Search answers' }).waitFor()
    await page.evaluate(`new MutationObserver(() => {
      if (document.querySelector('.skeleton')) globalThis.hasFlickered = true
    }).observe(document, { subtree: true, childList: true })`)
    await page.goBack()
    await row().waitFor()
    expect(await page.evaluate<boolean>('globalThis.hasFlickered ?? false')).toBe(false)
  })

  test.each([
    [500, 'Something went wrong', 'It is in the log'],
    [403, 'Forbidden', 'Your role may not read this'],
  ])('an answer of %p: the sentence of the server, and a button that reads again', async (status, error, details) => {
    const { page, net, url } = world
    await withOneSlo()
    net.expected.add(`GET ${overviewPath} ${status}`)
    await page.route(`**${overviewPath}`, (route) => route.fulfill({ status, json: { error, details } }))
    await page.goto(`${url}/`)
    await world.signIn()
    const alert = page.getByRole('alert')
    await alert.getByText(`${error}. ${details}`).waitFor()
    await looksRight(page)
    await page.unroute(`**${overviewPath}`)
    await alert.getByRole('button', { name: 'Try again' }).click()
    await row().waitFor()
    await alert.waitFor({ state: 'detached' })
  })

  test('without any SLO: the ways to the first one', async () => {
    const { page, url } = world
    await page.goto(`${url}/`)
    await world.signIn()
    await page.getByRole('textbox', { name: 'Address' }).waitFor()
    await looksRight(page)
  })

  test('figures that are old say so, and lose their colour', async () => {
    const { page, nines, url } = world
    await withOneSlo()
    nines.clock.advance(30 * 60_000)
    await world.context.clock.setSystemTime(nines.clock.now())
    await page.goto(`${url}/`)
    await world.signIn()
    await row()
      .getByText(/^No evaluation since/)
      .waitFor()
    expect(await row().getAttribute('class')).toContain('stale')
    await looksRight(page)
  })

  test('an address that leads nowhere says so', async () => {
    const { page, net, url } = world
    net.expected.add('GET /nowhere 404')
    await page.goto(`${url}/slos/seven`)
    await world.signIn()
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    await looksRight(page)
  })

  test('what was deleted can be taken back for ten seconds, and longer while the pointer is there', async () => {
    const { page, context, nines, url } = world
    await context.clock.install({ time: nines.clock.now() })
    const sloId = await withOneSlo()
    await page.goto(`${url}/slos/${sloId}`)
    await world.signIn()
    const remove = async () => {
      await page.getByRole('heading', { name: 'Search answers' }).waitFor()
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await undo.waitFor()
    }
    const undo = page.getByRole('button', { name: 'Undo' })
    await remove()
    await page.clock.fastForward(9000)
    await undo.hover()
    await page.clock.fastForward(9000)
    await undo.click()
    await page.getByRole('heading', { name: 'Search answers' }).waitFor()
    expect((await nines.call('GET', `/api/v1/slos/${sloId}`)).body.active).toBe(true)
    await remove()
    await page.mouse.move(0, 0)
    await page.clock.fastForward(10_100)
    await undo.waitFor({ state: 'detached' })
    expect((await nines.call('GET', `/api/v1/slos/${sloId}`)).body.active).toBe(false)
  })

  test('nothing moves by itself while the overview and an SLO are loaded', async () => {
    const { page, nines, context, url } = world
    const sloId = await withOneSlo()
    const twoDays = 2 * 86_400
    nines.clock.advance(twoDays * 1000) // the backfill is over
    await context.clock.setSystemTime(nines.clock.now())
    await evaluated(nines, sloId, { own: 99.9, budgetUsed: 10, status: 'healthy' })
    await measured(nines, { sloId, resolution: 60, from: twoDays - 3600, to: twoDays }, { good: 99, total: 100 })
    await page.goto(`${url}/`)
    await world.signIn()
    await row().waitFor()
    await page.reload()
    await page.getByText('live,').waitFor()
    await row().waitFor()
    expect(await layoutShifts(page)).toEqual([])
    await page.goto(`${url}/slos/${sloId}`)
    await page.locator('.plot canvas').first().waitFor()
    await page.waitForLoadState('networkidle')
    expect(await layoutShifts(page)).toEqual([])
  })
})
