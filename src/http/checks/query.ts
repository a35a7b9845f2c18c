/** All values of a query parameter, unchanged. Elysia splits the values of a repeated parameter at commas. */
export function queryValues(url: string, name: string): string[] {
  return parametersOf(url).getAll(name)
}

/** Distinct parameter names of a query string. */
export function queryNames(url: string): string[] {
  return url.includes('?') ? [...new Set(parametersOf(url).keys())] : []
}

function parametersOf(url: string): URLSearchParams {
  const [, ...query] = url.split('?')
  return new URLSearchParams(query.join('?'))
}
