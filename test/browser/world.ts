import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Options, type TestApp, testApp } from '../support/app.ts'
import { checkout } from '../support/slo-calls.ts'
import { isWithoutBrowser, launchBrowser, type Net, watchContext } from './browser.ts'
import { signInElsewhere } from './visit.ts'

/** Created anew for each test of a file: a nines with a socket, Ada's account, and a page in a new browser context. */
export type World = {
  browser: Browser
  nines: TestApp
  url: string
  context: BrowserContext
  net: Net
  page: Page
  /** Signs Ada in on the page, as her signing in with the form of another tab does. */
  signIn(of?: Page): Promise<void>
  /** Creates an SLO and returns its id. */
  made(change: object): Promise<number>
}

/**
 * The world of a file of browser tests, created before each test and closed after it. A test fails if the net recorded a
 * problem. `isFirstStart`: no account exists yet. Must be called in a `describe.skipIf(isWithoutBrowser)`.
 */
export function pageWorld({ isFirstStart = false, ...options }: Options & { isFirstStart?: boolean } = {}): World {
  const world = {
    signIn: (of = world.page) => signInElsewhere(of, 'ada'),
    async made(change) {
      return (await world.nines.call('POST', '/api/v1/slos', { ...checkout, ...change })).body.id
    },
  } as World

  beforeAll(async () => {
    if (!isWithoutBrowser) world.browser = await launchBrowser()
  }, 60_000)
  afterAll(() => world.browser?.close())
  beforeEach(async () => {
    world.nines = await testApp(options)
    world.url = world.nines.listen()
    if (!isFirstStart) await world.nines.join('ada')
    world.context = await world.browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
    })
    await world.context.clock.setSystemTime(world.nines.clock.now())
    world.net = await watchContext(world.context, world.url)
    world.page = await world.context.newPage()
    world.context.setDefaultTimeout(20_000)
  })
  afterEach(async () => {
    await world.context.close()
    await world.nines.close()
    expect(world.net.problems).toEqual([])
  })
  return world
}
