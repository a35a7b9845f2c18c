import type { CheckpointRow } from '../../db/tables/tables.ts'
import type { Source } from '../../sources/source.ts'
import { type Bucket, minute, type Span } from '../bucket.ts'
import {
  queryCounters,
  type CountedSlo,
  type CounterAnswers,
  type CounterSides,
  countersOf,
  failureOf,
  goodOf,
  valueAt,
} from '../counters/query-counters.ts'
import { leadQuantity, defaultLookbackSeconds } from '../counters/quantities.ts'
import { knownSamplings } from '../counters/sampling.ts'
import { measureCounters } from '../measure/measure-counters.ts'

/** An SLO's own window over counters. `origin` identifies source and revision: another one means a new checkpoint. */
export type RollingWindow = CountedSlo & {
  revision: number
  origin: string
  windowSeconds: number
  /** Start of a calendar period, which nothing leaves; null: the start moves with the end. */
  fixedStartSeconds: number | null
  /** End of the last minute just measured in which series appeared, disappeared or were reset; null: there is none. */
  lastBreakEnd: number | null
}

export type WindowCheckpoint = { window: RollingWindow; checkpoint: CheckpointRow }

/**
 * Minutes at the start of an SLO's window, some of them queried ahead, since they ended long ago. `firstBreakStart` as in
 * `MeasuredBuckets`. A counter disappears from `increase` with its last sample, up to `lookbackSeconds` before that minute.
 */
export type StartMinutes = Map<
  number,
  { origin: string; buckets: Bucket[]; firstBreakStart: number | null; lookbackSeconds: number }
>

const minAheadSeconds = 600
const spreadSeconds = 600

/**
 * Moves each window's start to `atSeconds` minus its length, and subtracts the events that left: those between its first sample
 * before the move and its first sample after it. `leadGood` and `leadTotal` of a minute are the events that its first sample added.
 * If the source does not give a window's minutes, its start stays where it is, and its checkpoint is invalidated.
 */
export async function subtractLeftEvents(
  source: Source,
  minutes: StartMinutes,
  all: WindowCheckpoint[],
  atSeconds: number,
): Promise<void> {
  const moving = all.filter(({ window, checkpoint }) => checkpoint.left_until < atSeconds - window.windowSeconds)
  const incomplete = moving.filter((one) => passedMinutes(minutes, one, atSeconds) === null)
  const groups = Map.groupBy(incomplete, ({ window, checkpoint }) => `${checkpoint.left_until} ${window.windowSeconds}`)
  await Promise.all([...groups.values()].map((group) => prefetchStartMinutes(source, minutes, group, atSeconds)))

  for (const one of moving) {
    const { window, checkpoint } = one
    const passed = passedMinutes(minutes, one, atSeconds)
    if (passed === null) {
      checkpoint.invalidated_by ??= 'the source gave no minutes where the window starts'
      continue
    }
    const leftEvents = leftOf(passed)
    const { firstBreakStart = null, lookbackSeconds = 0 } = minutes.get(window.sloId) ?? {}
    const isPassed = firstBreakStart === null || firstBreakStart + minute <= checkpoint.left_until
    checkpoint.left_total += leftEvents.total
    checkpoint.left_counted += goodOf(window.counters, leftEvents.good, leftEvents.total)
    checkpoint.left_until = atSeconds - window.windowSeconds
    if (!isPassed && firstBreakStart <= checkpoint.left_until + lookbackSeconds) {
      checkpoint.invalidated_by ??= 'series came, went or began again where the window starts'
    }
  }
}

/** Minutes from the window's previous start to its present one; null if some are not known. */
function passedMinutes(
  minutes: StartMinutes,
  { window, checkpoint }: WindowCheckpoint,
  atSeconds: number,
): Bucket[] | null {
  const cached = minutes.get(window.sloId)
  const first = cached?.buckets[0]
  if (!cached || !first || cached.origin !== window.origin) return null
  const from = (checkpoint.left_until - first.startSeconds) / minute
  const to = (atSeconds - window.windowSeconds - first.startSeconds) / minute + 1 // also the minute at the new start, see `leftOf`
  const isKnown = to + cached.lookbackSeconds / minute <= cached.buckets.length
  return from >= 0 && isKnown ? cached.buckets.slice(from, to) : null
}

/**
 * Queries minutes ahead of the window. SLOs that are queried together stay together; how far ahead differs by group, so that
 * not all groups query in the same round.
 */
async function prefetchStartMinutes(
  source: Source,
  minutes: StartMinutes,
  group: WindowCheckpoint[],
  atSeconds: number,
): Promise<void> {
  const [first] = group
  if (!first) return
  const { windowSeconds, sloId } = first.window
  const startsAt = atSeconds - windowSeconds
  const aheadSeconds = Math.min(minAheadSeconds + ((sloId * minute) % spreadSeconds), windowSeconds / 4)
  const startSeconds = first.checkpoint.left_until
  const endSeconds = startsAt + minute + Math.floor(aheadSeconds / minute) * minute
  const windows = group.map(({ window }) => window)
  const samplings = knownSamplings(source, windows)
  const lookbackOf = ({ sloId }: RollingWindow) => samplings.get(sloId)?.lookbackSeconds ?? defaultLookbackSeconds
  const byLookback = Map.groupBy(windows, lookbackOf)
  await Promise.all(
    [...byLookback].map(([lookbackSeconds, some]) => {
      const span = { startSeconds, endSeconds: Math.max(endSeconds, startsAt + 2 * minute + lookbackSeconds) }
      return queryStartMinutes(source, minutes, some, { span, lookbackSeconds, startsAt, atSeconds })
    }),
  )
}

type StartRequest = { span: Omit<Span, 'resolution'>; lookbackSeconds: number; startsAt: number; atSeconds: number }

async function queryStartMinutes(
  source: Source,
  minutes: StartMinutes,
  windows: RollingWindow[],
  { span, lookbackSeconds, startsAt, atSeconds }: StartRequest,
): Promise<void> {
  const { startSeconds, endSeconds } = span
  const grid = {
    startSeconds: startSeconds + lookbackSeconds,
    endSeconds: endSeconds - minute + lookbackSeconds,
    stepSeconds: minute,
  }
  const [measured, leads] = await Promise.all([
    measureCounters(source, windows, { resolution: minute, ...span }, atSeconds),
    queryCounters(source, windows.flatMap(countersOf), leadQuantity(lookbackSeconds, lookbackSeconds), grid),
  ])
  for (const { sloId, origin, counters } of windows) {
    const result = measured.get(sloId)
    if (!result || 'error' in result || failureOf(counters, [leads])) continue
    const { firstBreakStart } = result
    // Only the first break is known: later minutes are queried again when the window reaches them.
    const last = firstBreakStart === null ? Infinity : Math.max(firstBreakStart, startsAt) + lookbackSeconds
    const buckets = result.buckets
      .filter((bucket) => bucket.startSeconds <= last)
      .map((bucket) => withLead(bucket, counters, leads, lookbackSeconds))
    minutes.set(sloId, { origin, buckets, firstBreakStart, lookbackSeconds })
  }
}

/** Lead of a minute without samples, after missed scrapes: the events that the next sample added. */
function withLead(bucket: Bucket, counters: CounterSides, leads: CounterAnswers, lookbackSeconds: number): Bucket {
  const at = bucket.startSeconds + lookbackSeconds
  const leadTotal = valueAt(counters.total, leads, at) ?? 0
  if (leadTotal <= bucket.leadTotal) return bucket
  return { ...bucket, leadTotal, leadGood: goodOf(counters, valueAt(counters.counted, leads, at) ?? 0, leadTotal) }
}

/** Events that left: those of all minutes but the last, less the lead of the first, which the window never had, plus that of the last. */
function leftOf(buckets: Bucket[]): { good: number; total: number } {
  const [first] = buckets
  const last = buckets.at(-1)
  if (!first || !last) return { good: 0, total: 0 }
  const wholeBuckets = buckets.slice(0, -1)
  const good = wholeBuckets.reduce((sum, bucket) => sum + bucket.good, 0) - first.leadGood + last.leadGood
  const total = wholeBuckets.reduce((sum, bucket) => sum + bucket.total, 0) - first.leadTotal + last.leadTotal
  return { good, total }
}
