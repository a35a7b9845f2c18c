import { describe, expect, test } from 'bun:test'
import { pathsOf, routes } from '../../src/web/page/address/routes.ts'
import { writeBody, writeHeaders } from '../support/remote-write.ts'
import { drawn, fits, isWithoutBrowser, looksRight, serious } from './browser.ts'
import { withMoments } from './moments.ts'
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

  /** Something of everything that the pages list. */
  const fill = async () => {
    const { nines } = world
    await withMoments(world)
    const make = async (path: string, body: object) => {
      const { status, text } = await nines.call('POST', `/api/v1${path}`, body)
      if (status >= 300) throw new Error(`${path}: ${text}`)
    }
    await make('/embedded/heartbeats', { name: 'Nightly backup', period_seconds: 300, grace_seconds: 60 })
    const { ping_url } = (await nines.call('GET', '/api/v1/embedded/heartbeats/1')).body
    const reported = await fetch(`${world.url}${new URL(ping_url).pathname}`, { method: 'POST', body: '42 files' })
    expect(reported.status).toBe(200)
    await make('/embedded/heartbeats/key', {})
    await make('/embedded/probes', { name: 'Shop', target: 'http://127.0.0.1:9/', type: 'http' })
    const { token } = (
      await nines.call('POST', '/api/v1/auth/tokens', { name: 'sender', role: 'admin', scope: 'ingest' })
    ).body
    const series = { labels: { __name__: 'up', job: 'edge' }, samples: [[nines.clock.now(), 1] as [number, number]] }
    const headers = { ...writeHeaders[1], authorization: `Bearer ${token}` }
    const written = await fetch(`${world.url}/api/v1/write`, { method: 'POST', body: writeBody(1, [series]), headers })
    expect(written.status).toBe(204)
    await nines.app.db.write
      .insertInto('certificates')
      .values(certificateAt(nines.clock.now() / 1000))
      .execute()
    await make('/annotations', {
      kind: 'deploy',
      labels: { tier: '1' },
      version: 'v1.4.2',
      url: 'https://ci.example.com/812',
    })
    await make('/embedded/targets', { name: 'shop', url: 'http://127.0.0.1:9/metrics', interval_seconds: 30 })
    await make('/corrections', {
      labels: { tier: '1' },
      from: '2026-11-18T02:00:00Z',
      rrule: 'FREQ=WEEKLY',
      duration_seconds: 7200,
      time_zone: 'Europe/Zurich',
      category: 'planned_maintenance',
      text: 'The database moves',
    })
    await make('/reports', { interval: 'week' })
    await make('/reports/schedules', { name: 'For the board', interval: 'month' })
    await nines.app.reports.run()
  }

  test.each(names.filter((name) => !isOpen(name)))(
    'the pages of %p look right in each theme, at each width, zoomed, and in forced colours',
    async (name) => {
      const { page, url } = world
      await fill()
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

/** A certificate of the probe 1 that expires in three days. */
function certificateAt(nowSeconds: number) {
  const day = 86_400
  return {
    organization_id: 1,
    probe_id: 1,
    server: 'shop.example:443',
    fingerprint: 'a'.repeat(64),
    issuer: 'Example CA',
    names: '["shop.example"]',
    starts_at: nowSeconds - 87 * day,
    expires_at: nowSeconds + 3 * day,
    seen_at: nowSeconds,
  }
}
