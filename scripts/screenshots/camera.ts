import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { View } from './views.ts'

/** Browser options that make screenshots independent of earlier drawing and of the CPU. */
export const sameEachTime = [
  '--disable-partial-raster',
  '--disable-prefer-compositing-to-lcd-text',
  '--disable-skia-runtime-opts',
]

type Deps = { browser: Browser; url: string; nowMs: number }
type Theme = 'light' | 'dark'
type Picture = { width: number; height: number; theme: Theme; path: string }

/** Time without requests after which a page counts as loaded. A live update triggers a request after 200 ms. */
const quietMs = 300

const heights = new Map([
  [1280, 800],
  [390, 844],
])

/**
 * Takes screenshots that do not depend on time, place and speed: clock, time zone and language are fixed, and animations are
 * off.
 */
export function createCamera({ browser, url, nowMs }: Deps) {
  async function contextOf(as: View['as'], width: number, height: number): Promise<BrowserContext> {
    const context = await browser.newContext({
      viewport: { width, height },
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      reducedMotion: 'reduce',
      isMobile: width < 640,
      hasTouch: width < 640,
    })
    context.setDefaultTimeout(20_000)
    await context.clock.setFixedTime(nowMs)
    if (as === null) return context
    const signedIn = await context.request.post(`${url}/api/v1/auth/login`, {
      data: { email: `${as}@example.com`, password: 'correct horse' },
      headers: { 'x-nines-session': 'cookie', origin: url },
    })
    if (!signedIn.ok()) throw new Error(`${as} could not sign in: ${signedIn.status()}`)
    await context.addInitScript({ content: `localStorage.setItem('nines.session', '1')` })
    return context
  }

  async function open({ path, heading, act }: View, page: Page): Promise<() => Promise<void>> {
    const pending = new Set<unknown>()
    let lastMs = performance.now()
    const ended = (request: unknown) => {
      pending.delete(request)
      lastMs = performance.now()
    }
    page.on('request', (request) => void pending.add(request))
    page.on('requestfinished', ended)
    page.on('requestfailed', ended)
    await page.goto(`${url}${path}`)
    await page.getByRole('heading', { name: heading }).first().waitFor()
    const settled = async () => {
      const isBusy = () => pending.size > 0 || performance.now() - lastMs < quietMs
      while (isBusy() || (await page.locator('.skeleton, [aria-busy=true]').count()) > 0) await Bun.sleep(30)
      await page.evaluate('document.fonts.ready.then(() => null)')
    }
    await settled()
    await act?.(page)
    return settled
  }

  async function shoot(page: Page, settled: () => Promise<void>): Promise<Uint8Array> {
    const once = async () => {
      await settled()
      return page.screenshot({ animations: 'disabled', caret: 'hide' })
    }
    let last = await once()
    for (let tries = 0; tries < 50; tries += 1) {
      const now = await once()
      if (now.equals(last)) return now
      last = now
    }
    throw new Error(`${page.url()} does not come to rest`)
  }

  async function take(view: View, { width, height, theme, path }: Picture): Promise<void> {
    const context = await contextOf(view.as, width, height)
    const page = await context.newPage()
    await page.emulateMedia({ colorScheme: theme })
    const settled = await open(view, page)
    const taken = await shoot(page, settled)
    await context.close()
    await Bun.write(path, path.endsWith('.webp') ? await asWebp(taken) : taken)
  }

  /** Converts a PNG to WebP, a third of the size. */
  async function asWebp(png: Uint8Array): Promise<Uint8Array> {
    const page = await browser.newPage()
    const url = await page.evaluate<string>(`fetch('data:image/png;base64,${Buffer.from(png).toString('base64')}')
      .then((response) => response.blob())
      .then((blob) => createImageBitmap(blob))
      .then((image) => {
        const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
        canvas.getContext('2d').drawImage(image, 0, 0)
        return canvas.toDataURL('image/webp', 0.9)
      })`)
    await page.close()
    return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
  }

  return {
    take,

    /**
     * Takes screenshots of all views at a width, such as `overview-390-dark.png`; returns a message for each view that failed.
     */
    async takeAll(views: View[], width: number, folder: string): Promise<string[]> {
      const problems: string[] = []
      for (const view of views) {
        const height = heights.get(width) ?? 800
        const context = await contextOf(view.as, width, height)
        try {
          const page = await context.newPage()
          await page.emulateMedia({ colorScheme: 'dark' }) // so that nothing drawn at other heights remains
          const settled = await open(view, page)
          await stretch(page, settled, { width, height })
          for (const theme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme: theme })
            await Bun.write(join(folder, `${view.name}-${width}-${theme}.png`), await shoot(page, settled))
          }
        } catch (error) {
          problems.push(`${view.name}, ${width} px: ${String(error).split('\n')[0]}`)
        } finally {
          await context.close()
        }
      }
      return problems
    },
  }
}

/** Makes the window as high as the page, so that sticky elements are at their place and everything is visible. */
async function stretch(
  page: Page,
  settled: () => Promise<void>,
  size: { width: number; height: number },
): Promise<void> {
  const needed = () =>
    page.evaluate<number>(`new Promise((resolve) => {
      const measure = () => resolve(document.documentElement.scrollHeight)
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(measure)))
    })`)
  for (let last = 0, height = size.height; height !== last;) {
    last = height
    await settled()
    await page.setViewportSize({ ...size, height: await needed() })
    await page.setViewportSize(size) // everything has been drawn now, so the height is exact
    height = await needed()
    await page.setViewportSize({ ...size, height })
  }
}
