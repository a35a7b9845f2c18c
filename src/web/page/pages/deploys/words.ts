import type { AnnotationCost } from '../../api/history.ts'
import {
  formatCost,
  formatCount,
  formatDuration,
  formatNumber,
  formatPercent,
  list,
  plural,
  sentence,
} from '../../format.ts'

export type Cost = AnnotationCost['data']
export type SloCost = Cost['slos'][number]
type Span = SloCost['after']

export const kindWords: Record<string, string> = { deploy: 'Deploy', change: 'Change', note: 'Note' }

const resolutionWords: Record<SloCost['resolution'], string> = {
  '1m': 'to the minute',
  '1h': 'to the hour',
  '1d': 'to the day (UTC)',
}

/** Resolution of the figures of an SLO, as in `to the minute`. */
export function resolutionOf({ resolution }: Pick<SloCost, 'resolution'>): string {
  return resolutionWords[resolution]
}

/** SLO that lost the largest share of its budget; undefined: none is known. */
export function costliest({ slos }: Cost): SloCost | undefined {
  const known = slos.filter(({ after }) => after.budget_percent !== null)
  return known.toSorted((a, b) => (b.after.budget_percent ?? 0) - (a.after.budget_percent ?? 0))[0]
}

/** Share of the budget that a span used: `4.3 %`; null: not known. */
function shareOf({ budget_percent }: Span): string | null {
  return budget_percent === null ? null : formatCost(budget_percent)
}

/** Cost in a row: `4.3 %`, `4.3 % so far`, or why there is none. */
export function costWords(cost: Cost): string {
  if (cost.slo_count === 0) return 'Matches no SLO'
  const most = costliest(cost)
  const share = most && shareOf(most.after)
  if (!most || share === null || share === undefined) return 'Not measured yet'
  return most.complete ? share : `${share} so far`
}

/** Line below the cost: the SLO that it is of, the cost of the same time before, and the resolution. */
export function besideWords(cost: Cost): string | null {
  const most = costliest(cost)
  if (!most) return null
  const shareBefore = shareOf(most.before)
  const beside = shareBefore === null ? 'the time before was not measured' : `${shareBefore} in the same time before`
  const parts = [beside, resolutionOf(most)]
  return (cost.slo_count > 1 ? [`of ${most.slo_name}`, ...parts] : parts).join(' · ')
}

/** Names of the SLOs that it matches, at most three. */
export function matchedWords({ slo_count, slos }: Cost): string {
  const names = slos.slice(0, 3).map(({ slo_name }) => slo_name)
  const more = slo_count - names.length
  return list(more > 0 ? [...names, plural(more, '# more', '# more')] : names)
}

/** Budget of a span with its coverage: `4.3 %`, `4.3 %, 80 % of it measured`, `Not known yet`, `Not measured`. */
export function spanWords(span: Span): string {
  const share = shareOf(span)
  if (share === null) return span.coverage > 0 ? 'Not known yet' : 'Not measured'
  return span.coverage < 0.995 ? `${share}, ${formatPercent(100 * span.coverage)} of it measured` : share
}

/** Events or time of a span that failed: `12 of 3,010`, `4 min`. */
export function failedWords({ good, bad }: Span, unit: SloCost['unit']): string {
  if (good + bad === 0) return '–'
  return unit === 'seconds' ? formatDuration(bad) : `${formatCount(bad)} of ${formatCount(good + bad)}`
}

/** End of the span after an annotation. `nextDeploy`: a link to the one that ends it. */
export function endWords<Part>(
  { complete, after: { start_time, end_time } }: SloCost,
  nextDeploy: Part | null,
): (Part | string)[] {
  const seconds = (Date.parse(end_time) - Date.parse(start_time)) / 1000
  const length = formatDuration(seconds)
  if (nextDeploy !== null) {
    return complete ? sentence`${length}, until ${nextDeploy}` : sentence`${length} so far, until ${nextDeploy}`
  }
  return complete ? [`${length}, its window`] : [`${length} so far`]
}

/** Sentence on the page of an annotation: its cost to the SLO that lost most. */
export function costSentence(cost: Cost): string {
  const { slo_count, complete } = cost
  if (slo_count === 0) return 'It matches no SLO: none has all of its labels. It is on no chart, and has no cost.'
  const most = costliest(cost)
  const share = most && shareOf(most.after)
  if (!most || !share) return 'What it cost is not known yet: nothing of the time after it has been measured.'
  const shareBefore = shareOf(most.before)
  const used = complete ? `It used ${share}` : `Up to now it used ${share}`
  const of = `of the error budget of ${most.slo_name}`
  const whole = slo_count > 1 ? `${of}, the most of the ${formatNumber(slo_count)} SLOs that it matches` : of
  return shareBefore === null
    ? `${used} ${whole}; the same time before was not measured.`
    : `${used} ${whole}; in the same time before it was ${shareBefore}.`
}

export function addedText(title: string): string {
  return `${title}: added.`
}

/** SLOs of a deploy that are not listed. */
export function notListedSentence(more: number): string {
  return plural(more, '# more SLO is not listed.', '# more SLOs are not listed.')
}
