/** The requests of a service per second; `matcher` narrows them down. */
export function requestsQuery(service: string, range: string, matcher = ''): string {
  return `sum(rate(http_requests_total{service="${service}"${matcher}}[${range}]))`
}

/** The share of good requests. With the whole window as its range, the best that one query can tell of it. */
export function availabilityQuery(service: string, range: string): string {
  return `${requestsQuery(service, range, ',code!~"5.."')} / ${requestsQuery(service, range)}`
}

/** The same query with increases: an old VictoriaMetrics gives a series that is new in the window too large a rate. */
export function asIncrease(query: string): string {
  return query.replaceAll('rate(', 'increase(')
}

/** The URL of a source that wants a token, for the questions below. */
export function withToken(url: string, token: string): string {
  return Object.assign(new URL(url), { password: token }).href
}

/** Asks a source past nines and gives the one number it answers; null for nothing, and for NaN. */
export async function askDirectly(url: string, query: string, atSeconds: number): Promise<number | null> {
  const [series, ...others] = await get(url, 'query', { query, time: atSeconds })
  if (others.length > 0) throw new Error(`several series for ${query}`)
  const number = numberOf(series?.value)
  return Number.isNaN(number) ? null : number
}

type Grid = { startSeconds: number; endSeconds: number; stepSeconds: number }

/** Asks for one series over time, and gives its values in order. */
export async function askDirectlyOver(url: string, query: string, grid: Grid): Promise<number[]> {
  const { startSeconds: start, endSeconds: end, stepSeconds: step } = grid
  const [series, ...others] = await get(url, 'query_range', { query, start, end, step })
  if (!series?.values || others.length > 0) throw new Error(`not one series for ${query}`)
  return series.values.map(numberOf)
}

type Point = [timeSeconds: number, value: string]
type Series = { value?: Point; values?: Point[] }

async function get(url: string, path: string, parameters: Record<string, string | number>): Promise<Series[]> {
  const question = new URL(`${url}/api/v1/${path}`)
  for (const [name, value] of Object.entries(parameters)) question.searchParams.set(name, String(value))
  const { password: token } = question
  question.password = ''
  const response = await fetch(question, token === '' ? {} : { headers: { authorization: `Bearer ${token}` } })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status}: ${text}`)
  return JSON.parse(text).data.result
}

function numberOf(point: Point | undefined): number {
  return Number(point?.[1].replace('Inf', 'Infinity'))
}
