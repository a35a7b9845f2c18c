import { describe, expect, test } from 'bun:test'
import { pathsOf, routes } from '../../src/web/page/address/routes.ts'
import { drawn, fits, isWithoutBrowser, looksRight, serious } from './browser.ts'
import { fill } from './filled.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "the page map": chromium is not installed\n')

type Name = keyof typeof routes

/** Addresses of a section beside those of its views: what it shows of one thing, and its forms. */
const others: Partial<Record<Name, readonly string[]>> = {
  collect: [
    '/collect/sources?new',
    '/collect/probes?new',
    '/collect/heartbeats?new',
    '/collect/heartbeats?id=1',
    '/collect/targets?new',
  ],
  deploys: ['/deploys?new', '/deploys?kind=note'],
  corrections: ['/corrections?new'],
  reports: ['/reports?new'],
  explore: ['/explore?q=up&view=table'],
  incidents: ['/incidents?state=closed', '/incidents?view=alerts'],
  notify: ['/notify/channels?new=slack', '/notify/rules?new=1'],
  settings: ['/settings/system?whats-new'],
  overview: ['/?compact=1', '/?q=nothing'],
}
const withToken: ReadonlySet<Name> = new Set(['reset', 'confirm'])

const pathsOfSection = (name: Name) =>
  [...pathsOf(routes[name]), ...(others[name] ?? [])].map((path) => path.replace(':id', '1'))
const isOpen = (name: Name) => 'access' in routes[name] && routes[name].access === 'open'
const names = Object.keys(routes) as Name[]

/** The list of alerts leads to the incidents; the demo runs elsewhere. */
const isShown = (path: string) => path !== '/alerts' && path !== '/demo-login'

describe.skipIf(isWithoutBrowser)('the page map', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded', REGISTRATION: 'open' } })

  /** Fails as `looksRight` does, and also at 200 % zoom of a desk and in forced colours. */
  const looksRightEverywhere = async (path: string) => {
    const { page, url } = world
    await page.goto(`${url}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    await looksRight(page)
    await fits(page, [640])
    await page.emulateMedia({ forcedColors: 'active' })
    await drawn(page)
    expect({ path, forcedColours: await serious(page) }).toEqual({ path, forcedColours: [] })
    await page.emulateMedia({ forcedColors: 'none' })
  }

  test.each(names.filter((name) => !isOpen(name)))(
    'the pages of %p look right in each theme, at each width, zoomed, and in forced colours',
    async (name) => {
      const { page, url } = world
      await fill(world)
      await page.goto(`${url}/`)
      await world.signIn()
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      for (const path of pathsOfSection(name).filter(isShown)) await looksRightEverywhere(path)
    },
  )

  test('the pages that need no session look right there, too', async () => {
    for (const name of names.filter(isOpen)) {
      for (const path of pathsOfSection(name).filter(isShown)) {
        await looksRightEverywhere(withToken.has(name) ? `${path}?token=abc` : path)
      }
    }
  })
})
