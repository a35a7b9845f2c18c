import { addressText } from './time-text.ts'

export type ExploreQuery = { text: string; isHidden: boolean }

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
  queries.forEach(({ isHidden }, at) => isHidden && values.append('hidden', letterOf(at)))
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
  const hidden = new Set(values.getAll('hidden'))
  const texts = values.getAll('q').slice(0, maxQueries)
  return {
    source: Number.isSafeInteger(source) && source > 0 ? source : null,
    queries: (texts.length > 0 ? texts : ['']).map((text, at) => ({ text, isHidden: hidden.has(letterOf(at)) })),
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
