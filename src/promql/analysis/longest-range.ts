import { readPromql } from '../read.ts'
import { descendants } from '../tree.ts'
import { literalRange } from './widen.ts'

/** Seconds of the longest range that an expression reads, subqueries included; 0: none, null: not known. */
export function maxRange(expression: string): number | null {
  const { root } = readPromql(expression)
  if (!root) return null
  let max = 0
  for (const expr of descendants(root)) {
    if (expr.kind !== 'range' && expr.kind !== 'subquery') continue
    const seconds = literalRange(expr)?.value ?? NaN
    if (!Number.isFinite(seconds)) return null
    max = Math.max(max, seconds)
  }
  return max
}
