import { durationMs, rangeMs } from './durations.ts'
import { unreadable } from './errors.ts'
import { numberOf } from './literals.ts'
import type { PromqlNode } from './nodes.ts'
import type { Expr, Shift } from './syntax.ts'

/** An operand with the `offset`, `@`, `[5m]` or `[5m:1m]` that follows it; `isClosed`: it stands in parentheses. */
export function suffixed(node: PromqlNode, operand: Expr, isClosed: boolean): Expr {
  if (node.name === 'MatrixSelector') {
    if (operand.kind !== 'selector' || isClosed) throw unreadable('ranges only allowed for vector selectors')
    if (operand.offsetMs !== 0) throw unreadable('no offset modifiers allowed before range')
    if (operand.at !== null) throw unreadable('no @ modifiers allowed before range')
    return { kind: 'range', selector: operand, rangeMs: rangeMs(durations(node)[0]) }
  }
  if (node.name === 'SubqueryExpr') {
    const [range, step] = durations(node)
    const stepMs = step ? rangeMs(step) : null
    return { kind: 'subquery', expr: operand, rangeMs: rangeMs(range), stepMs, offsetMs: 0, at: null }
  }
  const of = node.name === 'OffsetExpr' ? 'offset' : '@'
  if (isClosed) throw unreadable(`${of} modifier must be preceded by a selector or a subquery`)
  return shifted(operand, of === 'offset' ? { offsetMs: durationMs(node.children.at(-1)) } : { at: atOf(node) })
}

function shifted(operand: Expr, shift: Partial<Shift>): Expr {
  if (operand.kind === 'range') {
    return { ...operand, selector: { ...operand.selector, ...onlyOnce(operand.selector, shift) } }
  }
  if (operand.kind === 'selector' || operand.kind === 'subquery') return { ...operand, ...onlyOnce(operand, shift) }
  throw unreadable('offset and @ modifiers must be preceded by a selector or a subquery')
}

function onlyOnce(present: Shift, shift: Partial<Shift>): Partial<Shift> {
  if (shift.offsetMs !== undefined && present.offsetMs !== 0) throw unreadable('offset may not be set multiple times')
  if (shift.at !== undefined && present.at !== null) throw unreadable('@ <timestamp> may not be set multiple times')
  return shift
}

function atOf(node: PromqlNode): NonNullable<Shift['at']> {
  const time = node.children.at(-1)
  if (time?.name === 'AtModifierPreprocessors') return time.text.toLowerCase().startsWith('start') ? 'start' : 'end'
  const [, sign = '', digits = ''] = /^([-+]?)\s*(.*)$/s.exec(time?.text ?? '') ?? []
  const seconds = numberOf(digits)
  if (!Number.isFinite(seconds) || seconds > 9e12) throw unreadable('timestamp out of bounds for @ modifier')
  return Math.round(sign === '-' ? -seconds * 1000 : seconds * 1000)
}

const durations = (node: PromqlNode) => node.children.filter(({ name }) => name === 'DurationExpr')
