import type { Expr } from './syntax.ts'

/** Functions that look at the time of the step themselves. */
const timed = new Set(['time', 'timestamp', 'predict_linear'])
const dated = /^(minute|hour|day_of_\w+|days_in_month|month|year)$/
const known = new WeakMap<Expr, boolean>()

/** Whether an expression, by its `@`, is the same at all times. */
export function isPinned(expr: Expr): boolean {
  const found = known.get(expr) ?? look(expr)
  known.set(expr, found)
  return found
}

function look(expr: Expr): boolean {
  switch (expr.kind) {
    case 'number':
    case 'string':
      return true
    case 'selector':
    case 'subquery':
      return expr.at !== null
    case 'range':
      return expr.selector.at !== null
    case 'unary':
      return isPinned(expr.expr)
    case 'binary':
      return isPinned(expr.left) && isPinned(expr.right)
    case 'aggregate':
      return isPinned(expr.expr) && (expr.param === null || isPinned(expr.param))
    case 'call':
      if (timed.has(expr.name) || (dated.test(expr.name) && expr.args.length === 0)) return false
      return expr.args.every(isPinned)
  }
}
