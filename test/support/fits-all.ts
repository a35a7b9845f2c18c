import { type Labels, labelOf } from '../../src/promql/labels.ts'
import type { Matcher } from '../../src/promql/matchers.ts'

/** True if every matcher selects a series with these labels. */
export function fitsAll(matchers: readonly Matcher[], labels: Labels): boolean {
  return matchers.every(({ name, fits }) => fits(labelOf(labels, name)))
}
