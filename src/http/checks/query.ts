/** All values a query string has for one name, each whole: where one repeats, Elysia's own reading cuts it at commas. */
export function queryValues(url: string, name: string): string[] {
  return parametersOf(url).getAll(name)
}

/** The names a query string has, each once. */
export function queryNames(url: string): string[] {
  return url.includes('?') ? [...new Set(parametersOf(url).keys())] : []
}

function parametersOf(url: string): URLSearchParams {
  const [, ...query] = url.split('?')
  return new URLSearchParams(query.join('?'))
}
