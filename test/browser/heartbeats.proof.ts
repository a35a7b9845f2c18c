import { describe, expect, test } from 'bun:test'
import { addUser } from '../support/accounts.ts'
import { fits, isWithoutBrowser, looksRight, serious } from './browser.ts'
import { heading, problemAt, signIn, signOut } from './visit.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "heartbeats": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('heartbeats', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded' } })
  const button = (name: string) => world.page.getByRole('button', { name, exact: true })
  const field = (label: string) => world.page.getByLabel(label, { exact: true })
  const link = (name: string) => world.page.getByRole('link', { name, exact: true })
  const state = (word: string) => world.page.locator('.page-head .status').getByText(word, { exact: true }).waitFor()

  /** Lets time pass for nines and the browser, in steps that do not count as an absence of nines, and reads the page again. */
  const pass = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 10) {
      world.nines.clock.advance(Math.min(10, seconds - passed) * 1000)
      await world.nines.app.heartbeats.tick()
    }
    await world.context.clock.setSystemTime(world.nines.clock.now())
    await world.page.reload()
  }
  /** `looksRight`, and once more as a phone shows it. axe takes most of the time of this walk, so that each look is assessed once. */
  const looksRightEverywhere = async () => {
    await looksRight(world.page)
    await world.page.setViewportSize({ width: 390, height: 844 })
    expect(await serious(world.page)).toEqual([])
    await world.page.setViewportSize({ width: 1280, height: 800 })
  }

  test('a job is created, reports, is missed, and becomes an SLO; a viewer sees no address', async () => {
    const { page, nines, url } = world
    await page.goto(`${url}/collect/heartbeats`)
    await world.signIn()
    await heading(page, 'Heartbeats')
    await page.getByText('A heartbeat is a secret address').waitFor()
    await looksRight(page)
    await link('New heartbeat').click()
    await heading(page, 'New heartbeat')
    await field('Name').fill('Nightly backup')
    await field('Period').fill('soon')
    await button('Save').click()
    await problemAt(page, 'Period').getByText('must be a duration').waitFor()
    await field('Schedule').selectOption('cron')
    await field('Time zone').waitFor()
    await looksRightEverywhere()
    await field('Schedule').selectOption('period')
    await field('Period').fill('5 min')
    await field('Grace').fill('1 min')
    await button('Save').click()

    await heading(page, 'Nightly backup')
    await state('Waiting')
    const withoutSlos = page.getByText('none: nobody is notified when a run fails or is missed')
    await withoutSlos.waitFor()
    const address = await page.locator('.lines-to-copy pre').first().innerText()
    await page
      .getByText(`*/5 * * * * /usr/local/bin/backup; curl -fsS -m 10 --retry 5 -o /dev/null ${address}/$?`)
      .waitFor()
    const path = new URL(address).pathname
    await fetch(`${url}${path}/start`)
    await pass(12)
    await page.getByText('A run is under way.').waitFor()
    expect(await (await fetch(`${url}${path}`, { method: 'POST', body: '42 files\n' })).text()).toBe('OK')
    await pass(2)
    await state('Up')
    await withoutSlos.waitFor() // it is read last, and moves what is below it
    await page.getByText('Show', { exact: true }).click()
    await page.getByText('42 files').waitFor()
    await fits(page)

    await pass(400)
    await state('Missed')
    await page.getByText(/^Nightly backup has not reported by/).waitFor()
    await looksRightEverywhere()
    await link('Heartbeats').first().click()
    await heading(page, 'Heartbeats')
    const row = page.getByRole('row', { name: /Nightly backup/ })
    await row.getByText('Missed').waitFor()
    await row.getByText('1 of 2').waitFor()

    await button('Make a key').click()
    await page.locator('summary', { hasText: 'Nightly backup' }).click()
    const bySlug = (await page.locator('.lines-to-copy pre').nth(1).textContent()) ?? ''
    expect(bySlug).toEndWith('/nightly-backup')
    expect((await fetch(`${url}${new URL(bySlug).pathname}/log`)).status).toBe(200)
    await looksRightEverywhere()
    await button('New key').click()
    await page.getByRole('dialog').getByRole('button', { name: 'New key' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await link('Nightly backup').click()
    await button('New address').click()
    await page.getByRole('dialog').getByRole('button', { name: 'New address' }).click()
    await page.getByText('Nightly backup: has another address.').waitFor()
    expect((await fetch(`${url}${path}`)).status).toBe(404)
    await button('Pause').click()
    await state('Paused')
    await button('Resume').click()
    await button('Pause').waitFor()
    await link('Edit').click()
    await heading(page, 'Edit a heartbeat')
    expect(await field('Period').inputValue()).toBe('5 min')
    await field('Grace').fill('2 min')
    await button('Save').click()
    await page.getByText('every 5 min, 2 min of grace').waitFor()
    await button('Make an SLO').click()
    await heading(page, 'New SLO')
    await page.getByText('heartbeat_runs_good_total').first().waitFor()
    await page.goto(`${url}/slos/new?kind=jobs`)
    await page.getByText('Runs of a heartbeat:').waitFor()
    expect(await serious(page)).toEqual([])
    await link('Nightly backup').click()
    await page.getByText('heartbeat_runs_good_total').first().waitFor()
    await page.goto(`${url}/collect/heartbeats?id=1`)

    await addUser(nines, 'vera', 'viewer')
    await heading(page, 'Nightly backup')
    await signOut(page, 'ada')
    await signIn(page, 'vera')
    await page.goto(`${url}/collect/heartbeats?id=1`)
    await heading(page, 'Nightly backup')
    await page.getByRole('button', { name: 'Make an SLO', disabled: true }).waitFor()
    expect(await page.locator('.lines-to-copy').count()).toBe(0)
    expect(await button('Delete').count()).toBe(0)
    await fits(page)
  })

  test('a form that was opened before begins with what is stored now, and loses nothing that is typed', async () => {
    const { page, nines, url } = world
    const heartbeat = { name: 'backup', period_seconds: 300, grace_seconds: 60 }
    const { id } = (await nines.call('POST', '/api/v1/embedded/heartbeats', heartbeat)).body
    await page.goto(`${url}/collect/heartbeats`)
    await world.signIn()
    await link('backup').click()
    await link('Edit').click()
    await field('Name').waitFor()
    await page.goBack()
    nines.clock.advance(1000)
    await nines.call('PUT', `/api/v1/embedded/heartbeats/${id}`, { name: 'backup 2' })
    const asked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    await page.route(`**/embedded/heartbeats/${id}`, async (route) => {
      asked.resolve()
      await released.promise
      await route.continue()
    })
    await link('Edit').click()
    await asked.promise
    await heading(page, 'Edit a heartbeat')
    expect(await field('Name').count()).toBe(0)
    released.resolve()
    await field('Name').waitFor()
    expect(await field('Name').inputValue()).toBe('backup 2')
  })

  test('a heartbeat is deleted after a question', async () => {
    const { page, nines, url } = world
    await nines.call('POST', '/api/v1/embedded/heartbeats', { name: 'worker', period_seconds: 300 })
    await page.goto(`${url}/collect/heartbeats?id=1`)
    await world.signIn()
    await heading(page, 'worker')
    await button('Delete').click()
    await page.getByRole('dialog', { name: 'Delete worker?' }).getByRole('button', { name: 'Delete' }).click()
    await heading(page, 'Heartbeats')
    await page.getByText('No job reports yet').waitFor()
  })
})
