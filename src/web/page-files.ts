import { loadOnce } from '../concurrency/load-once.ts'
import type { PageFiles } from './pack-page.ts'

/** Set by scripts/build.mjs: the executable holds the page. */
declare const BUILD_PAGE: boolean
/** Set by scripts/start.mjs for `npm run dev`: open tabs reload after changes. */
declare const DEV_PAGE: boolean

export const isDevelopment = typeof DEV_PAGE !== 'undefined'

/**
 * Creates the loader of the page's files. An executable has them built in. A server that runs from its source bundles them at
 * the first request, and again after a file of the source has changed.
 */
export function createPageLoader(): () => Promise<PageFiles> {
  let loading: Promise<PageFiles> | undefined
  let loadedMs = 0

  async function fromSource(): Promise<PageFiles> {
    const { lastChangedMs, packPage } = await import('./pack-page.ts')
    const latestMs = lastChangedMs()
    if (!loading || latestMs > loadedMs) {
      loadedMs = latestMs
      loading = packPage()
    }
    return loading
  }

  const fromExecutable = loadOnce(async () => {
    const { embeddedPage } = await import('../../dist/page/embedded.ts')
    return embeddedPage()
  })

  return typeof BUILD_PAGE === 'undefined' ? fromSource : fromExecutable
}
