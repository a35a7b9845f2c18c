import { comparisons, type Expr, type Selector, unwrap } from '../syntax.ts'
import { argumentsOf, aggregatorOf, calledBy, descendants } from '../tree.ts'
import { constantOf, linearForm } from './linear-form.ts'

/**
 * An expression with one number at each sample of `selector`: `constant + factor * sample`, or, where `isAssessed`, whether a
 * comparison with a constant holds for it. `leaf` is the part that stands for the sample. Sums over samples add up over time
 * and over series. Rule: docs/slo-math.md, "How a window is applied", 3.
 */
export type SampledValue = {
  selector: NamedSelector
  leaf: Expr
  constant: number
  factor: number
  isAssessed: boolean
}

type NamedSelector = Selector & { metric: string }

/** Reads an expression as a number at each sample of one selector; null where it is anything else. */
export function sampledValue(root: Expr, isAssessed: boolean): SampledValue | null {
  // `or vector(0)` has a value where there is no sample.
  if (descendants(root).some((expr) => expr.kind === 'binary' && expr.operator === 'or')) return null
  const value = isAssessed ? comparedValue(root) : root
  const form = value && linearForm(value)
  if (!form?.leaf || form.ratio || form.factor === 0) return null
  const leaf = unwrap(form.leaf)
  const selector = isAssessed ? namedSelector(leaf) : meanOf(leaf)
  return selector && { selector, leaf, constant: form.constant, factor: form.factor, isAssessed }
}

/** The side of a comparison that is compared with a constant; the expression itself where a threshold does that. */
function comparedValue(root: Expr): Expr | null {
  const inner = unwrap(root)
  if (inner.kind !== 'binary' || !comparisons.has(inner.operator)) return inner
  if (constantOf(inner.right) !== undefined) return inner.left
  return constantOf(inner.left) === undefined ? null : inner.right
}

/** The selector of `x`, `avg(x)` and `avg_over_time(x[5m])`: over a window, all of them are the mean of its samples. */
function meanOf(expr: Expr): NamedSelector | null {
  const inner = unwrap(expr)
  const [argument] = argumentsOf(inner)
  if (aggregatorOf(inner) === 'avg' && inner.kind === 'aggregate' && inner.grouping === null && argument) {
    return meanOf(argument)
  }
  if (calledBy(inner) === 'avg_over_time' && argument) {
    const range = unwrap(argument)
    return range.kind === 'range' ? namedSelector(range.expr) : null
  }
  return namedSelector(inner)
}

/** Without a name, several metrics may answer, which have the same labels once a function has dropped their names. */
function namedSelector(expr: Expr): NamedSelector | null {
  const inner = unwrap(expr)
  if (inner.kind !== 'selector' || inner.metric === null) return null
  return { ...inner, metric: inner.metric }
}
