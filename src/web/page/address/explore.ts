import { field, type Fields, oneOf, readFields, text, texts, withFields } from './fields.ts'
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
export type ExploreAddress = Omit<Fields<typeof fields>, 'q' | 'hidden' | 'stacked' | 'unit'> & {
  queries: ExploreQuery[]
}

const fields = {
  /** Null: the default source. */
  source: field<number | null>((value) => (/^[1-9]\d{0,14}$/.test(value) ? Number(value) : undefined), null),
  q: texts,
  /** Letters of the hidden and of the stacked queries; `A.percent`: the unit of query A. */
  hidden: texts,
  stacked: texts,
  unit: texts,
  from: field((value) => value || undefined, 'now-1h'),
  to: field((value) => value || undefined, 'now'),
  /** Step as a duration; empty: chosen to fit the range. */
  step: text,
  view: oneOf(['graph', 'table'], 'graph'),
}
export const maxQueries = 26

/** Path of Explore for a state: `explorePath({ queries: [{ text: 'up', isHidden: false }] })` is `/explore?q=up`. */
export function explorePath({ queries = [], source = null, ...others }: Partial<ExploreAddress>): string {
  const lettersOf = (flag: 'isHidden' | 'isStacked') =>
    queries.flatMap((query, at) => (query[flag] ? [letterOf(at)] : []))
  return withFields(fields, '/explore', {
    source,
    q: queries.map(({ text }) => text),
    hidden: lettersOf('isHidden'),
    stacked: lettersOf('isStacked'),
    unit: queries.flatMap(({ unit }, at) => (unit ? [`${letterOf(at)}.${unit}`] : [])),
    ...others,
  })
}

/**
 * State of Explore from its address. Missing or invalid values get their defaults. There is at least one query, which may be
 * empty.
 */
export function readAddress(url: string): ExploreAddress {
  const { q, hidden, stacked, unit, ...others } = readFields(fields, url.split('?')[1] ?? '')
  const queryOf = (text: string, at: number): ExploreQuery => ({
    text,
    isHidden: hidden.includes(letterOf(at)),
    isStacked: stacked.includes(letterOf(at)) || undefined,
    unit: units.find((one) => unit.includes(`${letterOf(at)}.${one}`)),
  })
  return { ...others, queries: (q.length > 0 ? q.slice(0, maxQueries) : ['']).map(queryOf) }
}

/** Letter of a query by its index: A, B, C. */
export function letterOf(at: number): string {
  return String.fromCharCode(65 + at)
}

/** Replaces moments of the fields with their address form; unreadable ones stay. */
export function withAddressTimes(address: ExploreAddress, nowMs: number): ExploreAddress {
  return { ...address, from: addressText(address.from, nowMs), to: addressText(address.to, nowMs) }
}
