import { type Binary, childrenOf, type Expr, unwrap } from '../syntax.ts'
import { calledFunction, numberValue, memoizeByObject, sameExpression } from '../tree.ts'

/**
 * A value as `constant + factor * leaf`. `leaf` is null for a constant. `ratio` is set if the leaf divides one measured
 * expression by another; the value is then `constant + factor * numerator / denominator`.
 */
type LinearForm = {
  constant: number
  factor: number
  leaf: Expr | null
  ratio: { numerator: Expr; denominator: Expr } | null
}

/** Linear form of an expression. Resolves parentheses, numbers and `or vector(0)`; anything not linear becomes the leaf. */
export const linearForm = memoizeByObject((expr: Expr): LinearForm => {
  const inner = unwrap(expr)
  const constant = constantOf(inner)
  if (constant !== undefined) return { constant, factor: 0, leaf: null, ratio: null }
  if (inner.kind === 'unary') return scaled(linearForm(inner.expr), inner.sign === '-' ? -1 : 1)
  return (inner.kind === 'binary' ? binaryForm(inner) : null) ?? plain(inner)
})

function binaryForm(expr: Binary): LinearForm | null {
  const { left, operator, right } = expr
  if (operator === 'or') return isZero(right) ? linearForm(left) : null
  if (operator === '/') {
    const divisor = constantOf(right)
    if (divisor !== undefined) return scaled(linearForm(left), 1 / divisor)
    return isMeasured(left) && isMeasured(right) ? division(expr, left, right) : null
  }
  if (operator !== '+' && operator !== '-' && operator !== '*') return null
  const a = linearForm(left)
  const b = linearForm(right)
  if (a.leaf && b.leaf) return null
  if (operator === '*') return a.leaf ? scaled(a, b.constant) : scaled(b, a.constant)
  const signedB = operator === '-' ? scaled(b, -1) : b
  const constant = a.constant + signedB.constant
  return a.leaf ? { ...a, constant } : { ...signedB, constant }
}

/** Reads `(total - x) / total` as `1 - x / total`: the total is not queried twice, and an absent `x` is 0. */
function division(whole: Binary, left: Expr, right: Expr): LinearForm {
  const numerator = withoutFactor(left)
  const denominator = withoutFactor(right)
  const factor = numerator.factor / denominator.factor
  const difference = numerator.expr
  if (
    difference.kind === 'binary' &&
    difference.operator === '-' &&
    sameExpression(difference.left, denominator.expr) &&
    isMeasured(difference.right)
  ) {
    const rest = division(whole, difference.right, denominator.expr)
    return scaled({ ...rest, constant: 1 - rest.constant, factor: -rest.factor }, factor)
  }
  const numeratorForm = linearForm(numerator.expr)
  const denominatorForm = linearForm(denominator.expr)
  const ratio = [numeratorForm, denominatorForm].some(
    (form) => form.factor !== 1 || form.constant !== 0 || isDivision(form.leaf),
  )
    ? null
    : { numerator: numerator.expr, denominator: denominator.expr }
  // A factor under an `or vector(0)` cannot be removed from the text, but still determines the unit.
  return { constant: 0, factor: (factor * numeratorForm.factor) / denominatorForm.factor, leaf: whole, ratio }
}

/** Splits numeric factors off an expression; unlike `linearForm` it keeps an `or vector(0)`. */
function withoutFactor(expr: Expr): { factor: number; expr: Expr } {
  const inner = unwrap(expr)
  if (inner.kind === 'unary') {
    const rest = withoutFactor(inner.expr)
    return { expr: rest.expr, factor: inner.sign === '-' ? -rest.factor : rest.factor }
  }
  if (inner.kind === 'binary' && (inner.operator === '*' || inner.operator === '/')) {
    const { operator, left, right } = inner
    const byRight = constantOf(right)
    const byLeft = operator === '*' ? constantOf(left) : undefined
    const variable = byRight !== undefined ? left : byLeft !== undefined ? right : null
    const factor = byRight ?? byLeft ?? 1
    if (variable) {
      const rest = withoutFactor(variable)
      return { expr: rest.expr, factor: rest.factor * (operator === '/' ? 1 / factor : factor) }
    }
  }
  return { factor: 1, expr: inner }
}

/** True if the expression is 0 wherever it has a value: `0`, `vector(0)`, `0 * x`. */
export function isZero(expr: Expr): boolean {
  const inner = unwrap(expr)
  if (calledFunction(inner) === 'vector') return childrenOf(inner).every(isZero)
  const { constant, factor } = linearForm(inner)
  return constant === 0 && factor === 0
}

/** Value of an arithmetic expression of numeric literals (`+ - * /`); undefined for any other expression. */
export const constantOf = memoizeByObject((expr: Expr): number | undefined => {
  const inner = unwrap(expr)
  if (inner.kind !== 'binary') return numberValue(inner)
  const left = constantOf(inner.left)
  const right = left === undefined ? undefined : constantOf(inner.right)
  if (left === undefined || right === undefined) return undefined
  if (inner.operator === '+') return left + right
  if (inner.operator === '-') return left - right
  if (inner.operator === '*') return left * right
  return inner.operator === '/' ? left / right : undefined
})

/** True if the expression reads any series. */
const isMeasured = memoizeByObject(
  (expr: Expr): boolean => expr.kind === 'selector' || childrenOf(expr).some(isMeasured),
)

const scaled = (form: LinearForm, scale: number): LinearForm => ({
  ...form,
  constant: form.constant * scale,
  factor: form.factor * scale,
})
const plain = (leaf: Expr): LinearForm => ({ constant: 0, factor: 1, leaf, ratio: null })
const isDivision = (expr: Expr | null) => expr?.kind === 'binary' && expr.operator === '/'

/** Outermost divisions in which both sides read series. */
export function* measuredRatios(expr: Expr): Generator<Binary, void> {
  if (expr.kind === 'binary' && expr.operator === '/' && isMeasured(expr.left) && isMeasured(expr.right)) yield expr
  else for (const child of childrenOf(expr)) yield* measuredRatios(child)
}
