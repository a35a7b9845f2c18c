import { type Binary, comparisons, type Expr, type Span, unwrap } from '../syntax.ts'
import { calledFunction } from '../tree.ts'
import { constantOf } from './linear-form.ts'

/** Comparison at the top of an expression, inside any parentheses; null if there is none. */
export function topComparison(root: Expr): Binary | null {
  const inner = unwrap(root)
  return inner.kind === 'binary' && comparisons.has(inner.operator) ? inner : null
}

/** Rewrites a comparison as an expression that is 1 if it holds, 0 if not, and empty if there is no number. */
export function assessedComparison(
  { left, operator, operandFrom, right }: Binary,
  textOf: (span: Span) => string,
): string {
  const leftText = isGuarded(left, right) ? numbersOnly(textOf(left), left) : textOf(left)
  const rightText = isGuarded(right, left) ? numbersOnly(textOf(right), right) : textOf(right)
  return `${leftText} ${operator} bool ${textOf({ from: operandFrom, to: right.from }).trimStart()}${rightText}`
}

const symbols = { lte: '<=', lt: '<', gte: '>=', gt: '>' } as const

/** A bound on a quantity; `op` as the SLO stores it. */
export type Threshold = { op: keyof typeof symbols; value: number }

/** Like `assessedComparison`, for a quantity and a bound; `root` is null if the grammar cannot read the quantity. */
export function assessedByThreshold(text: string, root: Expr | null, { op, value }: Threshold): string {
  return `${root ? numbersOnly(text, root) : `(${text}\n)`} ${symbols[op]} bool ${value}`
}

/**
 * True for a side that is compared with a scalar and needs a guard against NaN. A number needs one only if both sides are
 * numbers: the comparison would be a scalar.
 */
function isGuarded(side: Expr, other: Expr): boolean {
  return isScalar(other) && (constantOf(side) === undefined || constantOf(other) !== undefined)
}

/**
 * Expression as a vector without NaN; `text` is the rewritten text of `expr`. `NaN <= bool 0.3` is 0 and `NaN != bool 0.3` is
 * 1, so a moment without a number would otherwise be assessed.
 */
export function numbersOnly(text: string, expr: Expr): string {
  const vector = isScalar(expr) ? `vector(${text})` : text
  return `((${vector}) == (${vector}))`
}

/** True if the expression is a scalar: a comparison cannot filter it, and a subquery cannot read it. */
export function isScalar(expr: Expr): boolean {
  const inner = unwrap(expr)
  if (inner.kind === 'unary') return isScalar(inner.expr)
  if (inner.kind === 'binary') return isScalar(inner.left) && isScalar(inner.right)
  return inner.kind === 'number' || ['scalar', 'time', 'pi'].includes(calledFunction(inner))
}
