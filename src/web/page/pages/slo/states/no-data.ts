import type { Budget, Series } from '../../../api/types.ts'
import { formatMoment } from '../../../format.ts'

/** Reasons for a missing SLI that the series can date, with the test for a point that is not affected. */
const missingReasons: Record<
  string,
  { word: string; isThere: (point: Series['points'][number]) => boolean } | undefined
> = {
  no_data: { word: 'No data', isThere: ({ coverage }) => coverage > 0 },
  no_traffic: { word: 'No traffic', isThere: ({ total }) => (total ?? 0) > 0 },
}

/** True if the series of the last day can show since when the SLI is missing. */
export function hasKnownStart(reason: string | null): boolean {
  return missingReasons[reason ?? ''] !== undefined
}

/** Sentence about since when an SLO has no SLI; null if unknown. `series`: of the last 24 hours, undefined until it is read. */
export function noDataText(
  { status_reason: reason, measured_at }: Pick<Budget, 'status_reason' | 'measured_at'>,
  series: Pick<Series, 'points' | 'step_seconds'> | undefined,
  nowMs: number,
): string | null {
  if (reason === 'source_error') {
    if (measured_at === null) return 'The source has not answered yet.'
    return `The source has not answered since ${formatMoment(Date.parse(measured_at), nowMs)}.`
  }
  const lack = missingReasons[reason ?? '']
  if (!lack) return null
  if (!series) return `${lack.word}.`
  const last = series.points.findLast(lack.isThere)
  if (!last) return `${lack.word} for more than 24 h.`
  return `${lack.word} since ${formatMoment(Date.parse(last.timestamp) + series.step_seconds * 1000, nowMs)}.`
}
