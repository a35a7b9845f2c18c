import type { Kind } from '../../../address/new-slo.ts'
import {
  type Definition,
  emptyDefinition,
  type Jobs,
  type Latency,
  type BuilderInputs,
  type Site,
  type WrittenQueries,
} from './picks.ts'
import { type Filter, type Selector, writeSelector } from './promql.ts'

/** Queries of the picks; null while something is missing. */
export function definitionOf(kind: Kind, picks: BuilderInputs): Definition | null {
  switch (kind) {
    case 'requests':
      return ofRequests(picks.requests)
    case 'latency':
      return ofLatency(picks.latency)
    case 'site':
      return ofSite(picks.site)
    case 'jobs':
      return ofJobs(picks.jobs)
    case 'promql':
      return ofWritten(picks.promql)
  }
}

function ofRequests({ metric, filters, counts, matching, range }: BuilderInputs['requests']): Definition | null {
  if (metric === '' || completeFilters(matching).length === 0) return null
  return {
    ...emptyDefinition,
    [counts === 'bad' ? 'bad_query' : 'good_query']: sumOfRate(metric, [...filters, ...matching], range),
    total_query: sumOfRate(metric, filters, range),
  }
}

function ofLatency({ by, metric, filters, le, quantile, limit, range }: Latency): Definition | null {
  if (metric === '') return null
  const bucket = `${metric}_bucket`
  if (by === 'share') {
    if (le === '') return null
    return {
      ...emptyDefinition,
      good_query: sumOfRate(bucket, [...filters, { label: 'le', op: '=', value: le }], range),
      total_query: sumOfRate(`${metric}_count`, filters, range),
    }
  }
  const threshold = numberOf(limit)
  const rank = numberOf(quantile)
  if (threshold === null || rank === null) return null
  const buckets = selectorOf({ metric: bucket, filters })
  return {
    ...emptyDefinition,
    metric_query: `histogram_quantile(${quantile}, sum by (le) (rate(${buckets}[${range}])))`,
    threshold,
    threshold_op: 'lte',
  }
}

function ofSite({ by, filters, range }: Site): Definition | null {
  if (by === 'address' || completeFilters(filters).length === 0) return null
  const series = selectorOf({ metric: 'probe_success', filters })
  return { ...emptyDefinition, metric_query: `avg(avg_over_time(${series}[${range}]))` }
}

function ofJobs({ by, failed, other, other_counts, metric, filters, limit, range }: Jobs): Definition | null {
  if (by === 'counters') {
    if (failed === '' || other === '') return null
    const bad = sumOfRate(failed, filters, range)
    const rest = sumOfRate(other, filters, range)
    return { ...emptyDefinition, bad_query: bad, total_query: other_counts === 'all' ? rest : `${rest} + ${bad}` }
  }
  const threshold = numberOf(limit)
  if (metric === '' || threshold === null) return null
  return {
    ...emptyDefinition,
    metric_query: `time() - max(${selectorOf({ metric, filters })})`,
    threshold,
    threshold_op: 'lte',
  }
}

function ofWritten({
  type,
  metric_query,
  counted,
  total_query,
  threshold,
  threshold_op,
}: WrittenQueries): Definition | null {
  if (type === 'good' || type === 'bad') {
    if (counted.trim() === '' || total_query.trim() === '') return null
    return { ...emptyDefinition, [`${type}_query`]: counted, total_query }
  }
  if (metric_query.trim() === '') return null
  if (type === 'ratio') return { ...emptyDefinition, metric_query }
  const bound = numberOf(threshold)
  return bound === null ? null : { ...emptyDefinition, metric_query, threshold: bound, threshold_op }
}

function sumOfRate(metric: string, filters: Filter[], range: string): string {
  return `sum(rate(${selectorOf({ metric, filters })}[${range}]))`
}

function selectorOf({ metric, filters }: Selector): string {
  return writeSelector({ metric, filters: completeFilters(filters) })
}

/** Filters that have a value. */
export function completeFilters(filters: readonly Filter[]): Filter[] {
  return filters.filter(({ value }) => value !== '')
}

/** Number in a text; null if it is not one. */
export function numberOf(text: string): number | null {
  const number = Number(text)
  return text.trim() !== '' && Number.isFinite(number) ? number : null
}
