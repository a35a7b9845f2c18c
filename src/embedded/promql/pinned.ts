import { shiftOf } from '../../promql/durations.ts'
import { childrenOf, type Expr, unwrap } from '../../promql/syntax.ts'
import { perNode } from '../../promql/tree.ts'

/** Functions that look at the time of the step themselves. */
const timed = new Set(['time', 'timestamp', 'predict_linear'])
const dated = /^(minute|hour|day_of_\w+|days_in_month|month|year)$/

/** Whether an expression, by its `@`, is the same at all times. */
export const isPinned = perNode((expr): boolean => {
  switch (expr.kind) {
    case 'number':
    case 'string':
    case 'at':
      return true
    case 'selector':
    case 'subquery':
      return false
    case 'call':
      if (timed.has(expr.name) || (dated.test(expr.name) && expr.args.length === 0)) return false
  }
  return childrenOf(expr).every(isPinned)
})

/**
 * Where an argument begins in the query, as Prometheus counts: what is the same at all times keeps its parentheses, and a
 * subquery has lost its place.
 */
export function placeOf(args: readonly Expr[], index: number): number {
  const arg = args[index]
  if (!arg || shiftOf(unwrap(arg)).operand.kind === 'subquery') return 0
  return (isPinned(arg) && !args.every(isPinned) ? arg : unwrap(arg)).from
}
