/** All values a query string has for one name, each whole: where one repeats, Elysia's own reading cuts it at commas. */
export function queryValues(url: string, name: string): string[] {
  const [, ...query] = url.split('?')
  return new URLSearchParams(query.join('?')).getAll(name)
}
