/** Kinds of SLO by their subject; `promql`: written by hand. */
export const kinds = ['requests', 'latency', 'site', 'jobs', 'promql'] as const
export type Kind = (typeof kinds)[number]

/** Initial values of the form of a new SLO. Queries are PromQL; the form derives a kind from them if possible. */
export type FormAddress = {
  kind?: Kind
  /** Source of the SLO; absent: the default one. */
  source?: number
  /** `metric_query`: one expression. */
  query?: string
  good?: string
  bad?: string
  total?: string
  /** Bound of `query`, with `op`. */
  threshold?: number
  op?: string
  name?: string
  description?: string
  /** In percent. */
  target?: number
  window?: string
  /** Id of an SLO to copy. */
  copy?: number
}

const numbers: ReadonlySet<string> = new Set<keyof FormAddress>(['source', 'threshold', 'target', 'copy'])
const texts: ReadonlySet<string> = new Set<keyof FormAddress>([
  'query',
  'good',
  'bad',
  'total',
  'op',
  'name',
  'description',
  'window',
])

/** Path of the form of a new SLO: `newSloPath({ source: 3, query: 'avg(up)' })` is `/slos/new?source=3&query=avg%28up%29`. */
export function newSloPath(address: FormAddress = {}): string {
  const values = new URLSearchParams()
  for (const [name, value] of Object.entries(address)) if (value !== undefined) values.set(name, String(value))
  return values.size > 0 ? `/slos/new?${values}` : '/slos/new'
}

/** Initial values from the query of an address. Unknown parameters, and texts in place of numbers, are left out. */
export function readAddress(query: string): FormAddress {
  const found: Record<string, string | number> = {}
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === 'kind' && (kinds as readonly string[]).includes(value)) found[name] = value
    else if (numbers.has(name) && value.trim() !== '' && Number.isFinite(Number(value))) found[name] = Number(value)
    else if (texts.has(name) && value !== '') found[name] = value
  }
  return found
}
