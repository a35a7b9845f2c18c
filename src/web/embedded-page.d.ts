/** Written by scripts/embed-page.ts before an executable is built. */
declare module '*/page/embedded.ts' {
  import type { PageFiles } from './web/pack-page.ts'
  export function embeddedPage(): Promise<PageFiles>
}
