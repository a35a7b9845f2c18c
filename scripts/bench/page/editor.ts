import type { Page } from 'playwright-core'
import { launchBrowser } from '../../../test/browser/browser.ts'
import { start } from '../support/child.ts'
import type { EditorServerReady } from './editor-nines.ts'
import { longestTask } from '../support/longest-task.ts'
import { signIn } from './sign-in.ts'

const metrics = 10_000
const maxTaskMs = 50
const keyIntervalMs = 160 // longer than the delay of the completion list
const completions = '.cm-tooltip-autocomplete li'

/** Query of more than 300 characters, with metrics, labels and values to complete. */
const query = [
  'sum by (code) (rate(service_42_requests_of_kind_1042_total{code="200", job="many"}[5m]))',
  ' / sum by (code) (rate(service_42_requests_of_kind_1042_total{job="many"}[5m]))',
  ' + on (code) group_left sum by (code) (rate(service_7_requests_of_kind_9907_total{code=~"2.."}[5m]))',
  ' > bool 0.999 or service_1_requests_of_kind_1_total',
].join('')

/** Measures the longest task of the page while a query is typed, key by key, with a completion list of 10,000 metrics. */
export async function benchEditor(): Promise<void> {
  const server = start('page/editor-nines.ts', String(metrics))
  const browser = await launchBrowser([])
  try {
    const { url } = await server.next<EditorServerReady>()
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
    await page.addInitScript({ content: longTaskObserver })
    await openExplorer(page, url)
    await printLongestTask('reading of the metrics, and the first list', page, async () => {
      await page.keyboard.type('service_4')
      await page.locator(completions).first().waitFor({ timeout: 30_000 })
    })
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    let keysWithList = 0
    await printLongestTask(`${query.length} characters, typed`, page, async () => {
      for (const key of query) {
        await page.keyboard.type(key)
        await Bun.sleep(keyIntervalMs)
        keysWithList += Math.sign(await page.locator(completions).count())
      }
    })
    process.stdout.write(`  a list was open after ${keysWithList} of them\n`)
    const typed = await page.getByRole('textbox', { name: 'Query A' }).innerText()
    if (typed !== query) throw new Error(`must be the query that was typed; got ${typed}`)
  } finally {
    await browser.close()
    server.stop()
  }
}

/** Script that collects the durations of long tasks, in ms. */
const longTaskObserver = `
  globalThis.longTasks = []
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longTasks.push(duration)
  }).observe({ type: 'longtask' })`

async function openExplorer(page: Page, url: string): Promise<void> {
  await signIn(page, url)
  await page.goto(`${url}/explore`)
  await page.locator('.cm-content').click()
  await Bun.sleep(1000)
}

/** Runs `action` and prints the longest task of the page meanwhile, beside its bound. */
async function printLongestTask(name: string, page: Page, action: () => Promise<void>): Promise<void> {
  await page.evaluate('longTasks.length = 0')
  const { ms, cpuMs } = await longestTask(page, action)
  const observed = await page.evaluate<number[]>('longTasks')
  const overMark = ms > maxTaskMs ? '  OVER' : ''
  const line = `${ms.toFixed(0)} ms (CPU ${cpuMs.toFixed(0)} ms)   at most ${maxTaskMs} ms${overMark}`
  process.stdout.write(`  ${name.padEnd(48)} longest task ${line}; ${observed.length} long tasks by the observer\n`)
}
