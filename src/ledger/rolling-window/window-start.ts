import type { CheckpointRow } from '../../db/tables/tables.ts'
import { askCounters, type CounterAnswers } from '../counters/ask-counters.ts'
import { leadOf } from '../counters/quantities.ts'
import { type Counters, countersOf, failureOf, goodOf, valueAt } from '../measure/counted.ts'
import { measureCounters } from '../measure/measure-counters.ts'
import type { Bucket } from '../bucket.ts'
import type { Source } from '../../sources/source.ts'

/** An SLO with two sides of counters; `origin` names source and revision: another one means a new checkpoint. */
export type StandingSlo = {
  sloId: number
  revision: number
  origin: string
  counters: Counters
  windowSeconds: number
  /** Up to this second series came, went or began again in the minutes just measured. */
  unsureUntil: number | null
}

export type Held = { one: StandingSlo; checkpoint: CheckpointRow }

/** Minutes at the start of an SLO's window, some of them before the window gets there: they are over long since. */
export type StartMinutes = Map<number, { origin: string; buckets: Bucket[]; unsureFrom: number | null }>

const minute = 60
const lookbackSeconds = 300 // a counter that went was last seen that long before, which is where `increase` lost it
const minAheadSeconds = 600
const spreadSeconds = 600

/**
 * Moves each window's start to where it is at `atSeconds`: what was counted between its first sample then and its first
 * sample now has left. The first sample from a minute on brings the minute's lead. A window whose minutes the source will not
 * give stays where it is, in invalidated_by.
 */
export async function subtractWhatLeft(
  source: Source,
  minutes: StartMinutes,
  held: Held[],
  atSeconds: number,
): Promise<void> {
  const moving = held.filter(({ one, checkpoint }) => checkpoint.left_until < atSeconds - one.windowSeconds)
  const lacking = moving.filter((it) => wanted(minutes, it, atSeconds) === null)
  const groups = Map.groupBy(lacking, ({ one, checkpoint }) => `${checkpoint.left_until} ${one.windowSeconds}`)
  await Promise.all([...groups.values()].map((group) => askAhead(source, minutes, group, atSeconds)))

  for (const it of moving) {
    const { one, checkpoint } = it
    const buckets = wanted(minutes, it, atSeconds)
    if (buckets === null) {
      checkpoint.invalidated_by ??= 'the source gave no minutes where the window starts'
      continue
    }
    const left = leftOf(buckets)
    const unsureFrom = minutes.get(one.sloId)?.unsureFrom ?? null
    const isPassed = unsureFrom === null || unsureFrom + minute <= checkpoint.left_until
    checkpoint.left_total += left.total
    checkpoint.left_counted += one.counters.counts === 'good' ? left.good : left.total - left.good
    checkpoint.left_until = atSeconds - one.windowSeconds
    if (!isPassed && unsureFrom <= checkpoint.left_until + lookbackSeconds) {
      checkpoint.invalidated_by ??= 'series came, went or began again where the window starts'
    }
  }
}

/** From the minute at which the window started to the one at which it does now, if all are known. */
function wanted(minutes: StartMinutes, { one, checkpoint }: Held, atSeconds: number): Bucket[] | null {
  const known = minutes.get(one.sloId)
  const first = known?.buckets[0]
  if (!known || !first || known.origin !== one.origin) return null
  const from = (checkpoint.left_until - first.startSeconds) / minute
  const to = (atSeconds - one.windowSeconds - first.startSeconds) / minute + 1
  const isKnown = to + lookbackSeconds / minute <= known.buckets.length
  return from >= 0 && isKnown ? known.buckets.slice(from, to) : null
}

/** SLOs that are asked for together ask again together: how far ahead they ask differs, so that not all do at once. */
async function askAhead(source: Source, minutes: StartMinutes, group: Held[], atSeconds: number): Promise<void> {
  const [first] = group
  if (!first) return
  const { one, checkpoint } = first
  const startsAt = atSeconds - one.windowSeconds
  const aheadSeconds = Math.min(minAheadSeconds + ((one.sloId * minute) % spreadSeconds), one.windowSeconds / 4)
  const span = {
    resolution: minute,
    startSeconds: checkpoint.left_until,
    endSeconds: startsAt + minute + Math.floor(aheadSeconds / minute) * minute,
  } as const
  const slos = group.map((it) => it.one)
  const grid = {
    startSeconds: span.startSeconds + lookbackSeconds,
    endSeconds: span.endSeconds - minute + lookbackSeconds,
    stepSeconds: minute,
  }
  const [measured, leads] = await Promise.all([
    measureCounters(source, slos, span),
    askCounters(source, slos.flatMap(countersOf), leadOf(lookbackSeconds), grid),
  ])
  for (const asked of slos) {
    const result = measured.get(asked.sloId)
    if (!result || 'error' in result || failureOf(asked.counters, [leads])) continue
    const { buckets, unsureFrom } = result
    // Only the first unsure minute is told: what lies behind it is asked again when its time comes.
    const last = unsureFrom === null ? Infinity : Math.max(unsureFrom, startsAt) + lookbackSeconds
    const told = buckets
      .filter(({ startSeconds }) => startSeconds <= last)
      .map((bucket) => withLead(bucket, asked.counters, leads))
    minutes.set(asked.sloId, { origin: asked.origin, buckets: told, unsureFrom })
  }
}

/** Where scrapes were missed, the first sample from a minute on lies behind it: what that brings is the minute's lead. */
function withLead(bucket: Bucket, counters: Counters, leads: CounterAnswers): Bucket {
  const at = bucket.startSeconds + lookbackSeconds
  const leadTotal = valueAt(counters.total, leads, at) ?? 0
  if (leadTotal <= bucket.leadTotal) return bucket
  return { ...bucket, leadTotal, leadGood: goodOf(counters, valueAt(counters.counted, leads, at) ?? 0, leadTotal) }
}

/** All that the minutes counted but for the last, less the first's lead, which was never in the window, … */
function leftOf(buckets: Bucket[]): { good: number; total: number } {
  const [first] = buckets
  const last = buckets.at(-1)
  if (!first || !last) return { good: 0, total: 0 }
  const whole = buckets.slice(0, -1)
  const good = whole.reduce((sum, bucket) => sum + bucket.good, 0) - first.leadGood + last.leadGood
  const total = whole.reduce((sum, bucket) => sum + bucket.total, 0) - first.leadTotal + last.leadTotal
  return { good, total } // … and with the lead of the last, which is the first of the window now
}
