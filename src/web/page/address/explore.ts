import { addressText } from './time-text.ts'

/** Units of a graph. `ratio` is shown in percent; `number` has no unit. */
export const units = [
  'number',
  'percent',
  'ratio',
  'seconds',
  'milliseconds',
  'bytes',
  'per_second',
  'bytes_per_second',
] as const
export type Unit = (typeof units)[number]

/** A query and how its graph is drawn; without `unit` in the unit that the query suggests. */
export type ExploreQuery = {
  text: string
  isHidden: boolean
  isStacked?: boolean | undefined
  unit?: Unit | undefined
}

/** State of the Explore page in its address. Moments are texts for `readMoment`. */
export type ExploreAddress = {
  /** Null: the default source. */
  source: number | null
  queries: ExploreQuery[]
  from: string
  to: string
  /** Step as a duration; empty: chosen to fit the range. */
  step: string
  view: 'graph' | 'table'
}

const nothing: ExploreAddress = { source: null, queries: [], from: 'now-1h', to: 'now', step: '', view: 'graph' }
const maxQueries = 26

/** Path of Explore for a state: `explorePath({ queries: [{ text: 'up', isHidden: false }] })` is `/explore?q=up`. */
export function explorePath(some: Partial<ExploreAddress>): string {
  const { source, queries, from, to, step, view } = { ...nothing, ...some }
  const values = new URLSearchParams()
  if (source !== null) values.set('source', String(source))
  for (const { text } of queries) values.append('q', text)
  queries.forEach(({ isHidden, isStacked, unit }, at) => {
    if (isHidden) values.append('hidden', letterOf(at))
    if (isStacked) values.append('stacked', letterOf(at))
    if (unit) values.append('unit', `${letterOf(at)}.${unit}`)
  })
  if (from !== nothing.from || to !== nothing.to) {
    values.set('from', from)
    values.set('to', to)
  }
  if (step !== '') values.set('step', step)
  if (view !== nothing.view) values.set('view', view)
  return values.size > 0 ? `/explore?${values}` : '/explore'
}

/**
 * State of Explore from its address. Missing or invalid values get their defaults. There is at least one query, which may be
 * empty.
 */
export function readAddress(url: string): ExploreAddress {
  const values = new URLSearchParams(url.split('?')[1] ?? '')
  const source = Number(values.get('source') ?? Number.NaN)
  const [hidden, stacked, inUnits] = ['hidden', 'stacked', 'unit'].map((name) => new Set(values.getAll(name)))
  const queryOf = (text: string, at: number): ExploreQuery => ({
    text,
    isHidden: hidden?.has(letterOf(at)) ?? false,
    isStacked: stacked?.has(letterOf(at)) || undefined,
    unit: units.find((one) => inUnits?.has(`${letterOf(at)}.${one}`)),
  })
  const texts = values.getAll('q').slice(0, maxQueries)
  return {
    source: Number.isSafeInteger(source) && source > 0 ? source : null,
    queries: (texts.length > 0 ? texts : ['']).map(queryOf),
    from: values.get('from') || nothing.from,
    to: values.get('to') || nothing.to,
    step: values.get('step') ?? '',
    view: values.get('view') === 'table' ? 'table' : 'graph',
  }
}

/** Letter of a query by its index: A, B, C. */
export function letterOf(at: number): string {
  return String.fromCharCode(65 + at)
}

/** Replaces moments of the fields with their address form; unreadable ones stay. */
export function withMoments(address: ExploreAddress, nowMs: number): ExploreAddress {
  return { ...address, from: addressText(address.from, nowMs), to: addressText(address.to, nowMs) }
}

export { maxQueries }
