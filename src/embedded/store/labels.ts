import { invalid } from '../../errors.ts'
import type { Label } from '../exposition/sample.ts'
import type { Labels } from '../../promql/labels.ts'

/** Limits of the labels of a series, lengths in characters, and of the series of an organization. */
export type LabelLimits = { labels: number; nameLength: number; valueLength: number; seriesPerOrganization: number }

export const defaultLabelLimits: LabelLimits = {
  labels: 64,
  nameLength: 256,
  valueLength: 2048,
  seriesPerOrganization: 100_000,
}

/** Key of a label set, whatever its order; an empty value counts as a missing label. Throws `invalid` beyond the limits. */
export function seriesKey(labels: readonly Label[], limits: LabelLimits): string {
  if (isPlain(labels, limits)) return JSON.stringify(labels)
  const pairs = labels.filter(([, value]) => value !== '').toSorted(([a], [b]) => (a < b ? -1 : 1))
  for (const [index, [name, value]] of pairs.entries()) {
    if (name === '') throw invalid('labels', 'must have no empty name')
    if (name.length > limits.nameLength) {
      throw invalid('labels', `must be names of at most ${limits.nameLength} characters, not ${quoted(name)}`)
    }
    if (value.length > limits.valueLength) {
      throw invalid(
        'labels',
        `must be at most ${limits.valueLength} characters in ${quoted(name)}, not ${value.length}`,
      )
    }
    if (name === pairs[index - 1]?.[0]) throw invalid('labels', `must have ${quoted(name)} once`)
  }
  if (pairs.length === 0) throw invalid('labels', 'must have at least one entry that is not empty')
  if (pairs.length > limits.labels)
    throw invalid('labels', `must have at most ${limits.labels} entries, not ${pairs.length}`)
  return JSON.stringify(pairs)
}

/** True if the labels are sorted, none is empty, and all are within the limits. */
function isPlain(labels: readonly Label[], limits: LabelLimits): boolean {
  let previousName = ''
  for (const [name, value] of labels) {
    if (name <= previousName || value === '') return false
    if (name.length > limits.nameLength || value.length > limits.valueLength) return false
    previousName = name
  }
  return labels.length > 0 && labels.length <= limits.labels
}

/** Labels of a key. */
export function pairsOfKey(key: string): readonly Label[] {
  return JSON.parse(key) as Label[]
}

export function labelsOfPairs(pairs: readonly Label[]): Labels {
  return Object.fromEntries(pairs)
}

function quoted(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}…` : name
}
