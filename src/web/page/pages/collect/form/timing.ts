import { linesOf, readLines, readNumber } from './lines.ts'

/** Fields that the forms of targets and probes have in common. */
export type TimingDraft = { name: string; interval: string; timeout: string; labels: string }

/** API fields of the values whose names differ from those in the API. */
export const timingNames = { interval: 'interval_seconds', timeout: 'timeout_seconds', isPaused: 'is_active' }

type Timed = { name: string; interval_seconds: number; timeout_seconds: number; labels: Record<string, string> }

/** Values for a new target or probe. */
export const freshTiming: TimingDraft = { name: '', interval: '30', timeout: '10', labels: '' }

export function draftOfTiming({ name, interval_seconds, timeout_seconds, labels }: Timed): TimingDraft {
  return {
    name,
    interval: String(interval_seconds),
    timeout: String(timeout_seconds),
    labels: linesOf(labels, '='),
  }
}

/** Fields for a request. Throws `FieldProblem` for an invalid number or label line. */
export function timingOf({ name, interval, timeout, labels }: TimingDraft): Timed {
  return {
    name,
    interval_seconds: readNumber(interval, 'interval_seconds'),
    timeout_seconds: readNumber(timeout, 'timeout_seconds'),
    labels: readLines(labels, '=', 'labels'),
  }
}
