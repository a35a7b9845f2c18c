import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { measured } from '../sli/ledger-fixtures.ts'
import { evaluated } from './evaluated.ts'
import { isWithoutBrowser, layoutShifts } from './browser.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "the first load": chromium is not installed\n')

/** Limits for the files loaded before the first click, in bytes after brotli compression. */
const max = [
  { of: /^(?!.*uplot).*\.js$/, bytes: 60_000 },
  { of: /uplot.*\.js$/, bytes: 25_000 }, // loaded with the first chart
  { of: /\.css$/, bytes: 12_000 },
  { of: /\.woff2$/, bytes: 50_000 },
]
const maxCalls = 5

describe.skipIf(isWithoutBrowser)('the first load', () => {
  const world = pageWorld({ env: { PORT: '0' } })

  const requested = (page: Page) => {
    const paths: string[] = []
    page.on('request', (request) => void paths.push(new URL(request.url()).pathname))
    return paths
  }
  const sent = async (path: string): Promise<number> => {
    const init = { headers: { 'accept-encoding': 'br' }, decompress: false }
    return (await (await fetch(`${world.url}${path}`, init)).arrayBuffer()).byteLength
  }
  /** API requests of the page, without the session refresh. */
  const calls = (paths: string[]) => paths.filter((path) => path.startsWith('/api/') && path !== '/api/v1/auth/refresh')

  test.each(['/', '/slos/1'])(
    'of %s asks little of the network, and nothing moves',
    async (address) => {
      const { nines, context, url, made, signIn } = world
      const sloId = await made({ name: 'Search answers', target: 99, time_window: '24h' })
      await measured(nines, { sloId, resolution: 3600, from: -24 * 3600, to: 0 }, { good: 995, total: 1000 })
      await evaluated(nines, sloId, { own: 99.5, budgetUsed: 50 })
      await world.page.goto(`${url}/login`)
      await signIn()
      await world.page.locator('.slo-row').first().waitFor()
      const page = await context.newPage()
      const paths = requested(page)
      await page.goto(`${url}${address}`)
      await page.getByText('Search answers').first().waitFor()
      await page.waitForLoadState('networkidle')
      expect(calls(paths).length, calls(paths).join()).toBeLessThanOrEqual(maxCalls)
      expect(await layoutShifts(page)).toEqual([])
      const assets = [...new Set(paths.filter((path) => path.startsWith('/assets/')))]
      expect(assets.length).toBeGreaterThan(max.length)
      for (const { of, bytes } of max) {
        const sizes = await Promise.all(assets.filter((path) => of.test(path)).map(sent))
        expect(
          sizes.reduce((sum, size) => sum + size, 0),
          String(of),
        ).toBeLessThanOrEqual(bytes)
      }
    },
    60_000,
  )
})
