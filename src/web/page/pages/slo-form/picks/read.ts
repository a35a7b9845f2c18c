import type { Kind } from '../../../address/new-slo.ts'
import { type Definition, emptyPicks, type BuilderInputs, type WrittenQueries } from './picks.ts'
import { type Filter, Reader, type Selector } from './promql.ts'

/** Picks with their kind. */
export type Picked = { [K in Kind]: { kind: K; picks: BuilderInputs[K] } }[Kind]

/** Picks that produce the given queries; if there are none, the queries as written by hand. */
export function picksOf(definition: Definition): Picked {
  const { good_query, bad_query, total_query, metric_query, threshold, threshold_op } = definition
  const counted = good_query ?? bad_query
  const found =
    counted !== null && total_query !== null
      ? pairPicks(counted, total_query, good_query === null ? 'bad' : 'good')
      : threshold === null
        ? metric_query !== null && (ratioPicks(metric_query) ?? sitePicks(metric_query))
        : metric_query !== null && threshold_op === 'lte' && boundPicks(metric_query, String(threshold))
  return found && hasValues(found) ? found : { kind: 'promql', picks: writtenOf(definition) }
}

/** True if every matcher has a value. The pickers treat one without a value as not chosen yet. */
function hasValues({ picks }: Picked): boolean {
  const filters = [...('filters' in picks ? picks.filters : []), ...('matching' in picks ? picks.matching : [])]
  return filters.every(({ value }) => value !== '')
}

/** Queries for the fields of PromQL. */
export function writtenOf(definition: Definition): WrittenQueries {
  const { good_query, bad_query, total_query, metric_query, threshold, threshold_op } = definition
  const usual = emptyPicks.promql
  if (good_query !== null || bad_query !== null) {
    const type = good_query === null ? 'bad' : 'good'
    return { ...usual, type, counted: good_query ?? bad_query ?? '', total_query: total_query ?? '' }
  }
  if (threshold === null) return { ...usual, type: 'ratio', metric_query: metric_query ?? '' }
  return {
    ...usual,
    type: 'threshold',
    metric_query: metric_query ?? '',
    threshold: String(threshold),
    threshold_op: threshold_op ?? usual.threshold_op,
  }
}

type Summed = Selector & { range: string }

function pairPicks(countedText: string, totalText: string, counts: 'good' | 'bad'): Picked | null {
  const counted = whole(countedText, sumOfRate)
  const total = whole(totalText, sumOfRate)
  if (counted && total && counted.range === total.range) return sumsPicks(counted, total, counts)
  const both = counts === 'bad' ? whole(totalText, twoSums) : null
  if (!counted || !both) return null
  const [done, failed] = both
  const isSame = isEqual(failed, counted) && isEqual({ ...done, metric: '' }, { ...failed, metric: '' })
  return isSame ? jobs(counted, done, 'done') : null
}

/** Picks of `good / all` or `1 - bad / all`. */
function ratioPicks(text: string): Picked | null {
  const reader = new Reader(text)
  const counts = reader.take('1 -') || reader.take('1-') ? 'bad' : 'good'
  const counted = sumOfRate(reader)
  const total = counted && reader.take('/') ? sumOfRate(reader) : null
  if (!counted || !total || !reader.isAtEnd() || counted.range !== total.range) return null
  return sumsPicks(counted, total, counts)
}

function sumsPicks(counted: Summed, total: Summed, counts: 'good' | 'bad'): Picked | null {
  const rest = without(counted.filters, total.filters)
  if (rest === null) return null
  const { filters, range } = total
  if (counted.metric === total.metric && counted.metric !== '') {
    if (rest.length === 0) return null
    return { kind: 'requests', picks: { metric: total.metric, filters, counts, matching: rest, range } }
  }
  const family = /^(.+)_bucket$/s.exec(counted.metric)?.[1]
  if (counts === 'good' && family !== undefined && total.metric === `${family}_count`) {
    const [le, ...others] = rest
    if (le?.label !== 'le' || le.op !== '=' || le.value === '' || others.length > 0) return null
    return { kind: 'latency', picks: { ...emptyPicks.latency, metric: family, filters, le: le.value, range } }
  }
  return counts === 'bad' && rest.length === 0 ? jobs(counted, total, 'all') : null
}

function jobs(failed: Summed, other: Summed, otherCounts: 'all' | 'done'): Picked | null {
  if (failed.metric === '' || other.metric === '') return null
  const { filters, range } = failed
  return {
    kind: 'jobs',
    picks: { ...emptyPicks.jobs, failed: failed.metric, other: other.metric, otherCounts, filters, range },
  }
}

function sitePicks(text: string): Picked | null {
  const found = whole(text, (reader) => {
    const isMean = reader.take('avg(')
    const isOverTime = reader.take('avg_over_time(')
    const selector = reader.selector()
    const range = selector && isOverTime ? rangeOf(reader) : emptyPicks.site.range
    if (selector === null || range === null || (isOverTime && !reader.take(')'))) return null
    return isMean && !reader.take(')') ? null : { ...selector, range }
  })
  if (found?.metric !== 'probe_success' || found.filters.length === 0) return null
  return { kind: 'site', picks: { ...emptyPicks.site, filters: found.filters, range: found.range } }
}

function boundPicks(text: string, limit: string): Picked | null {
  const quantile = whole(text, (reader) => {
    if (!reader.take('histogram_quantile(')) return null
    const rank = reader.match(/\d*\.?\d+/)
    if (rank === null || !reader.take(',') || !reader.take('sum by') || !reader.take('(le)') || !reader.take('('))
      return null
    const rate = rateOf(reader)
    return rate && reader.take(')') && reader.take(')') ? { ...rate, rank } : null
  })
  const family = quantile && /^(.+)_bucket$/s.exec(quantile.metric)?.[1]
  if (quantile && family) {
    const { filters, range, rank } = quantile
    const picks = {
      ...emptyPicks.latency,
      by: 'quantile' as const,
      metric: family,
      filters,
      quantile: rank,
      limit,
      range,
    }
    return { kind: 'latency', picks }
  }
  const last = whole(text, (reader) => {
    if (!reader.take('time()') || !reader.take('-') || !reader.take('max(')) return null
    const selector = reader.selector()
    return selector && reader.take(')') ? selector : null
  })
  if (!last || last.metric === '') return null
  return { kind: 'jobs', picks: { ...emptyPicks.jobs, by: 'age', metric: last.metric, filters: last.filters, limit } }
}

/** Result of a reader if it consumes the whole text. */
function whole<T>(text: string, read: (reader: Reader) => T | null): T | null {
  const reader = new Reader(text)
  const found = read(reader)
  return found !== null && reader.isAtEnd() ? found : null
}

function sumOfRate(reader: Reader): Summed | null {
  if (!reader.take('sum(')) return null
  const rate = rateOf(reader)
  return rate && reader.take(')') ? rate : null
}

function twoSums(reader: Reader): [Summed, Summed] | null {
  const first = sumOfRate(reader)
  const second = first && reader.take('+') ? sumOfRate(reader) : null
  return first && second ? [first, second] : null
}

function rateOf(reader: Reader): Summed | null {
  if (!reader.take('rate(')) return null
  const selector = reader.selector()
  const range = selector && rangeOf(reader)
  return range && reader.take(')') ? { ...selector, range } : null
}

function rangeOf(reader: Reader): string | null {
  const range = reader.take('[') ? reader.match(/\d+[smhdw]/) : null
  return range !== null && reader.take(']') ? range : null
}

/** Filters of `all` without those of `some`; null if one of those is missing. */
function without(all: Filter[], some: Filter[]): Filter[] | null {
  const rest = [...all]
  for (const filter of some) {
    const at = rest.findIndex((one) => isEqual(one, filter))
    if (at < 0) return null
    rest.splice(at, 1)
  }
  return rest
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
