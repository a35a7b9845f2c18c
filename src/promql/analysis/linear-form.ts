import {
  binaryParts,
  callArguments,
  functionName,
  numberValue,
  perNode,
  type PromqlNode,
  sameExpression,
  unwrap,
} from './tree.ts'

/**
 * A value as `constant + factor * leaf`. `leaf` is null for a constant. `ratio` is there where the leaf is a division of
 * one measured thing by another, and the value then is `constant + factor * over / under`.
 */
export type LinearForm = {
  constant: number
  factor: number
  leaf: PromqlNode | null
  ratio: { over: PromqlNode; under: PromqlNode } | null
}

/** Sees through parentheses, numeric literals and `or vector(0)`; what is not linear becomes a leaf. */
export const linearForm = perNode((node): LinearForm => {
  const inner = unwrap(node)
  const constant = constantOf(inner)
  if (constant !== undefined) return { constant, factor: 0, leaf: null, ratio: null }
  if (inner.name === 'UnaryExpr') {
    const [sign, operand] = inner.children
    return operand ? scaled(linearForm(operand), sign?.text === '-' ? -1 : 1) : plain(inner)
  }
  const parts = binaryParts(inner)
  return (parts && binaryForm(inner, parts)) ?? plain(inner)
})

function binaryForm(
  node: PromqlNode,
  { left, operator, right }: NonNullable<ReturnType<typeof binaryParts>>,
): LinearForm | null {
  if (operator.name === 'Or') return isZero(right) ? linearForm(left) : null
  if (operator.name === 'Div') {
    const divisor = constantOf(right)
    if (divisor !== undefined) return scaled(linearForm(left), 1 / divisor)
    return isMeasured(left) && isMeasured(right) ? division(node, left, right) : null
  }
  if (operator.name !== 'Add' && operator.name !== 'Sub' && operator.name !== 'Mul') return null
  const a = linearForm(left)
  const b = linearForm(right)
  if (a.leaf && b.leaf) return null
  if (operator.name === 'Mul') return a.leaf ? scaled(a, b.constant) : scaled(b, a.constant)
  const signedB = operator.name === 'Sub' ? scaled(b, -1) : b
  const constant = a.constant + signedB.constant
  return a.leaf ? { ...a, constant } : { ...signedB, constant }
}

/** `(total - x) / total` is `1 - x / total`, so that a total that counts is not asked twice and an absent `x` is 0. */
function division(node: PromqlNode, left: PromqlNode, right: PromqlNode): LinearForm {
  const over = withoutFactor(left)
  const under = withoutFactor(right)
  const factor = over.factor / under.factor
  const difference = binaryParts(over.node)
  if (
    difference?.operator.name === 'Sub' &&
    sameExpression(difference.left, under.node) &&
    isMeasured(difference.right)
  ) {
    const rest = division(node, difference.right, under.node)
    return scaled({ ...rest, constant: 1 - rest.constant, factor: -rest.factor }, factor)
  }
  const overForm = linearForm(over.node)
  const underForm = linearForm(under.node)
  const ratio = [overForm, underForm].some((form) => form.factor !== 1 || form.constant !== 0 || isDivision(form.leaf))
    ? null
    : { over: over.node, under: under.node }
  // A factor under an `or vector(0)` cannot be cut out of the text, but still says what the unit is.
  return { constant: 0, factor: (factor * overForm.factor) / underForm.factor, leaf: node, ratio }
}

/** The node with numeric factors pulled off; unlike `linearForm` it keeps an `or vector(0)`. */
function withoutFactor(node: PromqlNode): { factor: number; node: PromqlNode } {
  const inner = unwrap(node)
  const [sign, operand] = inner.name === 'UnaryExpr' ? inner.children : []
  if (operand) {
    const rest = withoutFactor(operand)
    return { node: rest.node, factor: sign?.text === '-' ? -rest.factor : rest.factor }
  }
  const parts = binaryParts(inner)
  if (parts?.operator.name === 'Mul' || parts?.operator.name === 'Div') {
    const byRight = constantOf(parts.right)
    const byLeft = parts.operator.name === 'Mul' ? constantOf(parts.left) : undefined
    const kept = byRight !== undefined ? parts.left : byLeft !== undefined ? parts.right : null
    const factor = byRight ?? byLeft ?? 1
    if (kept) {
      const rest = withoutFactor(kept)
      return { node: rest.node, factor: rest.factor * (parts.operator.name === 'Div' ? 1 / factor : factor) }
    }
  }
  return { factor: 1, node: inner }
}

/** Whether the node is 0 wherever it has a value: `0`, `vector(0)`, `0 * x`. */
export function isZero(node: PromqlNode): boolean {
  const inner = unwrap(node)
  if (functionName(inner) === 'vector') return callArguments(inner).every(isZero)
  const { constant, factor } = linearForm(inner)
  return constant === 0 && factor === 0
}

/** The value of sums and products of numeric literals; undefined for all else. */
export const constantOf = perNode((node): number | undefined => {
  const parts = binaryParts(unwrap(node))
  if (!parts) return numberValue(node)
  const left = constantOf(parts.left)
  const right = left === undefined ? undefined : constantOf(parts.right)
  if (left === undefined || right === undefined) return undefined
  if (parts.operator.name === 'Add') return left + right
  if (parts.operator.name === 'Sub') return left - right
  if (parts.operator.name === 'Mul') return left * right
  return parts.operator.name === 'Div' ? left / right : undefined
})

/** Whether anything of the source is read at all. */
export const isMeasured = perNode((node): boolean => node.name === 'VectorSelector' || node.children.some(isMeasured))

const scaled = (form: LinearForm, by: number): LinearForm => ({
  ...form,
  constant: form.constant * by,
  factor: form.factor * by,
})
const plain = (leaf: PromqlNode): LinearForm => ({ constant: 0, factor: 1, leaf, ratio: null })
const isDivision = (node: PromqlNode | null) => node !== null && binaryParts(node)?.operator.name === 'Div'
