import type { PageFiles } from './pack-page.ts'

/** Set by scripts/build.mjs: the executable holds the page. */
declare const BUILD_PAGE: boolean

/**
 * The page that the executable holds. A server that runs from its source has none: the page is then bundled when it is first
 * asked for, and with `isDevelopment` again whenever a file of it has changed.
 */
export async function loadPageFiles(): Promise<PageFiles> {
  if (typeof BUILD_PAGE !== 'undefined') return (await import('../../dist/page/embedded.ts')).embeddedPage()
  return (await import('./pack-page.ts')).packPage()
}
