import { formatNumber } from '../../../format.ts'

/** Metrics that are listed below the first ones. `all`: number of the target's metrics, if the answer does not have them all; otherwise null. */
export function moreWords(more: number, all: number | null): string {
  return all === null ? `${formatNumber(more)} more` : `${formatNumber(more)} more of ${formatNumber(all)}`
}
