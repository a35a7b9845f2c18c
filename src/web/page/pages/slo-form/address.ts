/** What an SLO can be made of, by what it is about; `promql`: written by hand. */
export const kinds = ['requests', 'latency', 'site', 'jobs', 'promql'] as const
export type Kind = (typeof kinds)[number]

/** What the form of a new SLO begins with. Queries are PromQL; a kind is found in them where that is possible. */
export type FormAddress = {
  kind?: Kind
  /** The source it is measured by; absent: the default one. */
  source?: number
  /** `metric_query`: one expression. */
  query?: string
  good?: string
  bad?: string
  total?: string
  /** With `op`, a bound of `query`. */
  threshold?: number
  op?: string
  name?: string
  description?: string
  /** In percent. */
  target?: number
  window?: string
  /** An SLO to begin with a copy of. */
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

/** The path of the form of a new SLO: `newSloPath({ source: 3, query: 'avg(up)' })` is `/slos/new?source=3&query=avg%28up%29`. */
export function newSloPath(address: FormAddress = {}): string {
  const values = new URLSearchParams()
  for (const [name, value] of Object.entries(address)) if (value !== undefined) values.set(name, String(value))
  return values.size > 0 ? `/slos/new?${values}` : '/slos/new'
}

/** What the query of an address asks for; what it does not know, or is no number where one belongs, is left out. */
export function readAddress(query: string): FormAddress {
  const found: Record<string, string | number> = {}
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === 'kind' && (kinds as readonly string[]).includes(value)) found[name] = value
    else if (numbers.has(name) && value.trim() !== '' && Number.isFinite(Number(value))) found[name] = Number(value)
    else if (texts.has(name) && value !== '') found[name] = value
  }
  return found
}
