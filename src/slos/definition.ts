import type { SloRow } from '../db/tables.ts'
import { invalid } from '../errors.ts'

/** How an SLO is measured; calculation.md, "SLI". */
export type Definition = Pick<
  SloRow,
  'metric_query' | 'good_query' | 'bad_query' | 'total_query' | 'threshold' | 'threshold_op' | 'window_method'
>

/** Throws `invalid`, naming the field, where the parts of a definition do not make one whole. */
export function assertMeasurable(slo: Definition): void {
  const counted = slo.good_query ?? slo.bad_query
  if (slo.good_query !== null && slo.bad_query !== null) throw invalid('bad_query', 'wanted without good_query')
  if (counted !== null && slo.total_query === null) throw invalid('total_query', 'wanted beside good_query or bad_query')
  if (counted === null && slo.total_query !== null) throw invalid('total_query', 'wanted with good_query or bad_query')
  if (slo.metric_query === null && counted === null) {
    throw invalid('metric_query', 'wanted, or good_query or bad_query with total_query')
  }
  if ((slo.threshold === null) !== (slo.threshold_op === null)) {
    throw invalid('threshold', 'wanted threshold and threshold_op together')
  }
  if (slo.threshold !== null && counted !== null) throw invalid('threshold', 'wanted with metric_query only')
}

/** A pair of counting queries as one expression. The line breaks end a comment that a query may close with. */
export function composePair({ good_query, bad_query, total_query }: Definition): string | null {
  if (total_query === null) return null
  if (good_query !== null) return `(${good_query}\n) / (${total_query}\n)`
  if (bad_query !== null) return `1 - (${bad_query}\n) / (${total_query}\n)`
  return null
}
