import { type Column, distinct } from './columns.ts'
import { unreadable } from './errors.ts'
import { isLabelName, labelOf, withLabels } from './labels.ts'
import { anchored, expand } from './regex.ts'

/** `label_replace`: sets a label to what a pattern finds in another. */
export function labelReplace(columns: Column[], [to = '', template = '', from = '', pattern = '']: string[]): Column[] {
  const regex = anchored(pattern)
  refuseName(to)
  return relabeled(columns, ({ labels }) => {
    const match = regex.exec(labelOf(labels, from))
    return match ? withLabels(labels, [[to, expand(template, match)]]) : labels
  })
}

/** `label_join`: sets a label to the values of others with a separator between. */
export function labelJoin(columns: Column[], [to = '', separator = '', ...from]: string[]): Column[] {
  for (const name of [to, ...from]) refuseName(name)
  return relabeled(columns, ({ labels }) =>
    withLabels(labels, [[to, from.map((name) => labelOf(labels, name)).join(separator)]]),
  )
}

function refuseName(name: string) {
  if (!isLabelName(name)) throw unreadable(`invalid label name “${name}”`)
}

function relabeled(columns: Column[], labelsFor: (column: Column) => Column['labels']): Column[] {
  return distinct(columns.map((column) => ({ ...column, labels: labelsFor(column) })))
}
