import { describe, expect, test } from 'bun:test'
import { testStartMs } from '../support/app.ts'

import { type Fault, type FaultySource, faultySource } from '../support/faulty-source.ts'
import { closeLater } from '../support/closing.ts'
import { evaluated } from './evaluated.ts'
import { fits, isWithoutBrowser, looksRight, serious } from './browser.ts'
import { addressOf, addSamples, answered, total } from './explored.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "explore": chromium is not installed\n')

const rate = `sum by (job) (rate(${total}[5m]))`

describe.skipIf(isWithoutBrowser)('explore', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded', PORT: '0' } })

  const open = async (address: string) => {
    await world.page.goto(`${world.url}${address}`)
    await world.signIn()
    await world.page.getByRole('heading', { level: 1, name: 'Explore' }).waitFor()
  }
  const query = (letter: string) => world.page.getByRole('region', { name: `Query ${letter}` })
  const legend = (letter: string) => query(letter).getByRole('region', { name: 'Legend' }).locator('tbody tr')
  /** A second source that fails as ordered. */
  const elsewhere = async (fault: Fault): Promise<{ source: FaultySource; id: string }> => {
    const source = faultySource(fault)
    closeLater(source.close)
    const { body } = await world.nines.call('POST', '/api/v1/tsdb/sources', { name: 'elsewhere', api_url: source.url })
    return { source, id: String(body.id) }
  }

  test('by keyboard: a query is completed, run, shared by its address, and left by Tab', async () => {
    addSamples(world.nines)
    const { page } = world
    await open('/explore')
    await page.locator('.cm-content').waitFor()
    await page.getByLabel('Step').focus()
    const field = page.getByRole('textbox', { name: 'Query A' })
    for (let step = 0; step < 12 && !(await isFocused('Query A')); step++) await page.keyboard.press('Tab')
    expect(await isFocused('Query A')).toBe(true)
    await page.keyboard.type('sum by (job) (rate(shop_re', { delay: 20 })
    const option = page.getByRole('option', { name: total })
    await option.waitFor()
    expect(await serious(page)).toEqual([]) // with the list open
    await page.keyboard.press('Enter')
    await option.waitFor({ state: 'detached' })
    await page.keyboard.type('[5m]', { delay: 20 })
    expect(await field.innerText()).toBe(rate)
    await page.keyboard.press('Control+Enter')
    await legend('A').nth(1).waitFor()
    expect(new URL(page.url()).searchParams.getAll('q')).toEqual([rate])
    await page.keyboard.type(' # ?/jkgo', { delay: 20 }) // shortcuts are off while the user types
    expect(await field.innerText()).toBe(`${rate.slice(0, -2)} # ?/jkgo))`)
    expect(await page.locator('dialog[open]').count()).toBe(0)
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Tab')
    expect(await isFocused('Query A')).toBe(false)
    await page.keyboard.press('Shift+Tab')
    expect(await isFocused('Query A')).toBe(true)
    await looksRight(page)
  })

  test('a link shows the same later, and Back what was shown before', async () => {
    addSamples(world.nines)
    const { page, context, nines } = world
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await open(addressOf([rate, 'shop_queue']))
    await legend('A').first().waitFor()
    await legend('B').first().waitFor()
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByText('The link is copied').waitFor()
    const shared = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(new URL(shared).searchParams.get('from')).toMatch(/^\d{13}$/)
    expect(Number(new URL(shared).searchParams.get('to')) - testStartMs).toBeWithin(0, 60_000)
    const names = await legend('A').allInnerTexts()
    await page.getByRole('button', { name: '6 h' }).click()
    await page.getByRole('button', { name: '6 h', pressed: true }).waitFor()
    await page.getByRole('button', { name: 'Hide query B' }).click()
    await legend('B').first().waitFor({ state: 'detached' })
    expect(new URL(page.url()).searchParams.get('hidden')).toBe('B')
    await page.goBack()
    await legend('B').first().waitFor()
    await page.goBack()
    await page.getByRole('button', { name: '1 h', pressed: true }).waitFor()

    nines.clock.advance(7_200_000)
    await context.clock.setSystemTime(nines.clock.now())
    const other = await context.newPage()
    await other.goto(shared)
    const again = other
      .getByRole('region', { name: 'Query A' })
      .getByRole('region', { name: 'Legend' })
      .locator('tbody tr')
    await again.first().waitFor()
    expect(await again.allInnerTexts()).toEqual(names)
    expect(await other.getByRole('textbox', { name: 'Query B' }).innerText()).toBe('shop_queue')
  })

  test('a graph is zoomed by its keys, and Escape goes back to the range before', async () => {
    addSamples(world.nines)
    const { page } = world
    await open(addressOf([rate]))
    await legend('A').first().waitFor()
    const chart = query('A').getByRole('application')
    await chart.locator('canvas').waitFor()
    await chart.focus()
    await page.keyboard.press('End')
    await query('A').locator('.plot-below').getByText('checkout').waitFor()
    await page.keyboard.press('+')
    await page.getByRole('button', { name: '1 h', exact: true, pressed: false }).waitFor()
    const { searchParams } = new URL(page.url())
    expect(Number(searchParams.get('to')) - Number(searchParams.get('from'))).toBeWithin(1_700_000, 1_900_000)
    expect(await page.getByLabel('From').inputValue()).toMatch(/^2026-11-21 \d\d:\d\d/)
    await legend('A').first().waitFor()
    await chart.focus()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: '1 h', pressed: true }).waitFor()
  })

  test('a range to the second is read whole in its fields', async () => {
    addSamples(world.nines)
    const { page } = world
    const [from, to] = [testStartMs - 165_000, testStartMs - 45_000].map(String) as [string, string]
    await open(addressOf([total], { from, to }))
    await query('A').locator('canvas').waitFor()
    for (const width of [1280, 1024, 390, 320]) {
      await page.setViewportSize({ width, height: 800 })
      for (const label of ['From', 'To']) {
        const field = page.getByLabel(label, { exact: true })
        expect(await field.inputValue()).toMatch(/^2026-11-21 \d\d:\d\d:15$/)
        const isWhole = await field.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)
        expect([width, label, isWhole]).toEqual([width, label, true])
      }
      await fits(page)
    }
  })

  test('each kind of answer is shown as what it is, and hostile labels stay text', async () => {
    addSamples(world.nines)
    const { page } = world
    const range = `${total}{job="checkout"}[2m]`
    const queries = ['1 / 0', '"<b>text</b>"', range, `${total} > 0`, 'shop_queue', 'nothing_is_here']
    await open(addressOf(queries, { view: 'table' }))
    await query('A').getByText('+Inf', { exact: true }).waitFor()
    await query('B').getByText('"<b>text</b>"', { exact: true }).last().waitFor()
    await query('C')
      .getByRole('row')
      .filter({ hasText: `${total}{job="checkout"}` })
      .waitFor()
    expect(await query('C').locator('.explore-points li').count()).toBe(2)
    const hostile = query('D').getByRole('rowheader', { name: '<img src=x onerror=alert(1)>' })
    expect(await hostile.innerText()).toBe(`${total}{job="\\"'<img src=x onerror=alert(1)>\\u202e\\u200b"}`)
    await query('E').getByRole('cell', { name: 'NaN' }).waitFor()
    await query('F').getByText('No series at').waitFor()
    expect(await page.locator('.explore img').count()).toBe(0)
    await looksRight(page)
    const saving = page.waitForEvent('download')
    await query('D').getByRole('button', { name: 'Save as CSV' }).click()
    const csv = await Bun.file(await (await saving).path()).text()
    expect(csv.split('\r\n')[0]).toBe('__name__,job,Time,Value')
    expect(csv).toContain(`"""'<img src=x onerror=alert(1)>`)
  })

  test('what is wrong stands at its query and is marked where it is, until it is mended', async () => {
    addSamples(world.nines)
    const { page, net } = world
    net.expected.add(/^POST \/api\/v1\/tsdb\/sources\/1\/prometheus\/api\/v1\/query_range 400$/)
    await open(addressOf(['sum(rate(foo[5m]) by', rate]))
    await query('A').getByRole('alert').getByText('character 19: did not expect “by”').waitFor()
    await legend('B').first().waitFor()
    await query('A').locator('.cm-lintRange-error').first().waitFor()
    expect(await query('A').locator('.cm-lintRange-error').first().innerText()).toContain('by')
    expect(await page.getByRole('textbox', { name: 'Query A' }).getAttribute('aria-invalid')).toBe('true')
    await looksRight(page)
    await page.getByRole('textbox', { name: 'Query A' }).click()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('up or vector(1)')
    await query('A').locator('.cm-lintRange-error').first().waitFor({ state: 'detached' })
    const found = { status: 'error', errorType: 'bad_data', error: 'character 4: found by the source alone' }
    await page.route('**/query_range', (route) => route.fulfill({ status: 400, json: found }), { times: 1 })
    await page.keyboard.press('Control+Enter')
    await query('A').locator('.cm-lintRange-error').getByText('or').waitFor()
    await page.keyboard.press('Control+Enter')
    await query('A').locator('.cm-lintRange-error').first().waitFor({ state: 'detached' })
    await legend('A').first().waitFor()
    await page.getByLabel('From').fill('tomorrow')
    await page.getByText('must be now, now-3h').waitFor()
    // the old result is pale until the new one arrives
    await page.locator('.is-read-again').first().waitFor({ state: 'detached' })
    await looksRight(page)
  })

  test('of many series the first are drawn, warnings are said, and a native histogram has its buckets', async () => {
    const { page } = world
    const at = testStartMs / 1000 - 600
    const series = Array.from({ length: 812 }, (_, n) => ({
      metric: { n: String(n) },
      values: [
        [at, '1'],
        [at + 15, '2'],
      ],
    }))
    const { source, id } = await elsewhere(
      answered({ resultType: 'matrix', result: series }, { warnings: ['one store did not answer'] }),
    )
    await open(addressOf(['many'], { source: id }))
    await page.getByText('8 of 812 shown').waitFor()
    await page.getByText('The legend has the first 100 of 812 series').waitFor()
    expect(await legend('A').count()).toBe(100)
    await query('A').getByText('one store did not answer').waitFor()
    await fits(page)
    const histogram = {
      count: '7',
      sum: '3.5',
      buckets: [
        [0, '0.5', '1', '4'],
        [3, '-0.001', '0.001', '3'],
      ],
    }
    const result = [{ metric: { job: 'native' }, histogram: [testStartMs / 1000, histogram] }]
    source.order(answered({ resultType: 'vector', result }))
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    await page.getByText('count 7, sum 3.5').click()
    await page.getByText('(0.5, 1]').waitFor()
    await page.getByText('[-0.001, 0.001]').waitFor()
    await looksRight(page)
  })

  test('a source that does not answer can be left, and one that refuses is quoted', async () => {
    const { page, net } = world
    net.expected.add(/^POST \/api\/v1\/tsdb\/sources\/\d+\/prometheus\/api\/v1\/query_range (?:422|503)$/)
    const { source, id } = await elsewhere('hang')
    await open(addressOf(['slow'], { source: id }))
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Cancelled.').waitFor()
    source.order('limit-422')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('alert').getByText('the query exceeded the maximum number of samples').waitFor()
    source.order('reset')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('alert').getByText('did not answer').waitFor()
  })

  test('metrics are found by name and inserted; charts and queries of an SLO lead here, and from here to a new one', async () => {
    addSamples(world.nines)
    const { page, url, made } = world
    await made({ name: 'Checkout answers', target: 99, time_window: '24h', metric_query: 'avg(up)' })
    await open('/explore')
    await page.locator('.cm-content').waitFor()
    await page.getByRole('button', { name: 'Metrics' }).click()
    const box = page.getByRole('combobox', { name: 'Metric' })
    await box.waitFor()
    await page.keyboard.type('queue')
    await page.getByRole('option', { name: 'shop_queue' }).waitFor()
    await looksRight(page)
    await page.keyboard.press('Enter')
    expect(await page.getByRole('textbox', { name: 'Query A' }).innerText()).toBe('shop_queue')
    await page.keyboard.press('Control+Enter')
    const make = page.getByRole('link', { name: 'Make an SLO of this' })
    await make.waitFor()
    expect(await make.getAttribute('href')).toBe('/slos/new?kind=promql&source=1&query=shop_queue')
    await page.goto(`${url}/slos/1/definition`)
    await page.locator('.queries').getByRole('link', { name: 'Explore' }).first().click()
    await page.getByRole('textbox', { name: 'Query A' }).getByText('avg(up)').waitFor()
    await evaluated(world.nines, 1, { own: 99.9, budgetUsed: 10 })
    await page.goto(`${url}/slos/1`)
    const chart = page.getByRole('link', { name: 'Open in Explore' }).first()
    expect(await chart.getAttribute('href')).toBe('/explore?q=avg%28up%29&from=now-24h')
  })

  const isFocused = (name: string) =>
    world.page.evaluate<boolean>(`(() => {
      const host = document.activeElement
      return (host?.shadowRoot?.activeElement ?? host)?.getAttribute('aria-label') === ${JSON.stringify(name)}
    })()`)
})
