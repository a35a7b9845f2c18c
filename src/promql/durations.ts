import { leftOut, unreadable } from './errors.ts'
import { printExpr } from './print.ts'
import { type Expr, type Selector, unwrap } from './syntax.ts'
import { numberValue } from './tree.ts'

/** What 64 bits of nanoseconds hold. */
const maxSeconds = 2 ** 63 / 1e9
const maxTimeMs = 8.64e15

/** The length of a range in milliseconds: 0, which holds no samples, of less than one. */
export function rangeMs(duration: Expr): number {
  const ms = durationMs(duration)
  if (!(secondsOf(duration) > 0)) throw unreadable('duration must be greater than 0')
  return ms
}

/** The step of a subquery in milliseconds. */
export function stepLengthMs(duration: Expr): number {
  const ms = rangeMs(duration)
  if (ms === 0) throw unreadable('step must be at least 1 millisecond')
  return ms
}

/** A duration in whole milliseconds, arithmetic included: `5m`, `300`, `-(5m * 2)`. NaN is the least that Prometheus' 64 bits hold. */
function durationMs(duration: Expr): number {
  const seconds = secondsOf(duration)
  if (Number.isNaN(seconds)) return -maxSeconds * 1000
  if (Math.abs(seconds) >= maxSeconds) throw unreadable('duration out of range')
  return Math.trunc(Math.round(seconds * 1e9) / 1e6) + 0
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
      return calculated(duration.operator, secondsOf(duration.left), secondsOf(duration.right))
    default:
      throw leftOut(`${printExpr(duration)} in durations`)
  }
}

function calculated(operator: string, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case '/':
      if (right === 0) throw unreadable('division by zero')
      return left / right
    case '%':
      if (right === 0) throw unreadable('modulo by zero')
      return left % right
    default:
      return left ** right
  }
}

/** `at`: the time of an `@` in milliseconds, null without one. A negative offset looks ahead. */
export type Shift = { offsetMs: number; at: number | 'start' | 'end' | null }

/** What is left of an expression without the `offset` and `@` that follow it, and what these say. */
export function shiftOf(expr: Expr): Shift & { operand: Expr } {
  if (expr.kind !== 'offset' && expr.kind !== 'at') return { operand: expr, offsetMs: 0, at: null }
  const inner = shiftOf(expr.expr)
  if (expr.kind === 'at') return { ...inner, at: typeof expr.time === 'string' ? expr.time : timeMs(expr.time) }
  return { ...inner, offsetMs: inner.offsetMs + durationMs(expr.by) }
}

/** Nothing is ever read of a time beyond what a date can be. */
function timeMs(time: Expr): number {
  const seconds = numberValue(time) ?? NaN
  if (!(Math.abs(seconds) < 2 ** 63)) throw unreadable('timestamp out of bounds for @ modifier')
  return Math.max(-maxTimeMs, Math.min(maxTimeMs, Math.round(seconds * 1000)))
}

/** The selector of which an expression is the values or a range, whenever it looks; undefined for all else. */
export function selectorOf(expr: Expr): Selector | undefined {
  const { operand } = shiftOf(unwrap(expr))
  if (operand.kind === 'range') return selectorOf(operand.expr)
  return operand.kind === 'selector' ? operand : undefined
}
