/** Requests per second of a service; `matcher` adds label matchers. */
export function requestsQuery(service: string, range: string, matcher = ''): string {
  return `sum(rate(http_requests_total{service="${service}"${matcher}}[${range}]))`
}

/** Ratio of good requests. With the whole window as its range, the best result that a single query can give. */
export function availabilityQuery(service: string, range: string): string {
  return `${requestsQuery(service, range, ',code!~"5.."')} / ${requestsQuery(service, range)}`
}

/** Replaces rate by increase: an old VictoriaMetrics overestimates the rate of a series that is new in the window. */
export function asIncrease(query: string): string {
  return query.replaceAll('rate(', 'increase(')
}

/** URL of a source that requires a bearer token, for the queries below. */
export function withToken(url: string, token: string): string {
  return Object.assign(new URL(url), { password: token }).href
}

/** Queries a source directly, not through nines, and returns its single number; null for no series and for NaN. */
export async function askDirectly(url: string, query: string, atSeconds: number): Promise<number | null> {
  const [series, ...others] = await get(url, 'query', { query, time: atSeconds })
  if (others.length > 0) throw new Error(`several series for ${query}`)
  const number = numberOf(series?.value)
  return Number.isNaN(number) ? null : number
}

type Grid = { startSeconds: number; endSeconds: number; stepSeconds: number }

/** Queries the source directly for one series over time and returns its values in order. */
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
