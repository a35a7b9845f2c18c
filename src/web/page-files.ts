import type { PageFiles } from './pack-page.ts'

/** Set by scripts/build.mjs: the executable holds the page. */
declare const BUILD_PAGE: boolean
/** Set by scripts/start.mjs for `npm run dev`: open tabs follow what changes. */
declare const DEV_PAGE: boolean

export const isDevelopment = typeof DEV_PAGE !== 'undefined'

/**
 * The page: in an executable what it holds; in a server that runs from its source what is bundled when it is first asked for,
 * and again whenever a file of it has changed.
 */
export function createPageLoader(): () => Promise<PageFiles> {
  let loading: Promise<PageFiles> | undefined
  let loadedMs = 0

  async function fromSource(): Promise<PageFiles> {
    const { changedMs, packPage } = await import('./pack-page.ts')
    const latestMs = changedMs()
    if (!loading || latestMs > loadedMs) {
      loadedMs = latestMs
      loading = packPage()
    }
    return loading
  }

  async function fromExecutable(): Promise<PageFiles> {
    return (loading ??= import('../../dist/page/embedded.ts').then(({ embeddedPage }) => embeddedPage()))
  }

  return typeof BUILD_PAGE === 'undefined' ? fromSource : fromExecutable
}
