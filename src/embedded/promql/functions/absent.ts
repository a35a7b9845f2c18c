import { type Column, countPresent, emptyColumn, type Frame, put } from '../columns.ts'
import { type Labels, metricName, withLabels } from '../../../promql/labels.ts'
import { matchersOf } from '../../../promql/matchers.ts'
import { selectorOf } from '../../../promql/shift.ts'
import type { Expr } from '../../../promql/syntax.ts'

/** `absent` and `absent_over_time`: 1 at each step at which none of the columns has a value. */
export function absent(frame: Frame, columns: Column[], arg: Expr): Column[] {
  const result = emptyColumn(selectedLabels(arg), frame)
  countPresent(frame, columns).forEach((count, step) => count === 0 && put(result, step, 1))
  return [result]
}

/** The labels that a selector names by `=`, each once and by nothing else. */
function selectedLabels(arg: Expr): Labels {
  const selector = selectorOf(arg)
  if (!selector) return {}
  const labels = new Map<string, string>()
  const seen = new Set([metricName])
  for (const { name, operator, value } of matchersOf(selector)) {
    if (operator === '=' && !seen.has(name)) labels.set(name, value)
    else labels.delete(name)
    if (operator === '=') seen.add(name)
  }
  return withLabels({}, labels)
}
