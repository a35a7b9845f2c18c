import type { Page } from 'playwright-core'
import { packPage } from '../../../src/web/pack-page.ts'
import { launchBrowser } from '../../../test/browser/browser.ts'
import { start } from '../support/child.ts'
import { median } from '../support/load.ts'
import { longestTask, type Task } from '../support/longest-task.ts'
import type { FromPageServer } from './nines.ts'
import { signIn } from './sign-in.ts'
import { timesOfWhatIf } from './what-if.ts'

const slos = 500
const rounds = 5
const updates = 5

/** Bounds of the page: brotli kB, ms (of tasks in CPU time, which is the elapsed time on an idle machine), API calls, layout shift. */
const bounds = {
  script: 60,
  style: 12,
  font: 50,
  interactiveMs: 1500,
  drawnMs: 300,
  taskMs: 50,
  calls: 5,
  shift: 0,
  whatIfMs: 16,
}

/** `drawnMs`: from the answer with all SLOs to the frame that has their table. */
type Load = { assets: string[]; interactiveMs: number; drawnMs: number; calls: number; shift: number }

/**
 * Measures the page in a browser: size of the first load, time until 500 SLOs are usable, and the longest tasks while they
 * scroll and while all of them change. The server is a separate process, from source.
 */
export async function benchPage(): Promise<void> {
  const server = start('page/nines.ts', String(slos))
  const browser = await launchBrowser([])
  try {
    const ready = await server.next<FromPageServer>()
    if (ready === 'sent') throw new Error('must be an address')
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    await context.addInitScript({ content: observe })
    const page = await context.newPage()
    await signIn(page, ready.url)
    await page.locator('.slo-row').first().waitFor()
    const loads: Load[] = []
    for (let round = 0; round < rounds; round++) loads.push(await load(page, `${ready.url}/`))
    const scroll = await longestTask(page, () => scrollThrough(page))
    const update = await longestTask(page, async () => {
      for (let at = 0; at < updates; at++) {
        server.send('round')
        await server.next<FromPageServer>()
        await Bun.sleep(1000)
      }
    })
    const callsOfSlo = await callsOfOneSlo(page)
    await print(loads, { scroll, update, callsOfSlo })
  } finally {
    await browser.close()
    server.stop()
  }
}

/** Loads the overview with an empty cache. Interactive: rows are drawn, and the last long task after that has ended. */
async function load(page: Page, url: string): Promise<Load> {
  const requests: string[] = []
  const note = (request: { url(): string }) => void requests.push(new URL(request.url()).pathname)
  const session = await page.context().newCDPSession(page)
  await session.send('Network.clearBrowserCache')
  page.on('request', note)
  await page.goto(url)
  await page.locator('.slo-row').first().waitFor()
  await page.getByText('live,').waitFor()
  await Bun.sleep(1000)
  page.off('request', note)
  const { answeredMs, rowsMs, tasks, shift } = await page.evaluate<Seen>('seen')
  const last = tasks.findLast(({ startMs }) => startMs < rowsMs + 500)
  return {
    assets: requests.filter((path) => path.startsWith('/assets/')),
    calls: requests.filter(isCall).length,
    drawnMs: rowsMs - answeredMs,
    interactiveMs: Math.max(rowsMs, last ? last.startMs + last.ms : 0),
    shift,
  }
}

type Seen = { answeredMs: number; rowsMs: number; tasks: { startMs: number; ms: number }[]; shift: number }

const observe = `
  globalThis.seen = { answeredMs: 0, rowsMs: 0, tasks: [], shift: 0 }
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) seen.tasks.push({ startMs: startTime, ms: duration })
  }).observe({ type: 'longtask', buffered: true })
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) seen.shift += value
  }).observe({ type: 'layout-shift', buffered: true })
  new PerformanceObserver((list) => {
    for (const { name, responseEnd } of list.getEntries()) if (name.endsWith('/slos/overview')) seen.answeredMs = responseEnd
  }).observe({ type: 'resource', buffered: true })
  const rows = () => {
    if (document.querySelector('.slo-row')) seen.rowsMs = performance.now()
    else requestAnimationFrame(rows)
  }
  rows()`

async function scrollThrough(page: Page): Promise<void> {
  await page.mouse.move(700, 500)
  for (let step = 0; step < 60; step++) {
    await page.mouse.wheel(0, 400)
    await Bun.sleep(16)
  }
  for (const key of ['Home', 'End', 'Home']) {
    await page.keyboard.press(key)
    await Bun.sleep(200)
  }
}

/** True for an API call that loads content; refreshing the session does not count. */
function isCall(path: string): boolean {
  return path.startsWith('/api/') && path !== '/api/v1/auth/refresh'
}

async function callsOfOneSlo(page: Page): Promise<number> {
  let calls = 0
  page.on('request', (request) => void (calls += isCall(new URL(request.url()).pathname) ? 1 : 0))
  await page.locator('.slo-row a').first().click()
  await page.locator('.big').first().waitFor()
  await Bun.sleep(1000)
  return calls
}

async function print(
  loads: Load[],
  { scroll, update, callsOfSlo }: { scroll: Task; update: Task; callsOfSlo: number },
): Promise<void> {
  const { files } = await packPage()
  const assets = new Set(loads[0]?.assets)
  const kilobytes = (end: string) =>
    [...files].reduce(
      (sum, [name, { raw, br }]) =>
        sum + (assets.has(`/assets/${name}`) && name.endsWith(end) ? (br ?? raw).length : 0),
      0,
    ) / 1000
  const line = (name: string, value: number, bound: number, unit: string) => {
    const text = `${value.toFixed(unit === 'kB' ? 1 : unit === '' && value % 1 !== 0 ? 4 : 0)} ${unit}`
    const isOver = value > bound ? '  OVER' : ''
    process.stdout.write(`  ${name.padEnd(48)} ${text.padStart(10)}   at most ${bound} ${unit}${isOver}\n`)
  }
  process.stdout.write(`\nthe page, ${slos} SLOs, headless Chromium, median of ${rounds} loads with an empty cache\n`)
  line('script of the first load, brotli', kilobytes('.js'), bounds.script, 'kB')
  line('style, brotli', kilobytes('.css'), bounds.style, 'kB')
  line('font', kilobytes('.woff2'), bounds.font, 'kB')
  line(
    'rows drawn and the page free',
    median(loads.map(({ interactiveMs }) => interactiveMs)),
    bounds.interactiveMs,
    'ms',
  )
  line(`all ${slos} drawn, after their answer`, median(loads.map(({ drawnMs }) => drawnMs)), bounds.drawnMs, 'ms')
  const task = (action: string, { ms, cpuMs }: Task) =>
    line(`CPU of a task while ${action} (${ms.toFixed(0)} ms elapsed)`, cpuMs, bounds.taskMs, 'ms')
  task('it scrolls', scroll)
  task(`all ${slos} change`, update)
  line('calls of the API: overview', Math.max(...loads.map(({ calls }) => calls)), bounds.calls, '')
  line('calls of the API: one SLO', callsOfSlo, bounds.calls, '')
  line('what-if of 30 d with four tiers, median', median(timesOfWhatIf()), bounds.whatIfMs, 'ms')
  line('layout shift', Math.max(...loads.map(({ shift }) => shift)), bounds.shift, '')
}
