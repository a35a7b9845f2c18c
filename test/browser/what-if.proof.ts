import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { formatShare, formatCount, formatNumber, formatSli, formatWindow } from '../../src/web/page/format.ts'
import type { TestApp } from '../support/app.ts'
import { isWithoutBrowser, looksRight } from './browser.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "what if": chromium is not installed\n')

const minuteMs = 60_000
const hour = 60 // minutes
const day = 24 * hour

/**
 * Stores requests minute by minute in the embedded source: ten days up to now and the next ten minutes, with outages two days
 * and three hours ago.
 */
function collect(nines: TestApp): void {
  const series = ['200', '500'].map((code) => ({
    code,
    labels: Object.entries({ __name__: 'shop_requests_total', code }).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    value: 1000,
  }))
  for (let ago = 10 * day; ago >= -10; ago -= 1) {
    const isOut = (ago <= 2 * day && ago > 2 * day - 40) || (ago <= 3 * hour && ago > 3 * hour - 7)
    for (const one of series) {
      const share = isOut ? 0.25 : 0.0002
      one.value += (300 + (ago % 61)) * (one.code === '500' ? share : 1 - share)
      nines.app.samples.append(1, one.labels as [string, string][], nines.clock.now() - ago * minuteMs, one.value)
    }
  }
}

const slo = {
  name: 'Shop answers',
  target: 99.9,
  time_window: '7d',
  metric_type: 'availability',
  metric_query: 'sum(rate(shop_requests_total{code!~"5.."}[5m])) / sum(rate(shop_requests_total[5m]))',
}

describe.skipIf(isWithoutBrowser)('what if', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded' } })

  test('what if says of another target and window what the server says after they are saved', async () => {
    const { nines, page, url } = world
    collect(nines)
    await nines.call('POST', '/api/v1/slos', slo)
    // all that is asked here is of windows that exist whole
    await nines.app.db.write.updateTable('backfills').set({ status: 'failed' }).execute()
    await nines.app.evaluator.evaluateAll()
    await page.goto(`${url}/slos/1`)
    await world.signIn()
    await page.getByRole('heading', { level: 1, name: 'Shop answers' }).waitFor()
    await page.getByText('What if the target').click()
    let before = '7d'
    for (const [target, window] of [
      [99.5, '7d'],
      [99.95, '24h'],
      [98.765, '24h'],
      [99.8, '7d'],
      [99.9, '7d'],
    ] as const) {
      const said = await tried(page, target, window)
      const alerts = await page.getByText(/^Burn-rate alerts: /).innerText()
      const { body: preview } = await nines.call('POST', '/api/v1/slos/preview', {
        ...slo,
        target,
        time_window: window,
      })
      expect(alerts).toBe(`Burn-rate alerts: ${countsOf(preview.alerts)} in ${spanOf(preview)}.`)
      await page.getByRole('button', { name: /^Use / }).click()
      await page
        .getByText(/^Shop answers: .* in /)
        .last()
        .waitFor()
      // a round evaluates the minute before; the preview ended with this one
      if (window !== before) nines.clock.advance(minuteMs)
      before = window
      await nines.app.evaluator.evaluateAll()
      const { body } = await nines.call('GET', '/api/v1/slos/1/budget')
      expect({ target: body.target, window: body.time_window }).toEqual({ target, window })
      const { sli, events, error_budget: budget } = body
      const used = budget.window_percent_used
      if (used > 100) expect(said).toMatch(/^The budget of .* would be used (?:over )?[\d.]+ times/)
      else expect(said).toStartWith(`${formatShare(100 - used)} of the budget of`)
      expect(said).toContain(`: ${formatSli(sli, target)} % of ${target} %. `)
      expect(said).toContain(
        ` or ${formatNumber(Math.floor(events.allowed_bad))} failures allowed; ${formatCount(events.bad)} failed.`,
      )
    }
  })

  test('what if says in the form of a new SLO what the server says once it is created', async () => {
    const { nines, page, url } = world
    collect(nines)
    const draft = new URLSearchParams({ query: slo.metric_query, name: 'Shop answers', window: '30d' })
    await page.goto(`${url}/slos/new?${draft}`)
    await world.signIn()
    const pane = page.getByRole('region', { name: 'Preview' })
    await pane.getByRole('heading', { name: 'Preview: the 10\u2009d since there is data' }).waitFor()
    await page.getByText('Less than half of the last 30 days has data: too little past to suggest a target.').waitFor()
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/slos/preview')) asked.push(request.url())
    })
    await pane.getByLabel('What-if target').fill('2')
    await pane.getByText('target 70', { exact: false }).first().waitFor()
    await pane.getByLabel('Target', { exact: true }).fill('99.7')
    await pane.getByLabel('Window', { exact: true }).fill('2')
    await pane.getByRole('heading', { name: 'Preview: the last 7\u2009d' }).waitFor()
    expect(asked).toEqual([])
    const said = await pane.locator('.preview-numbers').innerText()
    const allowed = await pane.getByText(/ allowed$/).innerText()
    const notified = await pane.getByRole('status').innerText()

    await pane.getByRole('button', { name: /^Use 99\.7/ }).click()
    await pane.getByRole('button', { name: /^Use 7/ }).click()
    expect(await page.getByLabel('Target, in percent').inputValue()).toBe('99.7')
    await page.locator('[aria-label="Preview"][aria-busy="false"]').waitFor()
    expect([
      await pane.locator('.preview-numbers').innerText(),
      await pane.getByText(/ allowed$/).innerText(),
      await pane.getByRole('status').innerText(),
    ]).toEqual([said, allowed, notified]) // now as calculated by the server
    await looksRight(page)
    await page.getByRole('button', { name: 'Create SLO' }).click()
    await page.getByRole('heading', { level: 1, name: 'Shop answers' }).waitFor()
    nines.clock.advance(minuteMs)
    await nines.app.evaluator.evaluateAll()
    const { body } = await nines.call('GET', '/api/v1/slos/1/budget')
    expect([body.target, body.time_window]).toEqual([99.7, '7d'])
    expect(said).toStartWith(`${formatSli(body.sli, 99.7)} %`)
    expect(said).toContain(`of ${formatCount(body.events.total)} events, target 99.7`)
    expect(said).toContain(formatShare(body.error_budget.percentage_remaining))
    expect(allowed).toContain(` or ${formatNumber(Math.floor(body.events.allowed_bad))} failures allowed`)
  })

  test('a window of another length is typed in the form, is a stop of what if, and is on the page of the SLO', async () => {
    const { nines, page, url } = world
    collect(nines)
    await page.goto(`${url}/slos/new?${new URLSearchParams({ query: slo.metric_query, name: 'Shop answers' })}`)
    await world.signIn()
    await page.getByRole('radio', { name: 'Other' }).check()
    const field = page.getByLabel('Length of the window')
    expect(await field.inputValue()).toBe('30d')
    await field.fill('0d')
    await page.getByRole('button', { name: 'Create SLO' }).click()
    await page.getByText(/^Must be whole hours up to 48h/).waitFor()
    await looksRight(page)
    await field.fill('36h')
    const pane = page.getByRole('region', { name: 'Preview' })
    await pane.getByRole('heading', { name: 'Preview: the last 36\u2009h' }).waitFor()
    const slider = pane.getByLabel('Window', { exact: true })
    expect(await slider.getAttribute('aria-valuetext')).toBe('36\u2009h')
    await slider.fill('3')
    expect(await slider.getAttribute('aria-valuetext')).toBe('7\u2009d')
    await page.getByRole('button', { name: 'Create SLO' }).click()
    await page.getByRole('heading', { level: 1, name: 'Shop answers' }).waitFor()
    expect((await nines.call('GET', '/api/v1/slos/1')).body.time_window).toBe('36h')
    await nines.app.backfills.run()
    await nines.app.evaluator.evaluateAll()
    await page.reload()
    await page.getByRole('heading', { name: 'SLI, 36\u2009h' }).waitFor()
    await looksRight(page)
    await page.goto(`${url}/slos/1/edit`)
    expect(await page.getByLabel('Length of the window').inputValue()).toBe('36h')
  })

  test('what if saves what was tried, takes it back, and works by keyboard for every eye and screen', async () => {
    const { nines, page, url } = world
    collect(nines)
    await nines.call('POST', '/api/v1/slos', slo)
    await nines.app.evaluator.evaluateAll()
    await page.goto(`${url}/slos/1`)
    await world.signIn()
    const summary = page.getByText('What if the target')
    await summary.waitFor()
    const slider = page.getByLabel('What-if target')
    // the heading takes the focus once
    while (!(await page.locator('details[open]').isVisible())) await summary.press('Enter')
    await slider.waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowRight')
    expect(await slider.getAttribute('aria-valuetext')).toBe('99.91 %')
    await page.keyboard.press('Tab')
    await page.keyboard.type('99.97')
    await page.getByRole('button', { name: /^Use 99\.97/ }).waitFor()
    await page.getByLabel('Target', { exact: true }).fill('101')
    await page.getByText('A target is above 0 and at most 100.').waitFor()
    await page.getByLabel('Target', { exact: true }).fill('99,5')
    await page.getByText(/^Burn-rate alerts: /).waitFor()
    await looksRight(page)
    const targetOf = async () => (await nines.call('GET', '/api/v1/slos/1')).body.target
    await page.getByRole('button', { name: /^Use 99\.5/ }).press('Enter')
    await page.getByText(/^Shop answers: 99\.5/).waitFor()
    expect(await targetOf()).toBe(99.5)
    const answered = page.waitForResponse((response) => response.request().method() === 'PUT')
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await answered
    expect(await targetOf()).toBe(99.9)
  })
})

/** Time range in which the server evaluated alerts. */
function spanOf({ own, alerts_start_time }: { own: { end_time: string }; alerts_start_time: string }): string {
  const hours = Math.floor((Date.parse(own.end_time) - Date.parse(alerts_start_time)) / 3_600_000)
  return formatWindow(hours > 24 ? `${Math.floor(hours / 24)}d` : `${hours}h`)
}

function countsOf(alerts: { severity: string }[]): string {
  const counts = ['page', 'ticket'].flatMap((severity) => {
    const count = alerts.filter((alert) => alert.severity === severity).length
    return count === 0 ? [] : [`${count} ${severity}${count === 1 ? '' : 's'}`]
  })
  return counts.length === 0 ? 'none' : counts.join(' and ')
}

/** Sets target and window by slider, or by typing a target without a stop, and returns the texts of the page. */
async function tried(page: Page, target: number, window: string): Promise<string> {
  const windows = ['1h', '24h', '7d', '30d', '90d']
  const slider = page.getByLabel('Window', { exact: true })
  await slider.fill(String(windows.indexOf(window)))
  await page.getByLabel('Target', { exact: true }).fill(String(target))
  await page.locator('.what-if-result[aria-busy="false"]').waitFor()
  await page.getByText(/^Burn-rate alerts: /).waitFor()
  return page.locator('.what-if-result p').first().innerText()
}
