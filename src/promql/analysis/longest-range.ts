import { durationSeconds } from './duration.ts'
import { descendants, readPromql } from './tree.ts'

/** Seconds of the longest range that an expression reads, subqueries included; 0: none, null: not known. */
export function maxRange(expression: string): number | null {
  const { root } = readPromql(expression)
  if (!root) return null
  const lengths = [...descendants(root)]
    .filter(({ name }) => name === 'MatrixSelector' || name === 'SubqueryExpr')
    .map(({ children }) => durationSeconds(children[1]?.text ?? ''))
  return lengths.some((seconds) => seconds === undefined)
    ? null
    : Math.max(0, ...lengths.map((seconds) => seconds ?? 0))
}
