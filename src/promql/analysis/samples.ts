import { comparisons, type Expr, type Selector, unwrap } from '../syntax.ts'
import { argumentsOf, aggregatorOf, calledFunction, descendants } from '../tree.ts'
import { constantOf, linearForm } from './linear-form.ts'

/**
 * Expression with one number for each sample of `selector`: `constant + factor * sample`, or, if `isAssessed`, the result of
 * comparing that with a constant. `leaf` is the part that gives the sample. Sums over samples add up over time and over series.
 * Rule: docs/slo-math.md, "How a window is applied", 2.
 */
export type SampledValue = {
  selector: NamedSelector
  leaf: Expr
  constant: number
  factor: number
  isAssessed: boolean
}

type NamedSelector = Selector & { metric: string }

/** Reads an expression as one number for each sample of one selector; null for any other expression. */
export function sampledValue(root: Expr, isAssessed: boolean): SampledValue | null {
  // `or vector(0)` has a value even without samples.
  if (descendants(root).some((expr) => expr.kind === 'binary' && expr.operator === 'or')) return null
  const value = isAssessed ? comparedValue(root) : root
  const form = value && linearForm(value)
  if (!form?.leaf || form.ratio || form.factor === 0) return null
  const leaf = unwrap(form.leaf)
  const selector = isAssessed ? namedSelector(leaf) : averagedSelector(leaf)
  return selector && { selector, leaf, constant: form.constant, factor: form.factor, isAssessed }
}

/** Side that is compared with a constant, null if neither is; the expression itself if it is no comparison. */
function comparedValue(root: Expr): Expr | null {
  const inner = unwrap(root)
  if (inner.kind !== 'binary' || !comparisons.has(inner.operator)) return inner
  if (constantOf(inner.right) !== undefined) return inner.left
  return constantOf(inner.left) === undefined ? null : inner.right
}

/** Selector of `x`, `avg(x)` or `avg_over_time(x[5m])`, otherwise null. Over a window, each is the mean of its samples. */
function averagedSelector(expr: Expr): NamedSelector | null {
  const inner = unwrap(expr)
  const [argument] = argumentsOf(inner)
  if (aggregatorOf(inner) === 'avg' && inner.kind === 'aggregate' && inner.grouping === null && argument) {
    return averagedSelector(argument)
  }
  if (calledFunction(inner) === 'avg_over_time' && argument) {
    const range = unwrap(argument)
    return range.kind === 'range' ? namedSelector(range.expr) : null
  }
  return namedSelector(inner)
}

/** Selector with a name, otherwise null: without one, several metrics may have equal labels once their names are dropped. */
function namedSelector(expr: Expr): NamedSelector | null {
  const inner = unwrap(expr)
  if (inner.kind !== 'selector' || inner.metric === null) return null
  return { ...inner, metric: inner.metric }
}
