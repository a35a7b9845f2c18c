import { link } from '../../base.ts'

/**
 * Where to go after signing in: an address of this page, or the start page for what is none. A path that begins with two
 * slashes, as `/.//evil.example` does once it is resolved, would name another host.
 */
export function nextOf(next: string | undefined): string {
  const home = link('/')
  const url = next === undefined ? null : URL.parse(next, location.origin)
  const isOurs = url?.origin === location.origin && url.pathname.startsWith(home) && !url.pathname.startsWith('//')
  return isOurs ? url.pathname + url.search : home
}
