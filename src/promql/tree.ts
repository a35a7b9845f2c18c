import { printExpr } from './print.ts'
import { childrenOf, type Expr, type Selector, unwrap } from './syntax.ts'

/** Set of the names in a space-separated text. */
export const setOf = (names: string): ReadonlySet<string> => new Set(names.split(' '))

/**
 * Memoizes a function by its argument's identity. For nodes, because a chain of operators is a deep tree in which each level needs the
 * results of those below; for counters, because plans and their counters are the same objects in every evaluation.
 */
export function memoizeByObject<Key extends object, T>(compute: (key: Key) => T): (key: Key) => T {
  const memoized = new WeakMap<Key, { value: T }>()
  return (key) => memoized.getOrInsertComputed(key, () => ({ value: compute(key) })).value
}

/** The expression and all its descendants, in the order of the text; evaluated lazily. */
export function* descendants(expr: Expr): Generator<Expr, void> {
  const waiting = [expr]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield next
    waiting.push(...childrenOf(next).toReversed())
  }
}

/** Value of a numeric literal, signed or in parentheses (of a duration, its seconds); undefined for any other expression. */
export function numberValue(expr: Expr): number | undefined {
  const inner = unwrap(expr)
  if (inner.kind === 'number') return inner.value
  const value = inner.kind === 'unary' ? numberValue(inner.expr) : undefined
  return value !== undefined && inner.kind === 'unary' && inner.sign === '-' ? -value : value
}

/** Name of the called function, `rate` for `rate(x[5m])`; empty if the expression is no call. */
export const calledFunction = (expr: Expr) => (expr.kind === 'call' ? expr.name : '')

/** Name of the aggregation, `sum` for `SUM by (a) (x)`; empty if the expression is no aggregation. */
export const aggregatorOf = (expr: Expr) => (expr.kind === 'aggregate' ? expr.operator : '')

/** The arguments of a function call or an aggregation. */
export const argumentsOf = (expr: Expr) => (expr.kind === 'call' || expr.kind === 'aggregate' ? expr.args : [])

/** Selectors whose values are read, in the order of the text. The second argument of `info` only filters labels to add. */
export function selectorsIn(expr: Expr): Selector[] {
  if (expr.kind === 'selector') return [expr]
  return (calledFunction(expr) === 'info' ? argumentsOf(expr).slice(0, 1) : childrenOf(expr)).flatMap(selectorsIn)
}

/** True if two expressions differ only in what `printExpr` leaves out. */
export function sameExpression(a: Expr, b: Expr): boolean {
  return unwrap(a).kind === unwrap(b).kind && printExpr(a) === printExpr(b)
}
