import { planSli, type SliPlan } from '../../src/sli/plan/plan.ts'
import type { Definition } from '../../src/slos/definition.ts'

const nothing: Definition = {
  metric_query: null,
  good_query: null,
  bad_query: null,
  total_query: null,
  threshold: null,
  threshold_op: null,
  window_method: 'auto',
}

/** A definition whose other fields are null. */
export const definitionOf = (fields: Partial<Definition>): Definition => ({ ...nothing, ...fields })

/** Plan of a definition, or of a metric query alone. */
export function plan(definition: string | Partial<Definition>): SliPlan {
  return planSli(definitionOf(typeof definition === 'string' ? { metric_query: definition } : definition))
}

export const day = 86_400
export const month = 30 * day

/** Good, failing and all requests of one service per second. */
export const A = 'sum(rate(http_requests_total{service="s",code!~"5.."}[5m]))'
export const E = 'sum(rate(http_requests_total{service="s",code=~"5.."}[5m]))'
export const B = 'sum(rate(http_requests_total{service="s"}[5m]))'

/** The query sent for a window of a day if both sides of a ratio are rewritten as increases over the window. */
export const overDay = (expression: string) =>
  expression.replaceAll('[5m]', '[86400s]').replaceAll('rate(', 'increase(')
