import { leftOut, unreadable } from './errors.ts'
import { numberOf } from './literals.ts'
import type { PromqlNode } from './nodes.ts'

/** What 64 bits of nanoseconds hold. */
const maxSeconds = 2 ** 63 / 1e9

/** The length of a range or step in milliseconds. */
export function rangeMs(node: PromqlNode | undefined): number {
  const ms = durationMs(node)
  if (ms <= 0) throw unreadable('duration must be greater than 0')
  return ms
}

/** A duration in whole milliseconds, arithmetic included: `5m`, `300`, `-(5m * 2)`. */
export function durationMs(node: PromqlNode | undefined): number {
  const seconds = node ? secondsOf(node) : NaN
  if (!(Math.abs(seconds) < maxSeconds)) throw unreadable('duration out of range')
  return Math.trunc(Math.round(seconds * 1e9) / 1e6) + 0
}

function secondsOf({ name, text, children }: PromqlNode): number {
  const [first, second, third] = children
  if (name === 'NumberDurationLiteralInDurationContext') return numberOf(text)
  if (first?.name === 'UnaryOp' && second) return first.text === '-' ? -secondsOf(second) : secondsOf(second)
  if (first?.name === 'DurationExpr' && second && third) {
    return calculated(second.text, secondsOf(first), secondsOf(third))
  }
  const isWrapped = first?.name === 'DurationExpr' || first?.name === 'NumberDurationLiteralInDurationContext'
  if (isWrapped) return secondsOf(first)
  throw leftOut(`${text} in durations`)
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
