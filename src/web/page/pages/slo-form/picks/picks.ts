import type { Slo } from '../../../api/types.ts'
import type { Kind } from '../../../address/new-slo.ts'
import type { Filter } from './promql.ts'

/** Requests in one counter; `matching` selects the bad or good ones. */
export type Requests = {
  metric: string
  filters: Filter[]
  counts: 'bad' | 'good'
  matching: Filter[]
  range: string
}

/**
 * Latency from a histogram. `share`: the requests at or below the bucket `le`; `quantile`: the time during which a quantile is
 * at most `limit`, in the unit of the histogram. `metric` is without `_bucket`.
 */
export type Latency = {
  by: 'share' | 'quantile'
  metric: string
  filters: Filter[]
  le: string
  quantile: string
  limit: string
  range: string
}

/** `series`: probe_success of a source; `address`: a probe that is created with the SLO. */
export type Site = { by: 'series' | 'address'; filters: Filter[]; url: string; range: string }

/**
 * `counters`: the counter `failed` against the counter `other`, of all jobs or of successful ones. `age`: the time during which the last
 * success, the Unix time in `metric`, is at most `limit` seconds ago.
 */
export type Jobs = {
  by: 'counters' | 'age'
  failed: string
  other: string
  other_counts: 'all' | 'done'
  metric: string
  filters: Filter[]
  limit: string
  range: string
}

/** Queries written by hand: one whose value is the SLI, two that count, or one with a bound. `counted`: that of the good or bad events. */
export type WrittenQueries = {
  type: 'ratio' | 'good' | 'bad' | 'threshold'
  metric_query: string
  counted: string
  total_query: string
  threshold: string
  threshold_op: string
}

/** Choices in the fields of each kind of SLO, of which the queries are made; of `promql` the queries themselves. */
export type BuilderInputs = { requests: Requests; latency: Latency; site: Site; jobs: Jobs; promql: WrittenQueries }

/** Queries that define the SLI, with the bound if there is one; null: the SLO has no such query or bound. */
export type Definition = Pick<Slo, 'good_query' | 'bad_query' | 'total_query' | 'threshold' | 'threshold_op'> & {
  metric_query: string | null
}

export const emptyDefinition: Definition = {
  metric_query: null,
  good_query: null,
  bad_query: null,
  total_query: null,
  threshold: null,
  threshold_op: null,
}

/** Range of the rates and averages in queries that the form writes. */
export const range = '5m'

export const emptyPicks: BuilderInputs = {
  requests: { metric: '', filters: [], counts: 'bad', matching: [], range },
  latency: { by: 'share', metric: '', filters: [], le: '', quantile: '0.95', limit: '', range },
  site: { by: 'series', filters: [], url: '', range },
  jobs: { by: 'counters', failed: '', other: '', other_counts: 'all', metric: '', filters: [], limit: '', range },
  promql: { type: 'ratio', metric_query: '', counted: '', total_query: '', threshold: '', threshold_op: 'lte' },
}

/** Metric type of an SLO of a kind. */
export function metricTypeOf(kind: Kind): string {
  return kind === 'latency' ? 'latency' : 'availability'
}
