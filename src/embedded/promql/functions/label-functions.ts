import { AppError } from '../../../errors.ts'
import { compileReplacement } from '../../../promql/regex.ts'
import type { Budget } from '../budget.ts'
import { type Column, distinct } from '../columns.ts'
import { queryFailed } from '../../../promql/errors.ts'
import { isLabelName, labelOf, withLabels } from '../../../promql/labels.ts'

/**
 * Maximum characters of a computed label, the same as for a query; without a maximum, each nested function could double the length.
 */
const maxLabelCharacters = 16_384
const charactersPerSample = 8

/** `label_replace`: sets a label to a template, filled with the groups that a regex matches in another label. */
export function labelReplace(
  budget: Budget,
  columns: Column[],
  [to = '', template = '', from = '', pattern = '']: string[],
): Column[] {
  const replace = compileReplacement(pattern, (why) =>
    queryFailed(`invalid regular expression in label_replace(): ${pattern}: ${why}`),
  )
  assertLabelName(to, 'destination label name in label_replace()')
  return relabeled(columns, ({ labels }) => {
    const text = labelOf(labels, from)
    budget.addSteps(pattern.length * text.length)
    const value = replace(text, template)
    if (value === null) return labels
    chargeLabel(budget, value.length)
    return withLabels(labels, [[to, value]])
  })
}

/** `label_join`: sets a label to the values of others, joined by a separator. */
export function labelJoin(budget: Budget, columns: Column[], [to = '', separator = '', ...from]: string[]): Column[] {
  assertLabelName(to, 'destination label name in label_join()')
  for (const name of from) assertLabelName(name, 'source label name in label_join()')
  return relabeled(columns, ({ labels }) => {
    const values = from.map((name) => labelOf(labels, name))
    chargeLabel(
      budget,
      values.reduce((length, value) => length + separator.length + value.length, 0),
    )
    return withLabels(labels, [[to, values.join(separator)]])
  })
}

/** Charges the budget for a computed label. Throws `too_large` if it is too long. */
function chargeLabel(budget: Budget, length: number) {
  if (length > maxLabelCharacters)
    throw new AppError('too_large', 'Query is too large', {
      details: `it makes a label of more than ${maxLabelCharacters} characters`,
    })
  budget.addSamples(Math.ceil(length / charactersPerSample))
}

function assertLabelName(name: string, what: string) {
  if (!isLabelName(name)) throw queryFailed(`invalid ${what}: ${name}`)
}

function relabeled(columns: Column[], labelsFor: (column: Column) => Column['labels']): Column[] {
  return distinct(columns.map((column) => ({ ...column, labels: labelsFor(column) })))
}
