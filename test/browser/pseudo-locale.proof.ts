import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { drawn, fits, isWithoutBrowser } from './browser.ts'
import { fill } from './filled.ts'
import { moments } from './moments.ts'
import { inPseudoLocale, pseudo, unreadable } from './pseudo-locale.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "the pseudo-locale": chromium is not installed\n')

/** Folder for a screenshot of each address and of what opens there; unset: none are taken. */
const shots = process.env['PSEUDO_SHOTS']

/** Addresses, each with buttons and summaries that open something there, by the beginnings of their names. */
const addresses: Record<string, readonly string[]> = {
  '/': ['Theme', 'ada', 'Sort', 'More for', 'Search or jump'],
  '/?compact=1': ['Select SLOs'],
  '/slos/1': ['Silence', 'More', 'Budget left: how?', 'still failing', 'Show as table', 'What if the target'],
  '/slos/5': [],
  '/slos/7': [],
  '/slos/1/alerting': ['Acknowledge'],
  '/slos/1/definition': [],
  '/slos/1/activity': [],
  '/slos/1/edit': ['When it alerts'],
  '/slos/new': [],
  '/incidents': ['Silence…', 'Severity'],
  '/incidents?state=closed': [],
  '/incidents?view=alerts': [],
  '/incidents/1': ['Close…', 'Write an account'],
  '/notify/channels': ['New channel', 'More of'],
  '/notify/channels?new=slack': [],
  '/notify/rules': [],
  '/notify/rules?new=1': [],
  '/notify/templates': ['Placeholders'],
  '/notify/history': [],
  '/notify/silences': ['Silence…'],
  '/collect/sources': ['More of'],
  '/collect/sources?new': [],
  '/collect/probes?new': ['Conditions on the answer'],
  '/collect/heartbeats?id=1': [],
  '/collect/targets': [],
  '/collect/senders': [],
  '/collect/storage': [],
  '/explore?q=up': [],
  '/explore?q=up&view=table': [],
  '/deploys': [],
  '/corrections?new': [],
  '/reports': [],
  '/settings': [],
  '/settings/security': [],
  '/settings/people': [],
  '/settings/applications': [],
  '/settings/audit': [],
  '/settings/system': [],
}
const open = ['/login', '/register', '/forgotten-password', '/reset-password?token=abc', '/confirm-email?token=abc']

describe.skipIf(isWithoutBrowser)('the pseudo-locale', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded', REGISTRATION: 'open' } })

  /** Fails if the page scrolls sideways at this width, or a text cannot be read. */
  const isReadable = async (width: number, at: string) => {
    const { page } = world
    await page.setViewportSize({ width, height: 844 })
    await fits(page, [width])
    await drawn(page)
    expect({ at, width, unreadable: await unreadable(page) }).toEqual({ at, width, unreadable: [] })
    const file = `${at.replaceAll(/\W+/g, '-')}-${width}.png`
    if (shots) await page.screenshot({ path: join(shots, file), fullPage: true })
  }

  const visited = async (address: string) => {
    const { page, url } = world
    await page.goto(`${url}${address}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
  }

  const opener = (name: string) => {
    const { page } = world
    return page
      .getByRole('button', { name })
      .or(page.locator('summary', { hasText: name }))
      .first()
  }

  test('texts that are longer than those of English can be read on each page, and in what opens there', async () => {
    const { page, url } = world
    await fill(world)
    await page.goto(url)
    await world.signIn()
    await inPseudoLocale(world.context, ['ada', 'nines', ...moments.map(({ name }) => name)])
    for (const [address, buttons] of Object.entries(addresses)) {
      await visited(address)
      await isReadable(1280, address)
      await isReadable(390, address)
      for (const name of buttons) {
        await opener(await pseudo(page, name)).click()
        await isReadable(390, `${address} ${name}`)
        await page.keyboard.press('Escape')
      }
    }
  })

  test('they can be read on the pages that need no session', async () => {
    await inPseudoLocale(world.context, ['nines'])
    for (const address of open) {
      await visited(address)
      await isReadable(390, address)
    }
  })
})
