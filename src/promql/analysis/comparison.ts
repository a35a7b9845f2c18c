import { type Binary, comparisons, type Expr, type Span, unwrap } from '../syntax.ts'
import { calledBy } from '../tree.ts'
import { constantOf } from './linear-form.ts'

/** The comparison at the top, seen through parentheses; null where there is none. */
export function topComparison(root: Expr): Binary | null {
  const inner = unwrap(root)
  return inner.kind === 'binary' && comparisons.has(inner.operator) ? inner : null
}

/** The comparison as an expression that is 1 where it holds, 0 where not, and nothing where there is no number. */
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

/** As `assessedComparison`, for a quantity and a bound; `root` is null where the grammar cannot read the quantity. */
export function assessedByThreshold(text: string, root: Expr | null, { op, value }: Threshold): string {
  return `${root ? numbersOnly(text, root) : `(${text}\n)`} ${symbols[op]} bool ${value}`
}

/** A side that is compared with a scalar; a number needs no guard, unless the other is one too and all would be scalar. */
function isGuarded(side: Expr, other: Expr): boolean {
  return isScalar(other) && (constantOf(side) === undefined || constantOf(other) !== undefined)
}

/**
 * The expression as a vector without NaN. NaN <= bool 0.3 is 0, and NaN != bool 0.3 is 1: a moment without a number would
 * be assessed. `text` is the text of `expr`, rewritten.
 */
export function numbersOnly(text: string, expr: Expr): string {
  const vector = isScalar(expr) ? `vector(${text})` : text
  return `((${vector}) == (${vector}))`
}

/** Whether the expression is a scalar: from it nothing can be dropped, and it has no subquery. */
export function isScalar(expr: Expr): boolean {
  const inner = unwrap(expr)
  if (inner.kind === 'unary') return isScalar(inner.expr)
  if (inner.kind === 'binary') return isScalar(inner.left) && isScalar(inner.right)
  return inner.kind === 'number' || ['scalar', 'time', 'pi'].includes(calledBy(inner))
}
