import { type RecurringTimes, occurrencesIn } from './recurrence.ts'
import { type ServiceHours, serviceSpansIn } from './service-hours.ts'
import { clipTo, gapsIn, type TimeSpan, unionOf } from './spans.ts'

/**
 * Rule by which times of an SLO do not count: a correction (by its id), once (`from` to `to`, Unix seconds) or recurring, or the
 * service hours of the SLO, outside which nothing counts.
 */
export type ExclusionRule =
  | { correction: number; from: number; to: number }
  | { correction: number; recurring: RecurringTimes }
  | { service: ServiceHours }

/** Times that rules exclude inside a window: whole minutes, each minute that a rule touches, oldest first. */
export type Exclusion = (window: TimeSpan) => TimeSpan[]

const minuteSeconds = 60

/** Creates a function that lists the times any of the rules excludes. Spans of recurring rules are cached. */
export function createExclusion(rules: readonly ExclusionRule[]): Exclusion {
  const oneTimeSpans = rules.flatMap((rule) =>
    'from' in rule ? inMinutes({ startSeconds: rule.from, endSeconds: rule.to }) : [],
  )
  const repeatedExclusions = rules.flatMap((rule) => ('from' in rule ? [] : repeatedSpans(rule)))
  return (window) => {
    const overlapping = oneTimeSpans.filter((span) => overlaps(span, window))
    for (const spansIn of repeatedExclusions) {
      for (const one of spansIn(window)) {
        const span = inMinutes(one)
        if (overlaps(span, window)) overlapping.push(span)
      }
    }
    return clipTo(unionOf(overlapping), window)
  }
}

/** Times inside a window that any of the rules excludes; see `Exclusion`. */
export function excludedSpans(rules: readonly ExclusionRule[], window: TimeSpan): TimeSpan[] {
  return createExclusion(rules)(window)
}

function inMinutes({ startSeconds, endSeconds }: TimeSpan): TimeSpan {
  return {
    startSeconds: Math.floor(startSeconds / minuteSeconds) * minuteSeconds,
    endSeconds: Math.ceil(endSeconds / minuteSeconds) * minuteSeconds,
  }
}

function overlaps(span: TimeSpan, window: TimeSpan): boolean {
  return span.startSeconds < window.endSeconds && span.endSeconds > window.startSeconds
}

type RepeatedRule = Exclude<ExclusionRule, { from: number }>

const maxCachedRules = 5000
const cachedRules = new Map<string, Exclusion>()

/** Spans of a rule that repeats, from a cache that equal rules share: most rules of an SLO stay when one is added. */
function repeatedSpans(rule: RepeatedRule): Exclusion {
  const key = JSON.stringify('service' in rule ? rule.service : rule.recurring)
  if (cachedRules.size >= maxCachedRules) cachedRules.clear()
  return cachedRules.getOrInsertComputed(key, () =>
    byBlocks((window) =>
      'service' in rule
        ? gapsIn(unionOf(serviceSpansIn(rule.service, window)), window)
        : occurrencesIn(rule.recurring, window),
    ),
  )
}

const blockSeconds = 16 * 86_400
const maxBlocks = 100

/** Computes spans once for each block of 16 days. A span that overlaps two blocks is returned for both. */
function byBlocks(spansIn: Exclusion): Exclusion {
  const blocks = new Map<number, TimeSpan[]>()
  return (window) => {
    const first = Math.floor(window.startSeconds / blockSeconds) * blockSeconds
    const spans: TimeSpan[][] = []
    for (let startSeconds = first; startSeconds < window.endSeconds; startSeconds += blockSeconds) {
      if (blocks.size >= maxBlocks) blocks.clear()
      const block = { startSeconds, endSeconds: startSeconds + blockSeconds }
      spans.push(blocks.getOrInsertComputed(startSeconds, () => spansIn(block)))
    }
    return spans.flat()
  }
}
