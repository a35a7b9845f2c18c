import { describe, expect, test } from 'bun:test'
import { renderHtml } from '../../src/reports/render-html.ts'
import { fillReportWorld, madeAtMs, madeReport } from '../reports/report-world.ts'
import { isWithoutBrowser, looksRight } from './browser.ts'
import { heading } from './visit.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "reports": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('reports', () => {
  const world = pageWorld({ startMs: madeAtMs })

  test('a monthly report is asked for, made, and read on a phone', async () => {
    const { page, url, nines } = world
    await fillReportWorld(nines)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${url}/reports`)
    await world.signIn()
    await page.getByText('No report was made yet.').waitFor()
    await page.getByRole('button', { name: 'Make a report…' }).click()
    const form = page.getByRole('dialog', { name: 'Make a report' })
    await form.getByLabel('A day of it').fill('2027-01-01')
    await form.getByLabel('Time zone').fill('Europe/Zurich')
    world.net.expected.add('POST /api/v1/reports 400')
    await form.getByRole('button', { name: 'Make it' }).click()
    await form.getByText(/in a month that has ended/).waitFor()
    await form.getByLabel('A day of it').fill('2026-10-15')
    await form.getByRole('button', { name: 'Make it' }).click()
    await page.getByText('9 of 10 met').waitFor()
    await looksRight(page)
    await page.getByRole('link', { name: 'October 2026' }).click()
    await heading(page, 'Monthly report: October 2026')
    await page.getByText('9 of 10 SLOs met their target.').waitFor()
    const row = page.getByRole('table', { name: 'Objectives' }).getByRole('row', { name: /Checkout answers/ })
    await row.getByText('Missed').waitFor()
    await row.getByText('141 %').waitFor()
    await page.getByText('v1.4.2 sent all orders to one shard.').waitFor()
    const folder = process.env['NINES_PICTURES']
    if (folder !== undefined) await page.screenshot({ path: `${folder}/report-page-390.png`, fullPage: true })
    await page.setViewportSize({ width: 1280, height: 800 }) // on a phone the bar covers a part of the list
    if (folder !== undefined) await page.screenshot({ path: `${folder}/report-page-1280.png`, fullPage: true })
    await looksRight(page)
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'HTML, to print' }).click()
    expect((await saved).suggestedFilename()).toBe('monthly-report-2026-10.html')
  })

  test('a schedule is made, changed, deleted and restored', async () => {
    const { page, url, nines } = world
    const configuration = { webhook_url: 'http://127.0.0.1:9/hook' }
    const channel = { name: 'Board', channel_type: 'webhook', configuration }
    expect((await nines.call('POST', '/api/v1/notifications/channels', channel)).status).toBe(201)
    await page.goto(`${url}/reports`)
    await world.signIn()
    await page.getByRole('button', { name: 'New schedule…' }).click()
    const form = page.getByRole('dialog', { name: 'New schedule' })
    await form.getByLabel('Name').fill('For the board')
    await form.getByLabel('SLOs').selectOption('labels')
    await form.getByRole('button', { name: 'Add' }).click()
    await form.getByText('Labels are written as name=value, with commas between them.').waitFor()
    await form.getByLabel('Labels').fill('team=payments')
    await form.getByLabel('Board').check()
    await form.getByRole('button', { name: 'Add' }).click()
    const row = page.getByRole('table', { name: 'Schedules' }).getByRole('row', { name: /For the board/ })
    await row.getByText('team=payments').waitFor()
    await row.getByRole('button', { name: 'Edit For the board' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit For the board' })
    await edit.getByLabel('After each').selectOption('week')
    await edit.getByRole('button', { name: 'Save' }).click()
    await row.getByText('Each week').waitFor()
    await looksRight(page)
    await row.getByRole('button', { name: 'Delete For the board' }).click()
    await row.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await row.getByText('Board', { exact: true }).waitFor()
  })

  test('the file prints to two or three pages of A4 and Letter, and is readable on a phone', async () => {
    const { browser, nines } = world
    await fillReportWorld(nines)
    const { report } = (await madeReport(nines)).body.data
    const page = await browser.newPage({ viewport: { width: 1100, height: 800 }, javaScriptEnabled: false })
    await page.setContent([...renderHtml(report)].join(''))
    for (const format of ['A4', 'Letter']) {
      const pdf = (await page.pdf({ format })).toString('latin1')
      const pages = pdf.match(/\/Type\s*\/Page\b(?!s)/g) ?? []
      expect([2, 3]).toContain(pages.length)
    }
    const folder = process.env['NINES_PICTURES']
    for (const width of [1100, 390]) {
      await page.setViewportSize({ width, height: 800 })
      const overflow = await page.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth)
      expect({ width, overflow }).toEqual({ width, overflow: 0 })
      if (folder !== undefined) await page.screenshot({ path: `${folder}/report-${width}.png`, fullPage: true })
    }
    await page.close()
  })
})
