import type { Kind } from '../../../address/new-slo.ts'
import type { Picks } from '../../../api/types.ts'
import { type Definition, emptyPicks, type BuilderInputs, type WrittenQueries } from './picks.ts'

/** Picks with their kind. */
export type Picked = { [K in Kind]: { kind: K; picks: BuilderInputs[K] } }[Kind]

/** Picks that the server found for the queries, completed for the form; without them, the queries as written by hand. */
export function pickedOf(found: Picks | null, definition: Definition): Picked {
  if (found === null) return { kind: 'promql', picks: writtenOf(definition) }
  const { kind, ...picks } = found
  const limit = definition.threshold === null ? {} : { limit: String(definition.threshold) }
  return { kind, picks: { ...emptyPicks[kind], ...picks, ...limit } } as Picked // fields of one kind
}

/** Queries for the fields of PromQL. */
export function writtenOf(definition: Definition): WrittenQueries {
  const { good_query, bad_query, total_query, metric_query, threshold, threshold_op } = definition
  const empty = emptyPicks.promql
  if (good_query !== null || bad_query !== null) {
    const type = good_query === null ? 'bad' : 'good'
    return { ...empty, type, counted: good_query ?? bad_query ?? '', total_query: total_query ?? '' }
  }
  if (threshold === null) return { ...empty, type: 'ratio', metric_query: metric_query ?? '' }
  return {
    ...empty,
    type: 'threshold',
    metric_query: metric_query ?? '',
    threshold: String(threshold),
    threshold_op: threshold_op ?? empty.threshold_op,
  }
}
