import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'

const chromium = ['chromium', 'chromium-browser', 'google-chrome'].map((name) => Bun.which(name)).find(Boolean)
const isSkipped = !chromium && process.env['CI'] !== 'true'
if (isSkipped) process.stderr.write('Skipped, "the reference in a browser": chromium is not installed\n')

/** Records CSP violations in the page before any other script runs. */
const watch = `window.refused = []
document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => refused.push(violatedDirective + ' ' + blockedURI))`

describe.skipIf(isSkipped)('the reference in a browser', () => {
  let nines: TestApp
  let view: Bun.WebView
  let url: string
  const asked: string[] = []
  const complaints: unknown[] = []

  beforeAll(async () => {
    nines = await testApp()
    url = nines.listen()
    view = new Bun.WebView({
      width: 1280,
      height: 900,
      backend: {
        type: 'chrome',
        path: chromium ?? 'chromium',
        argv: ['--no-sandbox', '--disable-background-networking'],
      },
    })
    await view.navigate('about:blank')
    view.addEventListener<{ request: { url: string } }>('Network.requestWillBeSent', ({ data }) =>
      asked.push(data.request.url),
    )
    view.addEventListener('Log.entryAdded', ({ data }: MessageEvent<unknown>) => complaints.push(data))
    view.addEventListener('Runtime.exceptionThrown', ({ data }: MessageEvent<unknown>) => complaints.push(data))
    for (const domain of ['Network', 'Log', 'Page', 'Runtime']) await view.cdp(`${domain}.enable`)
    await view.cdp('Page.addScriptToEvaluateOnNewDocument', { source: watch })
  })
  afterAll(async () => {
    view.close()
    await nines.close()
  })

  const isTrue = (condition: string) =>
    view.evaluate(`new Promise((resolve) => {
      const look = () => (${condition} ? resolve() : setTimeout(look, 20))
      look()
    })`)
  const fits = () => view.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')

  test('the reference in a browser shows every operation, asks nobody else, and fits a phone', async () => {
    await view.navigate(`${url}/docs`)
    const { body } = await nines.call('GET', '/openapi.json')
    const operations = Object.values<object>({ ...body.paths, ...body.webhooks }).flatMap((one) =>
      Object.keys(one),
    ).length
    const shown = "document.querySelectorAll('.opblock').length"
    await isTrue(`${shown} >= ${operations}`)
    expect(await view.evaluate<number>(shown)).toBe(operations)
    expect(await view.evaluate('window.refused')).toEqual([])
    expect(await fits()).toBe(true)
    await view.resize(390, 900)
    await isTrue('innerWidth === 390')
    expect(await fits()).toBe(true)
    expect(complaints).toEqual([])
    const hosts = new Set(asked.filter((one) => !one.startsWith('data:')).map((one) => new URL(one).origin))
    expect([...hosts]).toEqual([url])
  })

  test('the reference in a browser opens an operation with its example and its answers', async () => {
    const slo = "document.querySelector('#operations-SLOs-createSlo')"
    await view.evaluate(`${slo}.querySelector('button').click()`)
    await isTrue(`${slo}.innerText.includes('Rate limit exceeded')`)
    const said = await view.evaluate<string>(`${slo}.innerText`)
    for (const part of ['Checkout answers', '201', 'A field is missing or wrong', '429']) expect(said).toContain(part)
    expect(said).not.toContain('No links')
    expect(await fits()).toBe(true)
    expect(await view.evaluate('window.refused')).toEqual([])
  })
})
