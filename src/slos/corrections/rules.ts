import { type RecurringTimes, occurrencesIn } from './recurrence.ts'
import { type ServiceHours, serviceSpansIn } from './service-hours.ts'
import { clipTo, gapsIn, type TimeSpan, unionOf } from './spans.ts'

/** Rule by which times of an SLO do not count: a correction, once or recurring, or its service hours. */
export type ExclusionRule =
  | { correction: number; from: number; to: number }
  | { correction: number; recurring: RecurringTimes }
  | { service: ServiceHours }

const minuteSeconds = 60

/** Times inside a window that any of the rules excludes: whole minutes, each minute that a rule touches, oldest first. */
export function excludedSpans(rules: readonly ExclusionRule[], window: TimeSpan): TimeSpan[] {
  const spans = rules.flatMap((rule) => {
    if ('service' in rule) return gapsIn(unionOf(serviceSpansIn(rule.service, window)), window)
    return 'recurring' in rule
      ? occurrencesIn(rule.recurring, window)
      : { startSeconds: rule.from, endSeconds: rule.to }
  })
  const whole = spans.map(({ startSeconds, endSeconds }) => ({
    startSeconds: Math.floor(startSeconds / minuteSeconds) * minuteSeconds,
    endSeconds: Math.ceil(endSeconds / minuteSeconds) * minuteSeconds,
  }))
  return clipTo(unionOf(whole), window)
}
