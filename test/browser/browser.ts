import axe, { type RunOptions } from 'axe-core'
import { expect } from 'bun:test'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

const path = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  .map((name) => Bun.which(name))
  .find(Boolean)

/** True if there is no browser: its tests are skipped, except in CI, where they fail. */
export const isWithoutBrowser = !path && process.env['CI'] !== 'true'

/** Leaves out V8's optimizing compilers: a walk is over before they pay for themselves. They took a twelfth of its processor time. */
const withoutOptimizing = ['--js-flags=--no-maglev --no-turbofan']

/** Starts a browser for one file of tests. Benchmarks pass `[]`, so that scripts are compiled as for a user. */
export function launchBrowser(args: string[] = withoutOptimizing): Promise<Browser> {
  return chromium.launch({
    executablePath: path ?? 'chromium',
    args: ['--no-sandbox', '--disable-background-networking', '--accept-lang=en-GB', ...args], // as the texts that walks expect
  })
}

/**
 * Problems on all pages of a context: a request to a host other than `origin`, a CSP violation, an exception, a console
 * message, a request without an answer or with a status of 400 or more. Problems that a test provokes are in `expected`: a
 * whole problem, as in `GET /api/v1/slos/999 404`, or a pattern of it.
 */
export type Net = { problems: string[]; expected: Set<string | RegExp> }
export type Watched = Net & { page: Page }

/** Watches every page that the context opens from now on. A test ends with `expect(net.problems).toEqual([])`. */
export async function watchContext(context: BrowserContext, origin: string): Promise<Net> {
  const problems: string[] = []
  const expected = new Set<string | RegExp>()
  const found = (problem: string, answer?: () => Promise<string>) => {
    const isExpected = [...expected].some((one) => (typeof one === 'string' ? one === problem : one.test(problem)))
    if (isExpected) return
    const at = problems.push(problem) - 1
    void answer?.().then(
      (text) => (problems[at] += `: ${text}`),
      () => {}, // the page has been left
    )
  }
  const host = new URL(origin).host
  const asks = (url: string) => {
    const { host: asked, protocol } = new URL(url)
    if (asked !== host && /^(?:http|ws)/.test(protocol)) found(`request to ${url}`)
  }
  await context.exposeFunction('reportViolation', (problem: string) => found(problem))
  await context.addInitScript({ content: inEachPage })
  context.on('request', (request) => asks(request.url()))
  context.on('page', (page) => page.on('websocket', (socket) => asks(socket.url())))
  context.on('response', (response) => {
    if (response.status() >= 400) found(`${nameOf(response.request())} ${response.status()}`, () => response.text())
  })
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText
    if (reason !== 'net::ERR_ABORTED') found(`${nameOf(request)} ${reason}`) // aborted by the page itself, or by leaving it
  })
  context.on('weberror', (error) => found(String(error.error())))
  context.on('console', (message) => {
    const isOfRequest = message.text().startsWith('Failed to load resource') // recorded above
    if (['error', 'warning'].includes(message.type()) && !isOfRequest) found(message.text())
  })
  return { problems, expected }
}

const nameOf = (request: { method(): string; url(): string }) =>
  `${request.method()} ${new URL(request.url()).pathname}`

const inEachPage = `
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    reportViolation('policy: ' + violatedDirective + ' ' + blockedURI))
  globalThis.layoutShifts = []
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      const moved = (sources ?? []).map(({ node, previousRect: from, currentRect: to }) =>
        (node?.className || node?.nodeName) + ' from ' + [from.x, from.y] + ' to ' + [to.x, to.y]).join(', ')
      if (!hadRecentInput && value >= 0.0001) layoutShifts.push(value.toFixed(4) + ': ' + moved)
    }
  }).observe({ type: 'layout-shift', buffered: true })`

/** A page in a context whose pages are all watched. */
export async function watchedPage(context: BrowserContext, origin: string): Promise<Watched> {
  const net = await watchContext(context, origin)
  return { page: await context.newPage(), ...net }
}

/**
 * Waits for a document title; the number of SLOs that fail may stand before it, or the state of the page's SLO. (`waitForFunction`
 * would evaluate code in the page, which the CSP forbids.)
 */
export async function titled(page: Page, title: string): Promise<void> {
  await waitForTitle(page, title, (found) => found.replace(/^\(\d+\) /, '') === title || found.endsWith(` · ${title}`))
}

/** Waits for a document title with all that stands before it. */
export async function titledExactly(page: Page, title: string): Promise<void> {
  await waitForTitle(page, title, (found) => found === title)
}

async function waitForTitle(page: Page, title: string, fits: (found: string) => boolean): Promise<void> {
  const endsMs = performance.now() + 20_000
  for (;;) {
    const found = (await page.title()).replaceAll('\u2009', ' ')
    if (fits(found)) return
    if (performance.now() > endsMs) throw new Error(`the page is called "${found}", not "${title}"`)
    await Bun.sleep(20)
  }
}

/** Layout shifts since the page was loaded with a score of at least 0.0001, which a counting age does not reach: `0.0123: card from 0,64 to 0,96`. */
export function layoutShifts(page: Page): Promise<string[]> {
  return page.evaluate<string[]>('layoutShifts')
}

const usualWidths = [1280, 390, 320]
/** Charts resize one frame after the window, or later on a busy machine. */
const settleMs = 5000

/**
 * Fails if axe reports a serious violation in one of the themes, if the page scrolls sideways at 1280, 390 or 320 px, or if its
 * heading and its title do not both name the thing. Restores the window size.
 */
export async function looksRight(page: Page): Promise<void> {
  const heading = await page.getByRole('heading', { level: 1 }).innerText()
  await waitForTitle(page, heading, (found) => found.includes(`${heading} · `)) // a view of an SLO stands behind its name
  const theme = await page.evaluate<'light' | 'dark'>(`document.documentElement.dataset.theme`)
  expect(await seriousInThemes(page)).toEqual([])
  await page.emulateMedia({ colorScheme: theme })
  await fits(page)
}

/** Fails if the page scrolls sideways at one of these widths: of a desk, a phone, a small phone. Restores the window size. */
export async function fits(page: Page, widths: readonly number[] = usualWidths): Promise<void> {
  const size = page.viewportSize() ?? { width: 1280, height: 800 }
  for (const width of widths) {
    await page.setViewportSize({ width, height: size.height })
    const endsMs = performance.now() + settleMs
    while ((await tooWide(page)).length > 0 && performance.now() < endsMs) await Bun.sleep(20)
    expect({ width, tooWide: await tooWide(page) }).toEqual({ width, tooWide: [] })
  }
  await page.setViewportSize(size)
}

const allRules: RunOptions = { rules: { 'target-size': { enabled: true } } }
/** Rules that read colours. A theme changes nothing else (test/web/page/style/themes.test.ts): all others find the same in each. */
const ofColours: RunOptions = { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }

/**
 * Violations that axe rates serious or critical. They are chosen in the page: a whole result names every element that passed, and
 * costs more to send than to find.
 */
export async function serious(page: Page, rules = allRules): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe.source)
  const options: RunOptions = { ...rules, resultTypes: ['violations'], selectors: false }
  return page.evaluate<string[]>(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`)
}

/** Violations in the light theme, and those of colours in the dark one, which stays. */
export async function seriousInThemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' })
  const inLight = await serious(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  return [...inLight, ...(await serious(page, ofColours))]
}

/** Resolves once the page is drawn as it is now: before, rows outside the window have no text, and colours may be the previous ones. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
}

/** Elements that extend beyond the window, if the page scrolls sideways. */
function tooWide(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 0.5)
      .map(({ tagName, className }) => tagName + ' ' + (className.baseVal ?? className))
      .concat(scrollWidth + ' px')
  })()`)
}
