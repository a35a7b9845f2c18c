import { durationMs } from './durations.ts'
import { unreadable } from './errors.ts'
import { type Expr, type Selector, unwrap } from './syntax.ts'
import { numberValue } from './tree.ts'

/** `at`: the time of an `@` in milliseconds, null without one. A negative offset looks ahead. */
export type Shift = { offsetMs: number; at: number | 'start' | 'end' | null }

/** What is left of an expression without the `offset` and `@` that follow it, and what these say. */
export function shiftOf(expr: Expr): Shift & { operand: Expr } {
  if (expr.kind !== 'offset' && expr.kind !== 'at') return { operand: expr, offsetMs: 0, at: null }
  const inner = shiftOf(expr.expr)
  if (expr.kind === 'at') return { ...inner, at: typeof expr.time === 'string' ? expr.time : timeMs(expr.time) }
  return { ...inner, offsetMs: inner.offsetMs + durationMs(expr.by) }
}

function timeMs(time: Expr): number {
  const seconds = numberValue(time) ?? NaN
  if (!Number.isFinite(seconds) || Math.abs(seconds) > 9e12) throw unreadable('timestamp out of bounds for @ modifier')
  return Math.round(seconds * 1000)
}

/** The selector of which an expression is the values or a range, whenever it looks; undefined for all else. */
export function selectorOf(expr: Expr): Selector | undefined {
  const { operand } = shiftOf(unwrap(expr))
  if (operand.kind === 'range') return selectorOf(operand.expr)
  return operand.kind === 'selector' ? operand : undefined
}
