import type { Expr } from '../syntax.ts'
import { isMeanOfSum } from './counters/raw-quantity.ts'
import { linearForm } from './linear-form.ts'
import { matchingOf } from './matching.ts'
import { emptyMeansNone, eventKind, type EventKind } from './side-kind.ts'

/** Side of a ratio; `kind` null: it counts no events. */
export type Side = { expr: Expr; kind: EventKind | null }

/**
 * Ratio at the top of an expression. The SLI is `counted / total` if `counts` is `good`, otherwise 1 minus that. `unit` is the
 * unit of the whole expression. `isClear`: an empty counted side means that nothing was counted. `isGrouped`: both sides select
 * the same and are divided label by label, so the whole leaves out groups in which nothing was counted.
 */
export type TwoSides = {
  counts: 'good' | 'bad'
  counted: Side
  total: Side
  unit: 'ratio' | 'percent'
  isClear: boolean
  isGrouped: boolean
}

/** Finds `A / B`, `1 - A / B`, `100 * A / B`, `100 - 100 * A / B` in any spelling; null for any other expression. */
export function twoSides(root: Expr): TwoSides | null {
  const { constant, factor, leaf, ratio } = linearForm(root)
  if (!leaf || !ratio || isMeanOfSum(leaf)) return null
  const scale = Math.abs(factor)
  const unit = near(scale, 1) ? 'ratio' : near(scale, 100) ? 'percent' : null
  const counts = near(constant, 0) && factor > 0 ? 'good' : near(constant, scale) && factor < 0 ? 'bad' : null
  if (!unit || !counts) return null
  return {
    counts,
    unit,
    counted: { expr: ratio.numerator, kind: eventKind(ratio.numerator) },
    total: { expr: ratio.denominator, kind: eventKind(ratio.denominator) },
    isClear: emptyMeansNone(ratio.numerator),
    isGrouped: leaf.kind === 'binary' && matchingOf(leaf).way === 'alike',
  }
}

const near = (a: number, b: number) => Math.abs(a - b) < 1e-9
