import { formatNumber } from '../../../format.ts'

/** Evaluations with the same result in a row. `worst`: the worst result among them; null: they are all alike. */
export function repeatedWords(count: number, worst: string | null): string {
  const last = `the last of ${formatNumber(count)}`
  return worst === null ? last : `${last}; the worst was: ${worst}`
}
