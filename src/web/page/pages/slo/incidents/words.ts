import type { BrokenDownLabel } from '../../../api/types.ts'
import { formatCount, formatDuration, formatShare, plural, sentence } from '../../../format.ts'
import { formatCause } from './budget-incidents.ts'

/** A number of events, or a duration. */
export function formatAmount(amount: number, unit: 'events' | 'seconds'): string {
  return unit === 'events' ? formatCount(Math.round(amount)) : formatDuration(amount)
}

/** Sentence about a label's share of the failures. */
export function sentenceOfLabel({ label, explains, selects_failures, values_needed, values }: BrokenDownLabel): string {
  const [first] = values
  if (!first || !explains) return `Failures follow the traffic: no ${label} fails more than its share.`
  if (selects_failures) {
    return values_needed === 1
      ? `${formatShare(first.failures_percent)} of the failures are ${formatCause({ label, value: first.value })}.`
      : `${values_needed} of ${values.length} values of ${label} make up 80\u2009% of the failures.`
  }
  if (values_needed > 1) {
    return `${values_needed} of ${values.length} values of ${label} make up 80\u2009% of what failed beyond the share of traffic.`
  }
  const [cause, failures] = [formatCause({ label, value: first.value }), formatShare(first.failures_percent)]
  return first.traffic_percent === null
    ? `${cause} has ${failures} of the failures.`
    : `${cause} has ${failures} of the failures with ${formatShare(first.traffic_percent)} of the traffic.`
}

/** When an alert fired, and how long. `seconds`: its duration; null: it still fires. */
export function firedWords<Part>(began: Part, seconds: number | null): (Part | string)[] {
  return seconds === null ? sentence`${began}, still firing` : sentence`${began}, ${formatDuration(seconds)}`
}

/** Failures of an incident, of all events or of its time. */
export function failedOfWords(failed: number, total: number, unit: 'events' | 'seconds'): string {
  return `${formatAmount(failed, unit)} of ${formatAmount(total, unit)}`
}

/** Exactness of the times of an incident, and why they are not known to the minute. */
export function exactnessSentence(resolutionSeconds: number): string {
  return `Known to within ${formatDuration(resolutionSeconds)}: its samples are that far apart, or its minutes are no longer kept and the source did not answer for them.`
}

/** Values of a label that are not listed. */
export function moreValuesWords(more: number): string {
  return plural(more, '# more value', '# more values', String)
}

/** Largest share of an hour, a minute or a day that failed, in percent. */
export function worstWords(percent: number): string {
  return `${formatShare(percent)} failed`
}

const worstLabels: Record<number, string | undefined> = { 60: 'Worst minute', 3600: 'Worst hour', 86400: 'Worst day' }

/** Label of the worst step of an incident. */
export function worstLabel(stepSeconds: number): string {
  return worstLabels[stepSeconds] ?? `Worst ${formatDuration(stepSeconds)}`
}
