import type { BrokenDownLabel, Incident } from '../../../api/types.ts'
import { formatCount, formatDuration, formatShare, sentence } from '../../../format.ts'

/** A number of events, or a duration. */
export function formatAmount(amount: number, unit: 'events' | 'seconds'): string {
  return unit === 'events' ? formatCount(Math.round(amount)) : formatDuration(amount)
}

/** Value of a label; `(none)` if the label is missing. */
export function formatValue(value: string): string {
  return value === '' ? '(none)' : value
}

/** `route=/pay`. */
export function formatCause({ label, value }: { label: string; value: string }): string {
  return `${label}=${formatValue(value)}`
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
  const traffic = first.traffic_percent === null ? '' : ` with ${formatShare(first.traffic_percent)} of the traffic`
  return `${formatCause({ label, value: first.value })} has ${formatShare(first.failures_percent)} of the failures${traffic}.`
}

/**
 * Seconds for which an incident failed, without what was good in between; where time is counted, those that it used of the budget. `nowMs`:
 * the time up to which it still fails; null: it does not.
 */
export function failingSeconds(
  { bad_events, failing_seconds, ended_at }: Pick<Incident, 'bad_events' | 'failing_seconds' | 'ended_at'>,
  unit: 'events' | 'seconds',
  nowMs: number | null,
): number {
  if (nowMs !== null) return failing_seconds + (nowMs - Date.parse(ended_at)) / 1000
  return unit === 'seconds' ? bad_events : failing_seconds
}

/** When an alert fired, and how long. `seconds`: its duration; null: it still fires. */
export function firedWords<Part>(began: Part, seconds: number | null): (Part | string)[] {
  return seconds === null ? sentence`${began}, still firing` : sentence`${began}, ${formatDuration(seconds)}`
}
