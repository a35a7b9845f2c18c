/** The path under which nines is served, without a trailing slash: from PUBLIC_URL, in a `<meta>` the server writes. */
export const base = document.querySelector<HTMLMetaElement>('meta[name="base"]')?.content ?? ''

/** An address of the page from a path of it: `/slos/3` becomes `/nines/slos/3` under `/nines`. */
export function link(path: string): string {
  return `${base}${path}`
}

/**
 * Gives the address to go to after signing in: one of this page, or the start page for what is none. A path that begins with two
 * slashes, as `/.//evil.example` does once it is resolved, would name another host.
 */
export function nextOf(next: string | undefined): string {
  const home = link('/')
  const url = next === undefined ? null : URL.parse(next, location.origin)
  const isOurs = url?.origin === location.origin && url.pathname.startsWith(home) && !url.pathname.startsWith('//')
  return isOurs ? url.pathname + url.search : home
}
