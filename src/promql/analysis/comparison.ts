import { constantOf } from './linear-form.ts'
import { binaryParts, functionName, type PromqlNode, type Span, unwrap } from './tree.ts'

/** A comparison at the top of an expression. `modifiers` is what stands between the operator and the right side. */
export type Comparison = { left: PromqlNode; operator: string; modifiers: Span; right: PromqlNode }

const operators = new Set(['Eql', 'Neq', 'Lss', 'Lte', 'Gtr', 'Gte'])

/** The comparison at the top, seen through parentheses; null where there is none. */
export function topComparison(root: PromqlNode): Comparison | null {
  const parts = binaryParts(unwrap(root))
  if (!parts || !operators.has(parts.operator.name)) return null
  const { left, operator, bool, right } = parts
  return { left, operator: operator.text, modifiers: { from: (bool ?? operator).to, to: right.from }, right }
}

/** The comparison as an expression that is 1 where it holds, 0 where not, and nothing where there is no number. */
export function assessedComparison(
  { left, operator, modifiers, right }: Comparison,
  textOf: (span: Span) => string,
): string {
  const leftText = isGuarded(left, right) ? numbersOnly(textOf(left), left) : textOf(left)
  const rightText = isGuarded(right, left) ? numbersOnly(textOf(right), right) : textOf(right)
  return `${leftText} ${operator} bool ${textOf(modifiers).trimStart()}${rightText}`
}

const symbols = { lte: '<=', lt: '<', gte: '>=', gt: '>' } as const

/** A bound on a quantity; `op` as the SLO stores it. */
export type Threshold = { op: keyof typeof symbols; value: number }

/** As `assessedComparison`, for a quantity and a bound; `root` is null where the grammar cannot read the quantity. */
export function assessedByThreshold(text: string, root: PromqlNode | null, { op, value }: Threshold): string {
  return `${root ? numbersOnly(text, root) : `(${text}\n)`} ${symbols[op]} bool ${value}`
}

/** A side that is compared with a scalar; a number needs no guard, unless the other is one too and all would be scalar. */
function isGuarded(node: PromqlNode, other: PromqlNode): boolean {
  return isScalar(other) && (constantOf(node) === undefined || constantOf(other) !== undefined)
}

/**
 * The expression as a vector without NaN. NaN <= bool 0.3 is 0, and NaN != bool 0.3 is 1: a moment without a number would
 * be assessed. `text` is the text of `node`, rewritten.
 */
export function numbersOnly(text: string, node: PromqlNode): string {
  const vector = isScalar(node) ? `vector(${text})` : text
  return `((${vector}) == (${vector}))`
}

/** Whether the expression is a scalar: from it nothing can be dropped, and it has no subquery. */
export function isScalar(node: PromqlNode): boolean {
  const inner = unwrap(node)
  if (inner.name === 'UnaryExpr') return inner.children.slice(1).every(isScalar)
  const parts = binaryParts(inner)
  if (parts) return isScalar(parts.left) && isScalar(parts.right)
  return constantOf(inner) !== undefined || ['scalar', 'time', 'pi'].includes(functionName(inner) ?? '')
}
