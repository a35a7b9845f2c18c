import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

const path = ['chromium', 'chromium-browser', 'google-chrome'].map((name) => Bun.which(name)).find(Boolean)

/** In CI a missing browser is a failure, elsewhere its tests are skipped. */
export const isWithoutBrowser = !path && process.env['CI'] !== 'true'

/** A browser of its own for a file of tests. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: path ?? 'chromium',
    args: ['--no-sandbox', '--disable-background-networking'],
  })
}

/**
 * A page that keeps what must never happen: a request to another host than `origin`, a violation of the policy, a message of
 * the console. An answer with a status of 400 or more that a test expects is listed in `expected`, by method and path.
 */
export type Watched = { page: Page; problems: string[]; expected: Set<string> }

export async function watchedPage(context: BrowserContext, origin: string): Promise<Watched> {
  const problems: string[] = []
  const expected = new Set<string>()
  const page = await context.newPage()
  await page.exposeFunction('reportViolation', (violation: string) => void problems.push(violation))
  await page.addInitScript({
    content: `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      reportViolation(violatedDirective + ' ' + blockedURI))`,
  })
  page.on('request', (request) => {
    const { origin: asked, protocol } = new URL(request.url())
    if (asked !== origin && protocol.startsWith('http')) problems.push(`request to ${request.url()}`)
  })
  page.on('response', (response) => {
    const name = `${response.request().method()} ${new URL(response.url()).pathname} ${response.status()}`
    if (response.status() >= 400 && !expected.has(name)) problems.push(name)
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    const isOfResponse = message.text().startsWith('Failed to load resource') // the response itself is looked at above
    if (message.type() === 'error' && !isOfResponse) problems.push(message.text())
  })
  return { page, problems, expected }
}
