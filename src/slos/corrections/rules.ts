import { type RecurringTimes, occurrencesIn } from './recurrence.ts'
import { type ServiceHours, serviceSpansIn } from './service-hours.ts'
import { clipTo, gapsIn, type TimeSpan, unionOf } from './spans.ts'

/** Rule by which times of an SLO do not count: a correction, once or recurring, or its service hours. */
export type ExclusionRule =
  | { correction: number; from: number; to: number }
  | { correction: number; recurring: RecurringTimes }
  | { service: ServiceHours }

/** Times that rules exclude inside a window: whole minutes, each minute that a rule touches, oldest first. */
export type Exclusion = (window: TimeSpan) => TimeSpan[]

const minuteSeconds = 60

/** Creates the function of the times that any of the rules excludes. It keeps what it has computed of recurring ones. */
export function createExclusion(rules: readonly ExclusionRule[]): Exclusion {
  const once = rules.flatMap((rule) =>
    'from' in rule ? inMinutes({ startSeconds: rule.from, endSeconds: rule.to }) : [],
  )
  const repeated = rules.flatMap((rule) => ('from' in rule ? [] : repeatedSpans(rule)))
  return (window) => {
    const inside = once.filter((span) => overlap(span, window))
    for (const spansIn of repeated) {
      for (const one of spansIn(window)) {
        const span = inMinutes(one)
        if (overlap(span, window)) inside.push(span)
      }
    }
    return clipTo(unionOf(inside), window)
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

function overlap(span: TimeSpan, window: TimeSpan): boolean {
  return span.startSeconds < window.endSeconds && span.endSeconds > window.startSeconds
}

type RepeatedRule = Exclude<ExclusionRule, { from: number }>

const maxKnownRules = 5000
const known = new Map<string, Exclusion>()

/** Spans of a rule that repeats. Equal rules share what was computed, because most stay when another one is added. */
function repeatedSpans(rule: RepeatedRule): Exclusion {
  const key = JSON.stringify('service' in rule ? rule.service : rule.recurring)
  if (known.size >= maxKnownRules) known.clear()
  return known.getOrInsertComputed(key, () =>
    byBlocks((window) =>
      'service' in rule
        ? gapsIn(unionOf(serviceSpansIn(rule.service, window)), window)
        : occurrencesIn(rule.recurring, window),
    ),
  )
}

const blockSeconds = 16 * 86_400
const maxBlocks = 100

/** Computes spans once for each block of 16 days. */
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
