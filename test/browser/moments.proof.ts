import { describe, expect, test } from 'bun:test'
import { drawn, fits, isWithoutBrowser, serious, seriousInThemes, titledExactly } from './browser.ts'
import { evaluated } from './evaluated.ts'
import { withMoments } from './moments.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "the moment on the page": chromium is not installed\n')

const sizes = [
  { width: 1280, height: 900 },
  { width: 390, height: 800 },
]

const objective = '99.9 % of 30 d'

const iconColors = { critical: '#dc3048', warning: '#ad6a00' }

/** Rows of the overview as they are read; times of day are those of UTC. */
const rows = [
  `Down 8 min HTTP 503, expected 2xx My site answers Default 99.981 % ${objective} 8 of 43 min used gone in 35 min Burning 1,000×`,
  `Burning 171× since 09:54 Checkout answers Default, tier=1 99.928 % ${objective} 72 % used gone in 1 h 11 min 15× over 1 h`,
  `No answer since 09:31 was down Nightly job with a name that is rather too long for the column of names in which it stands Default 99.931 % ${objective} 69 % used`,
  `Burning 3.2× since 05:00 Search within 500 ms Default 99.928 % ${objective} 72 % used lasts 12 d 18 h 4.0× over 1 d`,
  `Up again for 4 min Orders answer Default 99.972 % ${objective} 12 of 43 min used Steady`,
  `Budget spent The old forum answers Default 66.667 % ${objective} used over 10 times Steady 0.3×`,
  `Budget spent Payments work Default 99.667 % ${objective} used 3.3 times over Steady`,
  `No traffic since 08:50 Reports are made Default 100.000 % ${objective} 0 % used`,
  `First figures soon Fresh one Default – ${objective} –`,
  `On track Login answers Default 99.976 % ${objective} 24 % used Steady 0.1×`,
  `On track Help pages answer Default 100.000 % ${objective} 0 of 43 min used Steady`,
]

const sentences = [
  'Down since 09:52 (8 min): HTTP 503, expected 2xx. 8 of the 43 min that 30 days allow are used; the rest is gone in 35 min. ntfy and mail were notified at 09:52:20. Incident',
  'Burning 171 times too fast since 09:54. 28 % of the budget is left, 1 h 11 min at this rate. Nobody was notified: no rule sends this to ntfy and mail. Notify for this one Incident',
  'Burning 3.2 times too fast since 05:00. 28 % of the budget is left, 12 d 18 h at the rate of the last day. Nobody was notified: no rule sends this to ntfy and mail. Notify for this one Incident',
  'Up again for 4 min. The outage of 12 min used 28 % of the budget; 31 of 43 min are left until Mon 21 Dec gives 28 % back. Incident',
  'The budget is spent (used 3.3 times over): 17 d 14 h until some comes back.',
  'The budget is spent (used over 10 times): 19 d 14 h until some comes back.',
  'No answer since 09:31; it was down before. 31 % of the budget was left then. Incident',
  'No traffic since 08:50. 100 % of the budget was left then.',
  'On track: 76 % of the budget is left, and at the rate of the last day it lasts.',
  'On track: nothing of the budget is used.',
  'Measuring since 10:00: the first figures come within a minute or two.',
]

describe.skipIf(isWithoutBrowser)('the moment on the page', () => {
  const world = pageWorld()
  const text = (of: string) => of.replaceAll(/\s+/g, ' ').trim()

  test('the overview says of each SLO how it is now, what is used and how long the rest lasts', async () => {
    const { page, context, nines, url } = world
    await context.clock.setFixedTime(nines.clock.now())
    await withMoments(world)
    await page.goto(`${url}/`)
    await world.signIn()
    await page.locator('.slo-row').first().waitFor()
    await drawn(page)
    const found = (await page.locator('.slo-row').allInnerTexts()).map(text)
    expect(found).toEqual(rows)
    for (const size of sizes) {
      await page.setViewportSize(size)
      expect(await seriousInThemes(page)).toEqual([])
    }
    await fits(page)
  })

  test('the page of an SLO begins with one sentence that is true now', async () => {
    const { page, context, nines, url } = world
    await context.clock.setFixedTime(nines.clock.now())
    const ids = await withMoments(world)
    await page.goto(`${url}/`)
    await world.signIn()
    const found: string[] = []
    for (const id of ids.values()) {
      await page.goto(`${url}/slos/${id}`)
      await page.locator('.now span').waitFor()
      await page.waitForLoadState('networkidle')
      found.push(text(await page.locator('.now').innerText()))
      await fits(page)
      expect(await serious(page)).toEqual([])
    }
    expect(found).toEqual(sentences)
  })

  /** Opens the page of the SLO that burns fast. */
  const openBurning = async () => {
    const { page, context, nines, url } = world
    await context.clock.setFixedTime(nines.clock.now())
    const ids = await withMoments(world)
    await page.goto(`${url}/slos/${ids.get('Checkout answers')}`)
    await world.signIn()
    await page.getByText('Nobody was notified').waitFor()
    await page.locator('.budget-and-incidents canvas').waitFor()
  }

  test('the sentence leads to the incident, and where nobody was notified to what mends that', async () => {
    const { page } = world
    await openBurning()
    await page.getByText(/over 1.h to 10:00, alerts above 14\.4×$/).waitFor()
    await page.getByRole('link', { name: 'Notify for this one' }).click()
    await page.getByRole('heading', { name: 'Who is notified' }).waitFor()
    await page.locator('.now').getByRole('link', { name: 'Incident' }).click()
    await page.getByRole('heading', { level: 1, name: 'Incident: Checkout answers' }).waitFor()
    await fits(page, [640])
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Incidents' }).click()
    await page.getByRole('table', { name: 'Open incidents' }).waitFor()
    await fits(page, [1280, 1000, 640])
  })

  test('a printed page has its chart, and no tabs, buttons or links', async () => {
    const { page } = world
    await openBurning()
    await page.emulateMedia({ media: 'print' })
    const shown = (selector: string) => page.locator(`${selector}:visible`).count()
    expect(await shown('.budget-and-incidents canvas')).toBe(1)
    for (const selector of ['.views', '.tabs', '.ranges', '.button', '.now a', '.side', '.top', '.unseen']) {
      expect([selector, await shown(selector)]).toEqual([selector, 0])
    }
  })

  test('with forced colours the chosen chart and range differ from the others', async () => {
    const { page } = world
    await openBurning()
    await page.emulateMedia({ forcedColors: 'active' })
    const outlineOf = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).outlineStyle`)
    for (const [chosen, other] of [
      ['.tabs [aria-selected=true]', '.tabs [aria-selected=false]'],
      ['.ranges [aria-pressed=true]', '.ranges [aria-pressed=false]'],
    ] as const) {
      expect([await outlineOf(chosen), await outlineOf(other)]).toEqual(['solid', 'none'])
    }
    await fits(page, [640])
  })

  test('title and icon say how many SLOs fail, also of a tab in the background', async () => {
    const { page, nines, url } = world
    await page.addInitScript({ content: "Object.defineProperty(Document.prototype, 'hidden', { get: () => true })" })
    const id = await world.made({ name: 'My site answers' })
    const incidents = nines.app.db.write
    const nowSeconds = nines.clock.now() / 1000
    const becomes = async (change: {
      state: 'ok' | 'down' | 'burning'
      sinceSecondsAgo: number
      stateReason?: string
    }) => {
      const { state } = change
      await evaluated(nines, id, { own: 99.9, budgetUsed: 10, ...change })
      const times = { began_at: nowSeconds - 480, opened_at: nowSeconds - 470, since: nowSeconds - 480 }
      const about = { id: 1, organization_id: 1, slo_id: id, severity: 'critical', ...times, relapses: 0 } as const
      if (state === 'down')
        await incidents
          .insertInto('incidents')
          .values({ ...about, state })
          .execute()
      const next =
        state === 'ok' ? ({ state: 'closed', closed_at: nowSeconds, close_reason: 'recovered' } as const) : { state }
      await incidents.updateTable('incidents').set(next).execute()
      nines.app.feed.evaluated([{ sloId: id, evaluatedAtMs: nines.clock.now() }])
    }
    const icon = async () => decodeURIComponent((await page.locator('link[rel=icon]').getAttribute('href')) ?? '')
    const iconBecomes = async (fits: (href: string) => boolean) => {
      const endsMs = performance.now() + 20_000
      while (!fits(await icon()) && performance.now() < endsMs) await Bun.sleep(50)
      expect(fits(await icon())).toBe(true)
    }
    await becomes({ state: 'ok', sinceSecondsAgo: 60 })
    await page.goto(`${url}/incidents`)
    const connected = page.waitForEvent('websocket').then((socket) => socket.waitForEvent('framereceived'))
    await world.signIn()
    await connected
    await titledExactly(page, 'Incidents · nines')
    const usual = await icon()
    expect(usual).toStartWith('data:image/svg+xml,<svg')
    await becomes({ state: 'down', sinceSecondsAgo: 480, stateReason: 'HTTP 503' })
    await titledExactly(page, '(1) Incidents · nines')
    await iconBecomes((href) => href.includes(iconColors.critical))
    await page.goto(`${url}/slos/${id}`)
    await titledExactly(page, 'Down 8 min · My site answers · nines')
    await becomes({ state: 'burning', sinceSecondsAgo: 60 })
    await titledExactly(page, 'Burning · My site answers · nines')
    await iconBecomes((href) => href.includes(iconColors.warning))
    await becomes({ state: 'ok', sinceSecondsAgo: 60 })
    await titledExactly(page, 'My site answers · nines')
    await iconBecomes((href) => href === usual)
  })
})
