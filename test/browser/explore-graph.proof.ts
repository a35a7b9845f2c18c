import { describe, expect, test } from 'bun:test'
import { testStartMs } from '../support/app.ts'
import { isWithoutBrowser, looksRight } from './browser.ts'
import { addressOf } from './explored.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "graphs of Explore": chromium is not installed\n')

const byCode = 'sum by (code) (rate(shop_requests_total[5m]))'

describe.skipIf(isWithoutBrowser)('graphs of Explore', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded', PORT: '0' } })

  const open = async (address: string) => {
    await world.page.goto(`${world.url}${address}`)
    await world.signIn()
    await legend().first().waitFor()
  }
  const legend = () => world.page.getByRole('region', { name: 'Legend' }).locator('tbody tr')
  const names = async () => (await legend().locator('code').allInnerTexts()).join(' ')
  /** The drawn chart; it is drawn shortly after its legend is there. */
  const picture = async (): Promise<string> => {
    await world.page.locator('canvas').first().waitFor()
    const found = await world.page.evaluate<string | null>(`document.querySelector('canvas')?.toDataURL() ?? null`)
    return found ?? picture()
  }
  const address = () => new URL(world.page.url()).searchParams
  /** Stores an hour of requests by status code, and as many gauges as told. */
  const addSamples = ({ gauges = 0 } = {}) => {
    for (let minute = -60; minute <= 0; minute++) {
      const add = (labels: Record<string, string>, value: number) =>
        world.nines.app.samples.append(1, Object.entries(labels), testStartMs + minute * 60_000 - 5000, value)
      for (const [code, each] of [
        ['200', 600],
        ['404', 60],
        ['503', 6],
      ] as const) {
        add({ __name__: 'shop_requests_total', code, job: 'shop' }, each * (minute + 60))
      }
      for (let n = 1; n <= gauges; n++) add({ __name__: 'memory_bytes', n: String(n) }, n * 1_048_576)
    }
  }

  test('by keyboard: stacked, in a unit, sorted, and one series alone; the address has what a link needs', async () => {
    addSamples()
    const { page } = world
    await open(addressOf([byCode]))
    await page.getByRole('option', { name: 'Unit: per second' }).waitFor({ state: 'attached' })
    expect(await legend().first().innerText()).toContain('/s')
    await page.getByRole('button', { name: 'Stacked' }).press('Enter')
    await page.getByRole('button', { name: 'Stacked', pressed: true }).waitFor()
    const before = await picture()
    await page.getByLabel('Unit of A').selectOption('Ratio as percent')
    await legend().first().getByText('%').first().waitFor()
    while ((await picture()) === before) await Bun.sleep(20) // the axis has the unit too
    expect(Object.fromEntries(address())).toEqual({ q: byCode, stacked: 'A', unit: 'A.ratio' })
    await looksRight(page)

    expect(await names()).toBe('{code="200"} {code="404"} {code="503"}')
    await page.getByRole('button', { name: 'Max' }).press('Enter')
    await page.getByRole('button', { name: 'Max' }).press('Enter')
    await page.getByRole('columnheader', { name: 'Max' }).and(page.locator('[aria-sort=ascending]')).waitFor()
    expect(await names()).toBe('{code="503"} {code="404"} {code="200"}')
    const alone = page.getByRole('button', { name: 'Only {code="404"}' })
    await alone.press('Enter')
    await page.locator('.explore-legend tr.off').first().waitFor()
    expect(await page.locator('.explore-legend tr.off').count()).toBe(2)
    await page.getByRole('application').focus()
    await page.keyboard.press('End')
    await page.locator('.plot-below').getByText('404').waitFor()
    expect(await page.locator('.plot-below').innerText()).not.toContain('200')
    await page.evaluate(`document.querySelector('.plot canvas').className = 'before'`)
    await page.evaluate(`document.documentElement.dataset.theme = 'dark'`) // the chart is drawn in its colours
    await page.locator('.plot canvas:not(.before)').waitFor()
    expect(await page.locator('.plot-below').innerText()).toContain('404')
    await alone.press('Enter')
    await page.locator('.explore-legend tr.off').first().waitFor({ state: 'detached' })

    await page.reload()
    await page.getByRole('button', { name: 'Stacked', pressed: true }).waitFor()
    await legend().first().getByText('%').first().waitFor()
  })

  test('a drag zooms; a click, and Back of the browser, lead to the range before', async () => {
    addSamples()
    const { page } = world
    await open(addressOf([byCode]))
    const drag = async (from: number, to: number) => {
      await page.locator('.explore-result:not(.is-read-again) canvas').waitFor()
      const box = await page.getByRole('application').boundingBox()
      if (!box) throw new Error('no chart')
      const [axis, margin] = [56, 20]
      const x = (share: number) => box.x + axis + (box.width - axis - margin) * share
      await page.mouse.move(x(from), box.y + 80)
      await page.mouse.down()
      await page.mouse.move(x(to), box.y + 80, { steps: 5 })
      await page.mouse.up()
    }
    const seconds = () => (Number(address().get('to')) - Number(address().get('from'))) / 1000
    await drag(0.25, 0.75)
    await page.getByRole('button', { name: 'Back to 1 h' }).waitFor()
    const first = seconds()
    expect(first).toBeWithin(1700, 1900)
    await drag(0.5, 0.75)
    await page.getByRole('button', { name: /^Back to \d\d.min/ }).waitFor()
    expect(seconds()).toBeWithin(400, 500)
    await looksRight(page)
    await page.getByRole('button', { name: /^Back to \d\d.min/ }).click()
    await page.getByRole('button', { name: 'Back to 1 h' }).waitFor()
    expect(seconds()).toBe(first)
    await page.goBack()
    await page.getByRole('button', { name: /^Back to \d\d.min/ }).waitFor({ state: 'detached' })
    expect(seconds()).toBeWithin(400, 500)
    await page.goBack()
    await page.goBack()
    await page.getByRole('button', { name: '1 h', pressed: true }).waitFor()
    expect(await page.getByRole('button', { name: /^Back to/ }).count()).toBe(0)
  })

  test('a label of a series narrows the query, and leads to a new SLO in which it is what fails', async () => {
    addSamples()
    const { page } = world
    await open(addressOf([byCode]))
    const label = page.getByRole('button', { name: 'code="503"', exact: true })
    await label.press('Enter')
    const steps = page.getByRole('list', { name: 'Steps from code' })
    await steps.waitFor()
    await looksRight(page)
    await page.keyboard.press('Escape')
    await steps.waitFor({ state: 'detached' })
    expect(await label.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true)
    await label.press('Enter')
    await steps.getByRole('button', { name: 'Without code="503"' }).press('Enter')
    await page.getByRole('button', { name: 'code="503"', exact: true }).waitFor({ state: 'detached' })
    const without = 'sum by (code) (rate(shop_requests_total{code!="503"}[5m]))'
    expect(address().get('q')).toBe(without)
    expect(await page.getByRole('textbox', { name: 'Query A' }).innerText()).toBe(without)
    await page.goBack()
    await label.waitFor()
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    await page.getByRole('button', { name: 'code="503"', exact: true }).press('Enter')
    await looksRight(page)
    await page.getByRole('link', { name: 'New SLO: code=~"5.." as bad' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'New SLO' }).waitFor()
    await page.getByRole('textbox', { name: 'Bad events' }).getByText('code=~"5.."').waitFor()
    expect(await page.getByRole('textbox', { name: 'Bad events' }).innerText()).toBe(
      'sum(rate(shop_requests_total{code=~"5.."}[5m]))',
    )
    expect(await page.getByRole('textbox', { name: 'All events' }).innerText()).toBe(
      'sum(rate(shop_requests_total[5m]))',
    )
    expect(await page.getByRole('radio', { name: 'Requests succeed' }).isChecked()).toBe(true)
  })

  test('of more than eight series the highest are drawn, and others can be chosen', async () => {
    addSamples({ gauges: 31 })
    const { page } = world
    await open(addressOf(['memory_bytes']))
    await page.getByText('8 of 31 shown').waitFor()
    await page.getByRole('option', { name: 'Unit: bytes', exact: true }).waitFor({ state: 'attached' })
    expect(await legend().first().innerText()).toContain('31\u2009MiB')
    const draw = (n: number) => page.getByRole('checkbox', { name: `Draw memory_bytes{n="${n}"}` })
    expect(await draw(24).isChecked()).toBe(true)
    expect(await draw(23).isChecked()).toBe(false)
    await draw(1).press('Space')
    await page.getByText('9 of 31 shown').waitFor()
    await draw(31).press('Space')
    await page.getByText('8 of 31 shown').waitFor()
    await page.getByRole('button', { name: 'All 31' }).click()
    await page.getByText('31 of 31 shown').waitFor()
    await looksRight(page)
    await page.getByRole('button', { name: 'First 8' }).click()
    await page.getByText('8 of 31 shown').waitFor()
  })
})
