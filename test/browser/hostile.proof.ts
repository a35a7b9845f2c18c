import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { jsonType } from '../support/canned-answers.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { evaluated } from './evaluated.ts'
import { fits, isWithoutBrowser, looksRight, titled } from './browser.ts'
import { pageWorld, type World } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "hostile texts": chromium is not installed\n')

const markup = '<img src=x onerror=alert(1)><script>alert(2)</script>"\'&amp;<svg/onload=alert(3)>'

/** Names of up to 200 characters, as the API accepts them. */
const names = [
  ['markup', markup],
  ['one word without end', 'x'.repeat(200)],
  [
    'right to left, and an order that is never taken back',
    '\u202e\u05e9\u05dc\u05d5\u05dd gnp.exe \u0645\u0631\u062d\u0628\u0627 \u2067',
  ],
  ['emoji', '👩‍👩‍👧‍👦'.repeat(18)],
  ['nothing to be seen between the letters', `a${'\u200b\u200d\ufeff'.repeat(60)}b`],
] as const

describe.skipIf(isWithoutBrowser)('hostile texts', () => {
  let source: Receiver
  const world = pageWorld()
  beforeEach(() => {
    const error = `${markup} ${'y'.repeat(500)}`
    source = startReceiver(() =>
      Response.json({ status: 'error', errorType: 'bad_data', error }, { status: 422, headers: jsonType }),
    )
  })
  afterEach(() => source.close())

  const hostile = async (text: string) => {
    const team = await world.nines.call('POST', '/api/v1/organization/teams', { name: text })
    const fields = { name: text, description: text.repeat(3), team_id: team.body.id, labels: { tier: text } }
    const sloId = await world.made({ ...fields, target: 99, time_window: '24h' })
    await evaluated(world.nines, sloId, { own: 97, budgetUsed: 300, status: 'critical' })
    return { sloId, ...fields }
  }

  test('stay text in the rows, menus and groups of the overview', async () => {
    const { page, url } = world
    for (const [, text] of names) await hostile(text)
    await page.goto(`${url}/`)
    await world.signIn()
    await page.locator('.slo-name a').first().waitFor()
    const texts = names.map(([, text]) => text).toSorted()
    expect((await page.locator('.slo-name a').allTextContents()).toSorted()).toEqual(texts)
    await looksRight(page)
    await page.getByRole('button', { name: 'Team' }).click()
    await page.getByRole('menuitemcheckbox', { name: markup }).click()
    await page.keyboard.press('Escape')
    await page.goto(`${page.url()}&group=team`)
    await page.locator('.slo-row').waitFor()
    expect(await page.locator('.slo-name a').count()).toBe(1)
    await page.goto(`${url}/?group=label:tier`)
    await page
      .locator('tr.group')
      .nth(names.length - 1)
      .waitFor()
    await looksRight(page)
    await expectInert(world)
  })

  test.each(names)('stay text on the page of an SLO: %s', async (_, text) => {
    const { page, url } = world
    const { sloId, description } = await hostile(text)
    await page.goto(`${url}/slos/${sloId}`)
    await world.signIn()
    await titled(page, `${text} · nines`)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(text)
    expect(await page.locator('.sentence').textContent()).toContain(description)
    await fits(page)
    await page.locator('a.label').click()
    await page.locator('.slo-name a').waitFor()
    expect(new URL(page.url()).searchParams.get('label')).toBe(`tier=${text}`)
    await expectInert(world)
  })

  test('stay text as what a source answers, and as what was typed', async () => {
    const { page, net, nines, url } = world
    const added = await nines.call('POST', '/api/v1/tsdb/sources', {
      name: 'shop',
      api_url: source.url,
      is_default: true,
    })
    expect(added.status).toBe(201)
    await world.made({ name: 'Search answers', force: true })
    await nines.app.evaluator.evaluateAll()
    await page.goto(`${url}/`)
    await world.signIn()
    await page.locator(`.state [title*='${markup.slice(0, 9)}']`).waitFor()
    await looksRight(page)
    await page.getByRole('link', { name: 'Search answers' }).click()
    await page.getByRole('heading', { name: 'Search answers' }).waitFor()
    await page.getByText(markup).first().waitFor()
    await looksRight(page)
    await page.goto(`${url}/?q=${encodeURIComponent(markup)}&state=${encodeURIComponent(markup)}&sort=constructor`)
    await page.getByText('No SLO is like that.').waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe(markup)
    net.expected.add(/ 40[04]$/)
    await page.goto(`${url}/slos/1?from=${encodeURIComponent(markup)}&to=-1`)
    await page.getByRole('heading', { name: 'Search answers' }).waitFor()
    await expectInert(world)
  })
})

/** Checks that no text became an element. The net would report a script that ran. */
async function expectInert({ page }: World): Promise<void> {
  expect(await page.locator('img, script:not([src]), [onerror], [onload]').count()).toBe(0)
}
