import { unsupported, invalidPromql } from './errors.ts'
import { printExpr } from './print.ts'
import { type Expr, type Selector, unwrap } from './syntax.ts'
import { numberValue } from './tree.ts'

/** Bound of Prometheus' durations, which are 64 bits of nanoseconds. */
const maxSeconds = 2 ** 63 / 1e9
const maxTimeMs = 8.64e15

/** Length of a range in milliseconds; 0 below one millisecond. Such a range has no samples. */
export function rangeMs(duration: Expr): number {
  const ms = durationMs(duration)
  if (!(secondsOf(duration) > 0)) throw invalidPromql('duration must be greater than 0')
  return ms
}

/** Step of a subquery in milliseconds. */
export function stepLengthMs(duration: Expr): number {
  const ms = rangeMs(duration)
  if (ms === 0) throw invalidPromql('step must be at least 1 millisecond')
  return ms
}

/** Whole milliseconds of a duration, also arithmetic: `5m`, `300`, `-(5m * 2)`. NaN is the minimum of Prometheus' 64 bits. */
function durationMs(duration: Expr): number {
  const seconds = secondsOf(duration)
  if (Number.isNaN(seconds)) return -maxSeconds * 1000
  if (Math.abs(seconds) >= maxSeconds) throw invalidPromql('duration out of range')
  return Math.trunc(Math.round(seconds * 1e9) / 1e6) + 0 // not -0
}

function secondsOf(duration: Expr): number {
  switch (duration.kind) {
    case 'number':
      return duration.value
    case 'paren':
      return secondsOf(duration.expr)
    case 'unary':
      return duration.sign === '-' ? -secondsOf(duration.expr) : secondsOf(duration.expr)
    case 'binary':
      return compute(duration.operator, secondsOf(duration.left), secondsOf(duration.right))
    default:
      throw unsupported(`${printExpr(duration)} in durations`)
  }
}

function compute(operator: string, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case '/':
      if (right === 0) throw invalidPromql('division by zero')
      return left / right
    case '%':
      if (right === 0) throw invalidPromql('modulo by zero')
      return left % right
    default:
      return left ** right
  }
}

/** Modifiers `offset` and `@`. `at`: time of `@` in Unix milliseconds; null: no `@`. A negative offset looks ahead. */
export type Shift = { offsetMs: number; at: number | 'start' | 'end' | null }

/** Splits an expression into its operand and the `offset` and `@` modifiers after it; offsets add up. */
export function shiftOf(expr: Expr): Shift & { operand: Expr } {
  if (expr.kind !== 'offset' && expr.kind !== 'at') return { operand: expr, offsetMs: 0, at: null }
  const inner = shiftOf(expr.expr)
  if (expr.kind === 'at') return { ...inner, at: typeof expr.time === 'string' ? expr.time : timeMs(expr.time) }
  return { ...inner, offsetMs: inner.offsetMs + durationMs(expr.by) }
}

/** Time of an `@` in Unix milliseconds, clamped to the range of a `Date`: no data exists beyond it. */
function timeMs(time: Expr): number {
  const seconds = numberValue(time) ?? NaN
  if (!(Math.abs(seconds) < 2 ** 63)) throw invalidPromql('timestamp out of bounds for @ modifier')
  return Math.max(-maxTimeMs, Math.min(maxTimeMs, Math.round(seconds * 1000)))
}

/** Selector of an expression that is a selector or a range, with or without `offset` and `@`; otherwise undefined. */
export function selectorOf(expr: Expr): Selector | undefined {
  const { operand } = shiftOf(unwrap(expr))
  if (operand.kind === 'range') return selectorOf(operand.expr)
  return operand.kind === 'selector' ? operand : undefined
}
