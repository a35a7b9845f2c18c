import type { Slo } from '../../../api/types.ts'
import { withWindow } from '../../../editor/positions.ts'
import { type ExploreAddress, explorePath } from '../../../address/explore.ts'
import type { Range } from './range.ts'

type Queries = Pick<
  Slo,
  | 'source_id'
  | 'metric_query'
  | 'good_query'
  | 'bad_query'
  | 'total_query'
  | 'threshold'
  | 'threshold_op'
  | 'query_unit'
  | 'target'
>
type Time = Partial<Pick<ExploreAddress, 'from' | 'to' | 'step'>>

/** Duration that replaces the window placeholder of a query. */
const windowShown = '5m'
const signs: Record<string, string> = { lte: '<=', lt: '<', gte: '>=', gt: '>' }

/** Path of Explore for the SLI: its query, and for a threshold also the comparison, as 0 and 1. */
export function exploreSli(slo: Queries, time: Time): string {
  const { metric_query: query, threshold, threshold_op: operator } = slo
  const sign = signs[operator ?? '']
  const bound = threshold === null || sign === undefined ? [] : [`(${query}) ${sign} bool ${threshold}`]
  return pathOf(slo, [query, ...bound], time)
}

/**
 * Path of Explore for the burn rate: the failed share divided by the allowed share; for the SLI if the unit of the query is
 * unknown or there is a threshold.
 */
export function exploreBurn(slo: Queries, time: Time): string {
  // value of the query when all is good
  const whole = hasEventQueries(slo) || slo.query_unit === 'ratio' ? 1 : slo.query_unit === 'percent' ? 100 : null
  if (whole === null || slo.threshold !== null) return exploreSli(slo, time)
  const allowed = Number((whole * (1 - slo.target / 100)).toPrecision(10))
  return pathOf(slo, [`(${whole} - (${slo.metric_query})) / ${allowed}`], time)
}

/** Path of Explore for the failed and all events; for the SLI if the SLO has no event queries. */
export function exploreFailed(slo: Queries, time: Time): string {
  const { good_query: good, bad_query: bad, total_query: total } = slo
  if (total === null || (good === null && bad === null)) return exploreSli(slo, time)
  return pathOf(slo, [bad ?? `(${total}) - (${good})`, total], time)
}

function hasEventQueries({ good_query: good, bad_query: bad, total_query: total }: Queries): boolean {
  return total !== null && (good !== null || bad !== null)
}

/** Path of Explore with queries of an SLO and its source. */
export function pathOf({ source_id: source }: Pick<Slo, 'source_id'>, texts: string[], time: Time = {}): string {
  const queries = texts.map((text) => ({ text: withWindow(text, windowShown), isHidden: false }))
  return explorePath({ source, queries, ...time })
}

/** Range of the charts for the address of Explore; relative if it ends now. */
export function timeOf({ name, fromMs, toMs }: Range): Time {
  if (name !== 'custom') return { from: `now-${name}`, to: 'now' }
  return { from: String(Math.round(fromMs)), to: String(Math.round(toMs)) }
}
