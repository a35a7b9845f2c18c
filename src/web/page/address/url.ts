/** Address with changed query parameters; null removes one. */
export function urlWith(url: string, changes: Record<string, string | null>): string {
  const [path = '', query = ''] = url.split('?')
  const values = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) values.delete(name)
    else values.set(name, value)
  }
  return values.size > 0 ? `${path}?${values}` : path
}

/** Value of a query parameter; empty if there is none. */
export function queryOf(url: string, name: string): string {
  return new URLSearchParams(url.split('?')[1] ?? '').get(name) ?? ''
}
