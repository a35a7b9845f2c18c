import { shiftOf } from '../../promql/durations.ts'
import { childrenOf, type Expr, unwrap } from '../../promql/syntax.ts'
import { memoizeByObject } from '../../promql/tree.ts'

/** Functions that depend on the time of the step: `timed` always, `dated` if called without an argument. */
const timed = new Set(['time', 'timestamp', 'predict_linear'])
const dated = /^(minute|hour|day_of_\w+|days_in_month|month|year)$/

/** True if an expression gives the same at all times, because of `@` or because it reads no samples and no time. */
export const isPinned = memoizeByObject((expr: Expr): boolean => {
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
 * Offset of an argument in the query, as Prometheus reports it. An argument that is constant while others are not begins at its
 * parentheses; a subquery has offset 0.
 */
export function argumentOffset(args: readonly Expr[], index: number): number {
  const arg = args[index]
  if (!arg || shiftOf(unwrap(arg)).operand.kind === 'subquery') return 0
  return (isPinned(arg) && !args.every(isPinned) ? arg : unwrap(arg)).from
}
