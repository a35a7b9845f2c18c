import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { startSeconds } from '../sli/ledger-fixtures.ts'
import { evaluation, failure } from '../support/evaluations.ts'
import { fits, isWithoutBrowser, seriousInThemes, titled } from './browser.ts'
import { at, day, minute, outage, stored, withOutage } from './outage.ts'
import { pageWorld, type World } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "the page of an SLO": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('the page of an SLO', () => {
  const world = pageWorld()

  test('the page of an SLO shows an alert behind its charts and in its history, and every chart as a table and as CSV', async () => {
    const { page, nines, url } = world
    await withOutage(world)
    await open(world, '/slos/1')
    await page.getByText('Alert firing').first().waitFor()
    const sli = page.locator('section.over figure')
    await page.locator('section.over').scrollIntoViewIfNeeded()
    await sli.locator('canvas').waitFor()
    expect(await sli.locator('.plot-below').innerText()).toMatch(/Incident\s+Alert firing\s+Change of the SLO/)
    // the background of a firing alert
    expect(await colorAt(page, 'section.over canvas', outage.from + 20 * minute)).toBe('rgb(251, 231, 234)')
    // nothing is drawn there
    expect(await colorAt(page, 'section.over canvas', -9.5 * 60 * minute)).toBe('rgb(0, 0, 0)')

    await sli.getByRole('button', { name: 'Show as table' }).click()
    const { points } = (await nines.call('GET', '/api/v1/slos/1/series?period=24h&step=5m')).body
    const rows = points.map((point: Record<string, unknown>) =>
      ['timestamp', 'sli', 'good', 'total', 'coverage'].map((name) => point[name]),
    )
    const cells = await sli
      .locator('tbody')
      .evaluate<string[][], Rows>((body) =>
        [...body.rows].map((row) =>
          [...row.cells].map((cell) => cell.querySelector('time')?.getAttribute('datetime') ?? cell.innerText),
        ),
      )
    expect(cells).toEqual(rows.map((row: unknown[]) => row.map((value) => String(value ?? '–'))))
    expect((await saved(page, sli, 'Save as CSV')).trimEnd().split('\r\n')).toEqual([
      'Time,"SLI, %",Good,Total,Coverage',
      ...rows.map((row: unknown[]) => row.map((value) => value ?? '').join(',')),
    ])

    await page.getByText('How this was calculated').click()
    await page.getByText('budgets of the time with data').waitFor()

    await page.goto(`${url}/slos/1/alerting`)
    const row = page.getByRole('row', { name: 'Page (urgent), 2 h and 10 min' })
    await row.waitFor()
    expect((await row.innerText()).trim().split(/\s*\t\s*/)).toEqual([
      'Page (urgent), 2\u2009h and 10\u2009min',
      '05:10',
      '25\u2009min',
      '41×',
      'on call: failed (connection refused)\non call: end: failed (the channel was disabled)',
      '85\u2009%',
    ])
    // an alert that is part of an incident says that the incident is notified instead
    const part = page
      .getByRole('row', { name: 'Budget used up' })
      .getByRole('cell', { name: 'not by itself; see its incident' })
    await part.getByRole('link', { name: 'its incident' }).waitFor()
    await page.getByText('Nobody is notified.').waitFor()
  })

  test('burn rates of an hour reach back as far as their windows', async () => {
    const { page, nines } = world
    await withOutage(world)
    await open(world, '/slos/1?chart=burn&range=1h')
    const charts = page.locator('.burn-charts figure')
    await page.locator('section.over').scrollIntoViewIfNeeded()
    await charts.first().locator('canvas').waitFor()
    expect(await page.getByText('Choose a shorter range').count()).toBe(0)
    const { tiers } = (await nines.call('GET', '/api/v1/slos/1/burn-rates')).body
    expect(await charts.count()).toBe(tiers.length)
    for (const chart of await charts.all()) {
      await chart.getByRole('button', { name: 'Show as table' }).click()
      const rates = await chart.locator('tbody td:nth-child(2)').allInnerTexts()
      expect(rates.length).toBeGreaterThanOrEqual(12)
      expect(rates).not.toContain('–')
    }
  })

  test('the page of an SLO zooms by dragging and by keys, reads points out, and goes back', async () => {
    const { page, url } = world
    await withOutage(world)
    await open(world, '/slos/1')
    const chart = page.getByLabel('SLI over time')
    await page.locator('section.over').scrollIntoViewIfNeeded()
    await chart.waitFor()
    await chart.scrollIntoViewIfNeeded()
    const drawing = chart.locator('.u-over')
    await drawing.waitFor()
    const { x, y, width } = (await drawing.boundingBox()) ?? { x: 0, y: 0, width: 0 }
    await page.mouse.move(x + width * 0.7, y + 50)
    expect(await page.locator('figure .plot-below').allInnerTexts()).toEqual([
      expect.stringMatching(/ · Left .* · Ideal /),
      expect.stringMatching(/ · SLI 100\.00\u2009%/),
    ]) // one crosshair
    await page.mouse.down()
    await page.mouse.move(x + width * 0.9, y + 60, { steps: 5 })
    await page.mouse.up()
    await page.getByRole('button', { name: 'Whole window' }).waitFor()
    const zoomed = new URL(page.url())
    const [from, to] = ['from', 'to'].map((name) => Number(zoomed.searchParams.get(name)) / 1000 - startSeconds)
    expect([from, to]).toEqual([expect.closeTo(-0.3 * day, -3), expect.closeTo(-0.1 * day, -3)])

    await chart.press('ArrowLeft')
    await chart.press('Home')
    const spoken = page.locator('section.over .plot-around [aria-live]')
    expect(await spoken.innerText()).toMatch(/^02:4[678] · SLI 100\.00\u2009%$/)
    await chart.press('Escape')
    await page.getByRole('button', { name: 'Whole window' }).waitFor({ state: 'detached' })
    expect(page.url()).toBe(`${url}/slos/1`)
    await page.goBack()
    expect(page.url()).toBe(zoomed.href)
    await chart.dblclick()
    await page.getByRole('button', { name: 'Whole window' }).waitFor({ state: 'detached' })
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('t')
    await page.getByRole('button', { name: '1\u2009h', pressed: true }).waitFor()
    await page.keyboard.press('[')
    await page.getByRole('button', { name: 'Whole window' }).click()

    await page.getByRole('tab', { name: 'Events per hour' }).click()
    const hours = page.getByLabel('Failed share of each hour')
    await hours.press('End')
    for (let n = 0; n < 5; n += 1) await hours.press('ArrowDown')
    expect(await page.locator('.heatmap .plot-below').innerText()).toMatch(
      /^05:00 to 06:00 · 25\.000\u2009% failed · 1,500 of 6,000 · 1\.04 times the budget$/,
    )
    expect((await savedBytes(page, page.locator('section.over figure'), 'Save as PNG')).subarray(1, 4).toString()).toBe(
      'PNG',
    )
  })

  test('the page of an SLO has views with addresses of their own, for every eye and screen', async () => {
    const { page, url, net } = world
    await withOutage(world)
    await stored(world, ...Array.from({ length: 40 }, (_, n) => failure(at(-40 + n))), evaluation(at(0)))
    let reading = ''
    let calls: string[] = []
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      const isOfShell = pathname.endsWith('/slos/overview') || search === '?page_size=1' // 3 s later
      const isOfView = request.frame().url() === reading // the view before may still read
      const isWhenSeen = pathname.endsWith('/notifications/channels') // by what is in the window before the rest is drawn
      const isCounted = pathname.startsWith('/api/') && !pathname.includes('/auth/') && !isOfShell && !isWhenSeen
      if (isOfView && isCounted) calls.push(pathname)
    })
    await open(world, '/slos/1')
    const views = page.getByRole('navigation', { name: 'Views of the SLO' })
    for (const [path, name] of [
      ['/alerting', 'Alerts'],
      ['/definition', 'Definition'],
      ['/activity', 'Activity'],
    ] as const) {
      calls = []
      reading = `${url}/slos/1${path}`
      await page.goto(reading)
      await titled(page, `Checkout · ${name} · nines`)
      await page.locator('.section').first().waitFor()
      await page.getByLabel('Loading').first().waitFor({ state: 'detached' }) // waits until none is left
      expect(calls.length).toBeGreaterThan(2)
      expect(new Set(calls).size, calls.join()).toBeLessThanOrEqual(6) // with its open incident; some are read again
      expect(await seriousInThemes(page)).toEqual([])
      await fits(page)
      await page.getByRole('link', { name: 'Budget', exact: true }).click()
      await page.getByRole('heading', { name: 'Where it went' }).waitFor()
      await page.goBack()
      await titled(page, `Checkout · ${name} · nines`)
      expect(page.url()).toBe(reading)
      expect(await views.getByRole('link', { name, exact: true }).getAttribute('aria-current')).toBe('page')
    }
    await page.getByText('metrics source did not answer').first().waitFor()
    expect(await page.locator('.failed-row').count()).toBe(29)
    await page.getByRole('button', { name: 'Failed' }).click()
    await page.getByRole('link', { name: 'Older' }).click()
    await page.getByText('Page 2 of 2').waitFor()
    expect(page.url()).toBe(`${url}/slos/1/activity?failed=true&page=2`)
    await page.goBack()
    await page.getByText('Page 1 of 2').waitFor()
    net.expected.add('GET /slos/1/elsewhere 404')
    await page.goto(`${url}/slos/1/elsewhere`)
    await page.getByText('There is no such page').waitFor()
  })

  test('an edit is there with who made it, what was before and what is now, without a reload', async () => {
    const { page, nines } = world
    await withOutage(world)
    await open(world, '/slos/1/definition')
    await page.getByRole('heading', { name: 'Revisions' }).scrollIntoViewIfNeeded()
    await page.mouse.wheel(0, 800)
    await page.getByText('Created by ada').waitFor()
    nines.clock.advance(minute * 1000)
    await nines.call('PUT', '/api/v1/slos/1', { target: 99.5, metric_query: 'up' })
    nines.app.feed.evaluated([{ sloId: 1, evaluatedAtMs: nines.clock.now() }])
    const edit = page.getByRole('listitem').filter({ hasText: 'Changed by ada' })
    await edit.waitFor()
    const text = (await edit.innerText()).replaceAll(/\s+/g, ' ')
    expect(text).toContain('Revision 2 Target 99 % → became 99.5 %')
    expect(text).toContain('Query sum(rate(ok[5m])) / sum(rate(all[5m])) → became up')
    await page.getByText('99.5\u2009%', { exact: true }).first().waitFor()
  })
})

/** The parts of a table that are read in the page. */
type Cell = { innerText: string; querySelector(name: string): { getAttribute(name: string): string | null } | null }
type Rows = { rows: Iterable<{ cells: Iterable<Cell> }> }

async function open({ page, url, signIn }: World, path: string): Promise<void> {
  await page.goto(`${url}${path}`)
  await signIn()
  await page.getByRole('heading', { level: 1 }).filter({ hasText: 'Checkout' }).waitFor()
}

/** Colour of a chart of the last day, below its upper edge, at a time in seconds before its end. */
function colorAt(page: Page, canvas: string, seconds: number): Promise<string> {
  return page.evaluate<string>(`(() => {
    const canvas = document.querySelector('${canvas}')
    const over = canvas.parentElement.querySelector('.u-over')
    const x = over.offsetLeft + over.offsetWidth * (1 + ${seconds} / 86400)
    const copy = document.createElement('canvas')
    copy.width = copy.height = 1
    const pixel = copy.getContext('2d', { willReadFrequently: true })
    pixel.drawImage(canvas, -Math.round(x * devicePixelRatio), -Math.round((over.offsetTop + 70) * devicePixelRatio))
    const [r, g, b] = pixel.getImageData(0, 0, 1, 1).data
    return 'rgb(' + [r, g, b].join(', ') + ')'
  })()`)
}

async function savedBytes(page: Page, figure: ReturnType<Page['locator']>, button: string): Promise<Buffer> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    figure.getByRole('button', { name: button }).click(),
  ])
  return Buffer.from(await Bun.file(await download.path()).arrayBuffer())
}

async function saved(page: Page, figure: ReturnType<Page['locator']>, button: string): Promise<string> {
  return (await savedBytes(page, figure, button)).toString()
}
