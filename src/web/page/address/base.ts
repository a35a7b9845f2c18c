/** Path under which nines is served, without a trailing slash; the server writes it into a `<meta>`, from PUBLIC_URL. */
export const base = document.querySelector<HTMLMetaElement>('meta[name="base"]')?.content ?? ''

/** Address of a path of the page: `/slos/3` becomes `/nines/slos/3` under `/nines`. */
export function link(path: string): string {
  return `${base}${path}`
}

/**
 * Address to open after signing in: `next` if it belongs to this page, otherwise the start page. A path that begins with two
 * slashes, as `/.//evil.example` does once it is resolved, would name another host.
 */
export function nextOf(next: string | undefined): string {
  const home = link('/')
  const url = next === undefined ? null : URL.parse(next, location.origin)
  const isOurs = url?.origin === location.origin && url.pathname.startsWith(home) && !url.pathname.startsWith('//')
  return isOurs ? url.pathname + url.search : home
}
