import { describe, expect, test } from 'bun:test'
import { testStartMs } from '../support/app.ts'
import { isWithoutBrowser, looksRight } from './browser.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "the editor": chromium is not installed\n')

const code = '**/assets/code-editor-*.js'

describe.skipIf(isWithoutBrowser)('the editor', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded', PORT: '0' } })
  const field = () => world.page.getByRole('textbox', { name: 'Query A' })
  const open = async (address: string) => {
    world.nines.app.samples.append(1, Object.entries({ __name__: 'up', job: 'shop' }), testStartMs - 5000, 1)
    await world.page.goto(`${world.url}${address}`)
    await world.signIn()
    await field().waitFor()
  }

  test('the editor is a plain field where its code cannot be loaded, and runs', async () => {
    const { page, net } = world
    net.expected.add(/^GET \/assets\/code-editor-[\w-]+\.js net::ERR_FAILED$/)
    await page.route(code, (route) => route.abort())
    await open('/explore?view=table')
    await field().fill('up')
    await field().press('Control+Enter')
    await page.getByRole('rowheader').filter({ hasText: 'up{job="shop"}' }).waitFor()
    expect(await page.locator('textarea').inputValue()).toBe('up')
    expect(new URL(page.url()).searchParams.get('q')).toBe('up')
    await looksRight(page)
  })

  test('the editor takes over text, focus and caret of what was typed before its code was there', async () => {
    const { page } = world
    let arrive = () => {}
    const allowed = new Promise<void>((resolve) => (arrive = resolve))
    await page.route(code, async (route) => {
      await allowed
      await route.continue()
    })
    await open('/explore')
    await field().click()
    await page.keyboard.type('vector(1)')
    await page.keyboard.press('ArrowLeft')
    arrive()
    await page.locator('.cm-focused').waitFor()
    await page.keyboard.type('0')
    expect(await field().innerText()).toBe('vector(10)')
    await page.keyboard.press('Control+z')
    expect(await field().innerText()).toBe('vector(1)')
  })

  test('the editor shows another text that it is given, and keeps the caret where that is the same', async () => {
    const { page } = world
    await open('/explore?q=up')
    await page.locator('.cm-content').click()
    await page.keyboard.press('Home')
    await page.keyboard.type('-')
    // the URL now contains the text, and restores it
    await page.keyboard.press('Control+Enter')
    await page.keyboard.type('1 * ', { delay: 20 })
    expect(await field().innerText()).toBe('-1 * up')
    await page.goBack()
    await field().getByText(/^up$/).waitFor()
    expect(await field().innerText()).toBe('up')
  })

  test('text over a selection replaces it, and a bracket goes around it', async () => {
    const { page } = world
    await open('/explore?q=abs(up)')
    await page.locator('.cm-content').click()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('(')
    expect(await field().innerText()).toBe('(abs(up))')
    await page.keyboard.type('x')
    expect(await field().innerText()).toBe('(x)')
  })
})
