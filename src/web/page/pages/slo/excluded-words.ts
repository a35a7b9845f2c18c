import type { Budget } from '../../api/types.ts'
import { formatDuration, formatPercent, formatSli } from '../../format.ts'

type Excluded = Pick<
  NonNullable<Budget['excluded']>,
  'seconds' | 'share' | 'sli_without' | 'budget_used_percent_without' | 'resolution'
>

/** Part of the window that does not count, with the figures as if it did. `targetPercent`: that of the SLO. */
export function excludedWords(of: Excluded, targetPercent: number): string {
  const { seconds, share, sli_without: sli, budget_used_percent_without: used, resolution } = of
  const excluded = notCounted(`${formatDuration(seconds)} (${formatPercent(100 * share, 1)})`, resolution)
  if (sli === null || used === null) return excluded
  return `${excluded} With them ${formatSli(sli, targetPercent)} % was good, and ${formatPercent(used)} of the budget used.`
}

function notCounted(part: string, resolution: Excluded['resolution']): string {
  if (resolution === '1m') return `${part} do not count.`
  return resolution === '1h' ? `${part} do not count, to within an hour.` : `${part} do not count, to within a day.`
}
