import { beforeEach, describe, expect, test } from 'bun:test'
import { addUser } from '../support/accounts.ts'
import { importShop } from '../support/shop-samples.ts'
import { isWithoutBrowser, looksRight } from './browser.ts'
import { formHands } from './form-hands.ts'
import { pageWorld } from './world.ts'
import { signIn } from './visit.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "editing SLOs": chromium is not installed\n')

const all = 'shop_requests_total{service="checkout"}'
const pair = {
  metric_query: undefined,
  bad_query: `sum(rate(shop_requests_total{service="checkout",code=~"5.."}[5m]))`,
  total_query: `sum(rate(${all}[5m]))`,
}

describe.skipIf(isWithoutBrowser)('editing SLOs', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded', PORT: '0' } })
  beforeEach(() => importShop(world.nines))
  const { opened, write, previewed, pick } = formHands(world)

  const stored = async (id: number) => (await world.nines.call('GET', `/api/v1/slos/${id}`)).body
  const changes = async (id: number) => (await world.nines.call('GET', `/api/v1/slos/${id}/changes`)).body.changes
  const changed = (text: string | RegExp) =>
    world.page.getByRole('region', { name: 'What changes' }).getByText(text).first().waitFor()
  const save = async (name: string) => {
    await world.page.getByRole('button', { name: 'Save', exact: true }).click()
    await world.page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  }

  test.each([
    ['Requests succeed', pair],
    ['Requests succeed', { metric_query: `1 - ${pair.bad_query} / ${pair.total_query}` }],
    [
      'Requests are fast',
      {
        metric_query: undefined,
        good_query: 'sum(rate(shop_request_duration_seconds_bucket{le="0.25"}[5m]))',
        total_query: 'sum(rate(shop_request_duration_seconds_count[5m]))',
      },
    ],
    ['A site answers', { metric_query: 'probe_success{job="website"}' }],
    [
      'Jobs done',
      {
        metric_query: undefined,
        bad_query: 'sum(rate(jobs_failed_total[5m]))',
        total_query: 'sum(rate(jobs_runs_total[5m]))',
      },
    ],
    [
      'PromQL',
      {
        metric_query: 'sum(rate(jobs_runs_total[5m]))',
        threshold: 0.01,
        threshold_op: 'gt',
        window_method: 'mean',
        query_unit: 'ratio',
      },
    ],
  ])('opens as %s, and nothing of it changes by saving', async (kind, slo) => {
    const id = await world.made({ name: 'As it was', metric_type: 'throughput', labels: { tier: '1' }, ...slo })
    const before = await stored(id)
    await opened(`/slos/${id}/edit`, 'Edit As it was')
    const { page } = world
    await page.getByRole('radio', { name: kind, exact: true, checked: true }).waitFor()
    await previewed(/%/)
    expect(await page.getByRole('region', { name: 'What changes' }).count()).toBe(0)
    await save('As it was')
    expect(await stored(id)).toEqual(before)
    expect(await changes(id)).toHaveLength(1)
  })

  test('says what changes and from when on, and sends nothing else', async () => {
    const id = await world.made({ name: 'Shop answers', ...pair })
    const channel = { name: 'On call', channel_type: 'webhook', configuration: { webhook_url: 'http://127.0.0.1:1/' } }
    await world.nines.call('POST', '/api/v1/notifications/channels', channel)
    await opened(`/slos/${id}/edit`, 'Edit Shop answers')
    const { page, nines } = world
    await page.getByLabel('Target, in percent').fill('99.5')
    await changed('The target counts at once, for the past too.')
    await page.getByLabel('On call', { exact: true }).check()
    await page.getByLabel('What On call is notified of').selectOption('page')
    await page.getByText('When it alerts').click()
    await page.getByLabel('Budget thresholds of its own').check()
    await page.getByLabel('It alerts when so many percent').fill('50, 5')
    await looksRight(page)
    await save('Shop answers')
    expect(await stored(id)).toMatchObject({ target: 99.5, revision: 1, ...pair, metric_query: expect.any(String) })
    const [{ fields }] = await changes(id)
    expect(fields.map(({ field }: { field: string }) => field)).toEqual(['budget_thresholds'])
    const rules = (await nines.call('GET', `/api/v1/notifications/rules?slo_id=${id}`)).body.data
    expect(rules).toMatchObject([{ alert_type: 'burn_rate_too_fast', severity: 'page', channel_id: 1 }])

    await page.keyboard.press('e')
    await page.getByRole('heading', { level: 1, name: 'Edit Shop answers' }).waitFor()
    await page.getByLabel('On call', { exact: true }).uncheck()
    await page.getByText('Nobody is notified.').waitFor()
    await write('All events', 'sum(rate(shop_requests_total[5m]))')
    await changed('Revision 2 begins:')
    await save('Shop answers')
    expect(await stored(id)).toMatchObject({ revision: 2, total_query: 'sum(rate(shop_requests_total[5m]))' })
    expect((await nines.call('GET', `/api/v1/notifications/rules?slo_id=${id}`)).body.data).toEqual([])
  })

  test('somebody else has changed it: theirs can be loaded, or yours saved over it', async () => {
    const id = await world.made({ name: 'Shop answers', ...pair })
    await opened(`/slos/${id}/edit`, 'Edit Shop answers')
    const { page, nines } = world
    const target = page.getByLabel('Target, in percent')
    const meets = async (theirs: number, yours: string) => {
      await target.fill(yours)
      nines.clock.advance(1000)
      await nines.call('PUT', `/api/v1/slos/${id}`, { target: theirs })
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('ada has changed this SLO since you opened it').waitFor()
    }
    await meets(99, '98')
    expect((await stored(id)).target).toBe(99)
    world.net.expected.add(`GET /api/v1/slos/${id} net::ERR_FAILED`)
    await page.route(`**/api/v1/slos/${id}`, (route) => route.abort())
    await page.getByRole('button', { name: 'Load that version' }).click()
    await page.getByText('Not loaded.').waitFor()
    await page.unroute(`**/api/v1/slos/${id}`)
    expect(await target.inputValue()).toBe('98')
    await page.getByRole('button', { name: 'Load that version' }).click()
    await page.getByText('That version is loaded.').waitFor()
    expect(await target.inputValue()).toBe('99')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('This is your draft of').waitFor()
    expect(await target.inputValue()).toBe('98')
    await meets(97, '96')
    await page.getByRole('button', { name: 'Save yours over it' }).click()
    await page.getByRole('heading', { level: 1, name: 'Shop answers', exact: true }).waitFor()
    expect((await stored(id)).target).toBe(96)

    await page.keyboard.press('e')
    await page.getByRole('heading', { level: 1, name: 'Edit Shop answers' }).waitFor()
    await target.fill('93')
    nines.clock.advance(1000)
    await nines.call('PUT', `/api/v1/slos/${id}`, { description: 'Theirs' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Your changes are of other fields: target.').waitFor()
    await looksRight(page)
    await page.getByRole('button', { name: 'Save yours too' }).click()
    await page.getByRole('heading', { level: 1, name: 'Shop answers', exact: true }).waitFor()
    expect(await stored(id)).toMatchObject({ target: 93, description: 'Theirs' })

    await page.keyboard.press('e')
    await page.getByRole('heading', { level: 1, name: 'Edit Shop answers' }).waitFor()
    await target.fill('95')
    nines.clock.advance(1000)
    await nines.call('PUT', `/api/v1/slos/${id}`, { target: 94 })
    await page.reload()
    await page.getByText('There is a draft of yours').waitFor()
    expect(await target.inputValue()).toBe('94')
    await page.getByRole('button', { name: 'Go on with it' }).click()
    expect(await target.inputValue()).toBe('95')
  })

  test('can be undone, unless somebody else has changed the SLO since', async () => {
    const id = await world.made({ name: 'Shop answers', ...pair })
    await opened(`/slos/${id}/edit`, 'Edit Shop answers')
    const { page, nines } = world
    const target = page.getByLabel('Target, in percent')
    const undo = page.locator('.toast', { hasText: 'Shop answers: saved.' }).getByRole('button', { name: 'Undo' })
    await target.fill('98')
    await save('Shop answers')
    await undo.waitFor()
    expect((await stored(id)).target).toBe(98)
    nines.clock.advance(1000)
    await undo.click()
    await page.getByText('Shop answers: as before.').waitFor()
    expect((await stored(id)).target).toBe(99.9)

    await page.keyboard.press('e')
    await page.getByRole('heading', { level: 1, name: 'Edit Shop answers' }).waitFor()
    await target.fill('97')
    nines.clock.advance(1000)
    await save('Shop answers')
    await undo.waitFor()
    nines.clock.advance(1000)
    await nines.call('PUT', `/api/v1/slos/${id}`, { description: 'Theirs' })
    await undo.click()
    await page.getByText('Shop answers: not undone. ada has changed it since.').waitFor()
    expect(await stored(id)).toMatchObject({ target: 97, description: 'Theirs' })
  })

  test('pauses and resumes', async () => {
    const id = await world.made({ name: 'Shop answers', ...pair })
    const { page } = world
    await opened(`/slos/${id}/edit`, 'Edit Shop answers')
    await page.getByLabel('Paused').check()
    await changed('paused')
    await save('Shop answers')
    expect(await stored(id)).toMatchObject({ paused: true, revision: 1 })
    await page
      .getByText(/^Paused since/)
      .first()
      .waitFor()
    await page.keyboard.press('e')
    await page.getByRole('heading', { level: 1, name: 'Edit Shop answers' }).waitFor()
    await page.getByLabel('Paused').uncheck()
    await save('Shop answers')
    expect(await stored(id)).toMatchObject({ paused: false, revision: 1 })
    const choose = async (choice: string) => {
      await page.getByRole('button', { name: 'More', exact: true }).click()
      await page.getByRole('menuitem', { name: choice }).click()
    }
    await choose('Pause')
    const toast = page.locator('.toast', { hasText: '1 SLO: paused.' })
    await toast.waitFor()
    expect(await stored(id)).toMatchObject({ paused: true })
    await toast.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('1 SLO: resumed.').waitFor()
    expect(await stored(id)).toMatchObject({ paused: false })
    await choose('Pause')
    await page.getByText(/^Paused since/).waitFor()
    await choose('Resume')
    await page.getByText(/^Paused since/).waitFor({ state: 'detached' })
  })

  test('a copy is another SLO that begins alike', async () => {
    const id = await world.made({ name: 'Shop answers', ...pair, target: 98.5 })
    await opened(`/slos/new?copy=${id}`)
    const { page } = world
    await pick('Value of service', 'search')
    await page.getByRole('button', { name: 'Create SLO' }).click()
    await page.getByRole('heading', { level: 1, name: 'Shop answers, copy' }).waitFor()
    expect(await stored(id + 1)).toMatchObject({
      target: 98.5,
      total_query: 'sum(rate(shop_requests_total{service="search"}[5m]))',
    })
  })

  test('several SLOs get a label, which can be undone, are silenced and exported', async () => {
    const ids = [await world.made({ name: 'One', labels: { tier: '1' } }), await world.made({ name: 'Two' })]
    await opened('/', 'Overview')
    const { page } = world
    const labels = async () => (await Promise.all(ids.map(stored))).map((slo) => slo.labels)
    await page.getByRole('link', { name: 'One' }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByText('1 SLO selected').waitFor()
    await page.getByRole('button', { name: 'All 2' }).click()
    await looksRight(page)
    await page.getByRole('button', { name: 'Label…' }).click()
    const added = page.getByLabel('Label to add to all')
    await added.fill('team')
    await page.getByRole('button', { name: 'Add to all' }).click()
    await page.getByText('A label has a name and a value: tier=1.').waitFor()
    expect(await added.getAttribute('aria-invalid')).toBe('true')
    await added.fill('team=shop')
    await page.getByRole('button', { name: 'Add to all' }).click()
    await page.getByText('2 SLOs: label team=shop added.').waitFor()
    expect(await labels()).toEqual([{ tier: '1', team: 'shop' }, { team: 'shop' }])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('2 SLOs: label team=shop added, undone.').waitFor()
    expect(await labels()).toEqual([{ tier: '1' }, {}])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Export' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Definitions as JSON' }).click()
    const bodies = await Bun.file(await (await download).path()).json()
    expect(bodies.map(({ name }: { name: string }) => name).toSorted()).toEqual(['One', 'Two'])
    const made = await world.nines.call('POST', '/api/v1/slos', bodies[0])
    expect(made.status).toBe(201)
    await page.getByRole('button', { name: 'Silence…' }).click()
    await page.getByRole('dialog').waitFor()
  })

  test('a viewer sees the form, and cannot save', async () => {
    const { nines, page, url } = world
    await addUser(nines, 'vera', 'viewer')
    const id = await world.made({ name: 'Shop answers', ...pair })
    await page.goto(`${url}/`)
    await signIn(page, 'vera')
    await page.getByRole('button', { name: 'New SLO', disabled: true }).waitFor()
    await page.goto(`${url}/slos/new?query=avg(probe_success)&name=Mine`)
    await previewed(/^100/)
    await page.getByRole('button', { name: 'Create SLO', disabled: true }).click({ force: true })
    expect((await nines.call('GET', '/api/v1/slos')).body.slos).toHaveLength(1)
    await page.goto(`${url}/slos/${id}`)
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Pause', disabled: true }).click({ force: true })
    expect(await stored(id)).toMatchObject({ paused: false })
  })

  test('a viewer selects to export, not to change', async () => {
    const { nines, page, url, made } = world
    await made({ name: 'One' })
    await addUser(nines, 'vera', 'viewer')
    await page.goto(`${url}/`)
    await signIn(page, 'vera')
    await page.getByRole('button', { name: 'Select SLOs' }).click()
    await page.getByRole('checkbox', { name: 'Select One' }).check()
    await page.getByRole('button', { name: 'Label…', disabled: true }).waitFor()
    await page.getByRole('button', { name: 'Silence…', disabled: true }).waitFor()
    await page.getByRole('link', { name: 'One' }).click()
    await page.getByRole('button', { name: 'Edit', disabled: true }).waitFor()
  })
})
