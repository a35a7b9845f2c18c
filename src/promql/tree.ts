import { printExpr } from './print.ts'
import { childrenOf, type Expr, type Selector, unwrap } from './syntax.ts'

/** A set of names that stand in one text. */
export const setOf = (names: string): ReadonlySet<string> => new Set(names.split(' '))

/** Computes once for each node: a chain of operators is a deep tree, and each level needs what is below it. */
export function perNode<T>(compute: (expr: Expr) => T): (expr: Expr) => T {
  const known = new WeakMap<Expr, { value: T }>()
  return (expr) => known.getOrInsertComputed(expr, () => ({ value: compute(expr) })).value
}

/** The expression and all below it, in the order of the text; no further than it is consumed. */
export function* descendants(expr: Expr): Generator<Expr, void> {
  const waiting = [expr]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield next
    waiting.push(...childrenOf(next).toReversed())
  }
}

/** The value of a numeric literal, signed or in parentheses (a duration counts its seconds); undefined for all else. */
export function numberValue(expr: Expr): number | undefined {
  const inner = unwrap(expr)
  if (inner.kind === 'number') return inner.value
  const value = inner.kind === 'unary' ? numberValue(inner.expr) : undefined
  return value !== undefined && inner.kind === 'unary' && inner.sign === '-' ? -value : value
}

/** `rate` of `rate(x[5m])`; empty where nothing is called. */
export const calledBy = (expr: Expr) => (expr.kind === 'call' ? expr.name : '')

/** `sum` of `SUM by (a) (x)`; empty where nothing is aggregated. */
export const aggregatorOf = (expr: Expr) => (expr.kind === 'aggregate' ? expr.operator : '')

/** The arguments of a function call or an aggregation. */
export const argumentsOf = (expr: Expr) => (expr.kind === 'call' || expr.kind === 'aggregate' ? expr.args : [])

/** The selectors whose values are read, in the order of the text: the second argument of `info` only says what to add. */
export function selectorsIn(expr: Expr): Selector[] {
  if (expr.kind === 'selector') return [expr]
  return (calledBy(expr) === 'info' ? argumentsOf(expr).slice(0, 1) : childrenOf(expr)).flatMap(selectorsIn)
}

/** Whether two expressions are the same but for what `printExpr` leaves out. */
export function sameExpression(a: Expr, b: Expr): boolean {
  return unwrap(a).kind === unwrap(b).kind && printExpr(a) === printExpr(b)
}
