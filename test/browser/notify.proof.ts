import { afterEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { startNtfy } from '../support/receivers/ntfy.ts'
import { clientTls, strictServer } from '../support/client-certificates.ts'
import { startReceiver } from '../support/receiver.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { fits, isWithoutBrowser, looksRight, serious } from './browser.ts'
import { heading, problemAt, signIn } from './visit.ts'
import { pageWorld, type World } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "Notify": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('Notify', () => {
  const world = pageWorld()
  afterEach(closeAll)

  test('Notify makes a channel by name, says what is wrong at its field, and shows what the receiver answers', async () => {
    const { page, net } = world
    const hooks = startReceiver(() => new Response('', { status: 204 }))
    closeLater(hooks.close)
    await open(world, '/notify/channels', 'Channels')
    await page.getByText('No channel yet').waitFor()
    await looksRight(page)
    await page.getByRole('button', { name: 'New channel' }).click()
    await page.getByRole('combobox', { name: 'New channel' }).fill('webho')
    expect(await page.getByRole('group', { name: 'Where do notifications go?' }).getByRole('option').count()).toBe(2)
    await looksRight(page)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'New channel: Webhook' }).waitFor()
    expect(new URL(page.url()).search).toBe('?new=webhook')

    const isForAll = page.getByRole('checkbox', { name: 'Notify of every SLO' })
    expect(await isForAll.isChecked()).toBe(true)
    await page.getByLabel('URL').fill('receiver')
    net.expected.add('POST /api/v1/notifications/channels 400')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await problemAt(page, 'URL').waitFor()
    expect(await problemAt(page, 'URL').innerText()).toBe(
      'Must be an http(s) URL without user name, password and fragment.',
    )
    await looksRight(page)
    await page.getByLabel('URL').fill(hooks.url)
    await page.getByLabel('Name').fill('Hooks')
    await page.setViewportSize({ width: 390, height: 420 })
    await page.getByRole('button', { name: 'Save and test' }).click()
    const arrived = page.getByText('It arrived: the receiver has acknowledged it.')
    await arrived.waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().getByText('Close').waitFor()
    const footer = await page.getByRole('dialog').locator('footer').boundingBox()
    const box = await arrived.boundingBox()
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(footer?.y ?? 0)
    await page.setViewportSize({ width: 1280, height: 800 })
    expect(hooks.received.at(-1)?.json).toMatchObject({ event: 'alert', subject: 'Test of nines', slo: null })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const row = page.getByRole('row', { name: /Hooks/ })
    await row.getByText('Works').waitFor()
    await row.getByRole('link', { name: 'Every SLO' }).waitFor()
    expect(await page.getByRole('row').count()).toBe(2)

    hooks.next(() => Response.json({ error: 'out of order' }, { status: 403 }))
    net.expected.add('POST /api/v1/notifications/test 500')
    await page.getByRole('button', { name: 'Test Hooks' }).click()
    await row.getByText(/Test at .* Not delivered: the receiver answered 403: out of order/).waitFor()
    await row.getByText('Failed last time').waitFor()
    await looksRight(page)
    await row.getByRole('button', { name: 'More of Hooks' }).click()
    await page.getByRole('menuitem', { name: 'Switch off' }).click()
    await row.getByText('Switched off').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await row.getByText('Works').waitFor()
  })

  test('Notify shows a receiver the certificate of its channel, keeps the key, and says in words why one is refused', async () => {
    const { page, net } = world
    const { good, stranger } = clientTls
    await open(world, '/notify/channels?new=webhook', 'Channels')
    await page.getByLabel('URL').fill(`https://localhost:${await strictServer()}/hook`)
    await page.getByText('Certificates for HTTPS').click()
    await page.getByLabel('Authority').fill(stranger.ca)
    await page.getByLabel('Certificate of nines').fill(stranger.certificate)
    net.expected.add('POST /api/v1/notifications/channels 400')
    await page.getByRole('button', { name: 'Save and test' }).click()
    await problemAt(page, 'Key of the certificate').waitFor()
    await page.getByLabel('Key of the certificate').fill(stranger.key)
    net.expected.add('POST /api/v1/notifications/test 500')
    await page.getByRole('button', { name: 'Save and test' }).click()
    await page
      .getByText(/^Test at .* Not delivered: .* refused the client certificate nines\.example of Other CA/)
      .waitFor()
    await page.getByLabel('Certificate of nines').fill(good.certificate)
    await page.getByLabel('Key of the certificate').fill(good.key)
    await page.getByRole('button', { name: 'Save and test' }).click()
    await page.getByText('It arrived').waitFor()
    await looksRight(page)
    await page.getByRole('button', { name: 'Close', exact: true }).first().click()

    await page.getByRole('button', { name: 'Edit Webhook' }).click()
    expect(await page.getByLabel('Key of the certificate').inputValue()).toBe('********')
    await page.getByLabel('Name', { exact: true }).fill('Hooks')
    await page.getByRole('button', { name: 'Save and test' }).click()
    await page.getByText('It arrived').waitFor()
  })

  test('Notify asks for a mail server where nines has none, and ticks every SLO for the first channel alone', async () => {
    const { page } = world
    await withChannel(world)
    await open(world, '/notify/channels?new=email', 'Channels')
    await page.getByText('nines has no mail server of its own').waitFor()
    await page.getByLabel('Mail server').waitFor()
    expect(await page.getByRole('checkbox', { name: 'Notify of every SLO' }).isChecked()).toBe(false)
    await looksRight(page)
  })

  test('Notify keeps secrets unless they are replaced, and asks for them again where they would go elsewhere', async () => {
    const { page, nines, net } = world
    const ntfy = startNtfy({ authorization: 'Bearer tk_secret' })
    closeLater(ntfy.close)
    await open(world, '/notify/channels?new=ntfy', 'Channels')
    await page.getByLabel('Topic').fill('alerts')
    await page.getByLabel('Server').fill(ntfy.url)
    net.expected.add('POST /api/v1/notifications/test 500')
    await page.getByRole('button', { name: 'Save and test' }).click()
    await page.getByText(/Not delivered: the receiver answered 403: forbidden/).waitFor()
    await page.getByText('More', { exact: true }).click()
    await page.getByLabel('Access token').fill('tk_secret')
    await page.getByRole('button', { name: 'Save and test' }).click()
    await page.getByText('It arrived').waitFor()
    expect([...ntfy.shown.values()].map(({ title }) => title)).toEqual(['Test of nines'])
    await page.getByRole('button', { name: 'Close', exact: true }).first().click()

    await page.getByRole('button', { name: 'Edit ntfy' }).click()
    await page.getByText('Stored. Fill it in to replace it.').first().waitFor()
    await looksRight(page)
    await page.getByLabel('Name', { exact: true }).fill('Phones')
    await page.getByRole('button', { name: 'Save and test' }).click()
    await page.getByText('It arrived').waitFor()
    await page.getByLabel('Server').fill('https://ntfy.example.com')
    net.expected.add('PUT /api/v1/notifications/channels/1 400')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await problemAt(page, 'Topic').waitFor()
    expect(await problemAt(page, 'Topic').innerText()).toMatch(/^Must be the secret itself/)
    await page.keyboard.press('Escape')
    await page.getByRole('row', { name: /Phones/ }).waitFor()
    const { data } = (await nines.call('GET', '/api/v1/notifications/channels')).body
    expect(data.map(({ name, configuration }: Channel) => [name, configuration['server_url']])).toEqual([
      ['Phones', ntfy.url],
    ])
  })

  test('Notify shows the service of a stored channel, and asks only for what that service takes', async () => {
    const { page, nines } = world
    const configuration = { api_key: 'eb243592-faa2', mode: 'genie' }
    const channel = { name: 'On call', channel_type: 'opsgenie', configuration }
    await nines.call('POST', '/api/v1/notifications/channels', channel)
    await open(world, '/notify/channels', 'Channels')
    await page.getByRole('button', { name: 'Edit On call' }).click()
    const service = page.getByLabel('Service')
    expect(await service.locator('option:checked').innerText()).toBe('Opsgenie, or an API key of Jira')
    expect(await page.getByLabel('Cloud id').count()).toBe(0)
    await looksRight(page)
    await service.selectOption('Jira Service Management with an API token')
    await page.getByLabel('Cloud id').waitFor()
    expect(await page.getByLabel('API key').count()).toBe(0)
    await looksRight(page)
  })

  test('Notify says which SLOs notify nobody, notifies for them, and takes a deletion back', async () => {
    const { page, nines, made } = world
    await withChannel(world)
    const [checkout, search] = [await made({ name: 'Checkout' }), await made({ name: 'Search' })]
    await open(world, `/slos/${search}/alerting`, 'Search')
    await page.getByText('Nobody is notified.').waitFor()
    await page.getByRole('link', { name: 'Add a rule' }).click()
    const box = (name: string) => page.getByRole('dialog').getByRole('checkbox', { name })
    const slo = (name: string) => page.getByRole('dialog').getByRole('option', { name })
    await slo('Search').waitFor()
    expect([await slo('Search').isChecked(), await slo('Checkout').isChecked()]).toEqual([true, false])
    await page.keyboard.press('Escape')
    await page.getByText('2 SLOs notify nobody: Checkout and Search.').waitFor()
    await page.getByRole('button', { name: 'Notify for these' }).click()
    await slo('Checkout').waitFor()
    await looksRight(page)
    const field = page.getByRole('combobox', { name: 'Search the SLOs' })
    await field.press('ArrowDown')
    await field.press('Enter')
    expect(await page.locator('[role=option][aria-selected=true]').getAttribute('aria-checked')).toBe('false')
    await field.press('Enter')
    await field.fill('neither')
    await page.getByText('Nothing is called that.').waitFor()
    await field.press('Escape')
    await slo('Checkout').waitFor()
    await box('Budget used up').check()
    let writes = 0
    page.on('request', (request) => {
      if (request.method() !== 'GET') writes += 1
    })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('All 2 SLOs notify at least one channel.').waitFor()
    expect(writes).toBe(1)
    await page
      .getByRole('row', { name: /Burning too fast/ })
      .getByText('All 2 SLOs')
      .waitFor()
    const rules = async () => (await nines.call('GET', '/api/v1/notifications/rules')).body.data
    expect((await rules()).map(({ slo_id, alert_type }: Rule) => [slo_id, alert_type])).toEqual([
      [checkout, 'burn_rate_too_fast'],
      [search, 'burn_rate_too_fast'],
      [checkout, 'error_budget_exhausted'],
      [search, 'error_budget_exhausted'],
    ])

    await page.getByRole('button', { name: 'Edit Budget used up, Hooks' }).click()
    await slo('Checkout').uncheck()
    await page.getByLabel('How often').selectOption('3600')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const low = page.getByRole('row', { name: /Budget used up/ })
    await low.getByText('1 SLO', { exact: true }).waitFor()
    await low.getByRole('button', { name: /^More of/ }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await low.waitFor({ state: 'detached' })
    expect(await rules()).toHaveLength(2)
    await page.getByRole('button', { name: 'Undo' }).click()
    await low.waitFor()
    expect(await rules()).toMatchObject([
      {},
      {},
      { slo_id: search, alert_type: 'error_budget_exhausted', priority: 'auto', min_interval_seconds: 3600 },
    ])
    await looksRight(page)

    await page.getByRole('link', { name: 'Channels' }).click()
    const channel = page.getByRole('row', { name: /Hooks/ })
    await channel.getByRole('link', { name: '2 SLOs' }).waitFor()
    await channel.getByRole('button', { name: 'More of Hooks' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByText('3 rules notify through this channel').waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('Type the name as it is shown.').waitFor()
    await page.getByLabel('Type Hooks').fill('Hooks')
    await page.keyboard.press('Enter')
    await page.getByText('No channel yet').waitFor()
    expect(await rules()).toEqual([])
  })

  test('Notify notifies of every SLO by one click, by labels or a team, and says who is notified and why', async () => {
    const { page, nines, made } = world
    await withChannel(world)
    await nines.call('POST', '/api/v1/organization/teams', { name: 'Shop' })
    const checkout = await made({ name: 'Checkout', labels: { env: 'prod' } })
    await open(world, `/slos/${checkout}/alerting`, 'Checkout')
    await page.getByText('Nobody is notified.').waitFor()
    await fits(page)
    await page.getByText('Nobody is notified.').scrollIntoViewIfNeeded()
    await page.getByRole('button', { name: 'Notify Hooks of every SLO' }).focus()
    await page.keyboard.press('Enter')
    const who = page.getByRole('table', { name: 'Who is notified' })
    await who.getByRole('row', { name: 'Page (urgent) Hooks · every SLO' }).waitFor()
    await who.getByRole('row', { name: 'Budget used up Hooks · every SLO' }).waitFor()
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.focus() // keeps its message
    expect(await serious(page)).toEqual([])
    await fits(page)
    await undo.click()
    await page.getByText('Nobody is notified.').waitFor()
    await page.getByRole('button', { name: 'Notify Hooks of every SLO' }).click()

    await page.goto(`${world.url}/notify/rules?new=1`)
    await page.getByText('1 SLO now, and those that come later.').waitFor()
    await page.getByLabel('Which SLOs').selectOption('SLOs with labels')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Add a label.').waitFor()
    await page.getByLabel('Labels that they have').fill('env=prod')
    await page.keyboard.press('Enter')
    await page.getByText('1 SLO now, and those that come later.').waitFor()
    await page.getByLabel('How urgent').selectOption('Ticket (can wait) only')
    await looksRight(page)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const rule = page.getByRole('row', { name: /^Burning too fast: Ticket \(can wait\)/ })
    await rule.getByText('env=prod: 1 SLO now').waitFor()
    await page
      .getByRole('row', { name: /^Usual alerts/ })
      .getByText('Every SLO')
      .waitFor()
    await looksRight(page)
    await page.goto(`${world.url}/slos/${checkout}/alerting`)
    await who.getByRole('row', { name: 'Page (urgent) nobody' }).waitFor()
    await who.getByRole('link', { name: 'rule for env=prod' }).click()

    await page.getByLabel('Which SLOs').selectOption('SLOs of a team')
    await page.getByLabel('Team', { exact: true }).selectOption('Shop')
    await page.getByText('0 SLOs now, and those that come later.').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await rule.getByText('Team Shop: none now').waitFor()
    const rules = async () => (await nines.call('GET', '/api/v1/notifications/rules')).body.data
    const stored = { slo_id: null, selector: { team_id: 2 }, alert_type: 'burn_rate_too_fast', severity: 'ticket' }
    expect(await rules()).toMatchObject([{ ...stored, enabled: true }])
    await rule.getByRole('button', { name: /^More of/ }).click()
    await page.getByRole('menuitem', { name: 'Switch off' }).click()
    await rule.getByText('switched off').waitFor()
    await rule.getByRole('button', { name: /^More of/ }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await rule.waitFor({ state: 'detached' })
    expect(await rules()).toEqual([])
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await rule.getByText('Team Shop: none now').waitFor()
    expect(await rules()).toMatchObject([{ ...stored, enabled: false }])

    await page.goto(`${world.url}/slos/new`)
    await who.getByRole('row', { name: 'Ticket (can wait) Hooks · every SLO' }).waitFor()
    await page.getByRole('checkbox', { name: 'Hooks' }).check()
    await page.getByLabel('What Hooks is notified of').selectOption('Page (urgent)')
    await who.getByRole('row', { name: 'Page (urgent) Hooks · rule of this SLO' }).waitFor()
    await who.getByRole('row', { name: 'Ticket (can wait) nobody' }).waitFor()
    await looksRight(page)
  })

  test('Notify marks one tab alone in forced colours', async () => {
    const { page } = world
    await open(world, '/notify/rules', 'Rules')
    await page.emulateMedia({ forcedColors: 'active' })
    const lines = await page
      .locator('.views a')
      .evaluateAll((tabs) => tabs.map((tab) => String(tab.computedStyleMap().get('border-bottom-color'))))
    const current = await page.locator('.views a[aria-current=page]').innerText()
    expect(current).toBe('Rules')
    const [channels, rules, ...others] = lines
    expect(rules).not.toBe(channels)
    expect(others.filter((line) => line !== channels)).toEqual([])
  })

  test('Notify shows a viewer what there is, and why it cannot be changed', async () => {
    const { page, nines, made, net, url } = world
    await withChannel(world)
    await made({ name: 'Search' })
    const invitation = { email: 'eve@example.com', role: 'viewer' }
    const { body } = await nines.call('POST', '/api/v1/organization/invitations', invitation)
    const account = { email: 'eve@example.com', name: 'eve', password: 'correct horse', invitation_token: body.token }
    await nines.call('POST', '/api/v1/auth/register', account, { token: null })
    await page.goto(`${url}/notify/channels`)
    await signIn(page, 'eve')
    await page.getByRole('row', { name: /Hooks/ }).waitFor()
    const isOff = (name: string) => page.getByRole('button', { name, exact: true }).getAttribute('aria-disabled')
    expect([await isOff('New channel'), await isOff('Test Hooks'), await isOff('Edit Hooks')]).toEqual(
      Array(3).fill('true'),
    )
    await page.goto(`${url}/slos/1`)
    await page.getByRole('button', { name: 'Silence' }).waitFor()
    expect(await page.getByRole('button', { name: 'Silence' }).getAttribute('title')).toMatch(/^Your role can look/)
    net.expected.add('GET /notify/elsewhere 404')
    await page.goto(`${url}/notify/elsewhere`)
    await page.getByText('There is no such page').waitFor()
  })
})

type Channel = { name: string; configuration: Record<string, unknown> }
type Rule = { slo_id: number; alert_type: string }

async function open({ page, url, signIn }: World, path: string, title: string): Promise<void> {
  await page.goto(`${url}${path}`)
  await signIn()
  await heading(page as Page, title)
}

async function withChannel({ nines }: World): Promise<void> {
  const configuration = { webhook_url: 'http://127.0.0.1:9/hook' }
  await nines.call('POST', '/api/v1/notifications/channels', { name: 'Hooks', channel_type: 'webhook', configuration })
}
