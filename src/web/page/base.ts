/** The path under which nines is served, without a trailing slash: from PUBLIC_URL, in a `<meta>` the server writes. */
export const base = document.querySelector<HTMLMetaElement>('meta[name="base"]')?.content ?? ''

/** An address of the page from a path of it: `/slos/3` becomes `/nines/slos/3` under `/nines`. */
export function link(path: string): string {
  return `${base}${path}`
}
