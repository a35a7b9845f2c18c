import { type Columns, columns, inOrder, push, pushRange, put, type SampleValue } from './columns.ts'
import type { Head, Series } from './series.ts'

/** The series that have a head, by the age of their heads in the log, and those whose head fills a chunk. */
export type Heads = {
  append(series: Series, log: number, timeMs: number, value: SampleValue): void
  /** As `append`, with the bits of the value. */
  appendFrom(series: Series, log: number, from: Columns, index: number): void
  /** The series, at most so many, whose heads are full or as old as a row of the log before this one. */
  due(beforeLog: number, max: number): Set<Series>
  /** The oldest row of the log that a head needs, if these have none any more; undefined where none needs one. */
  oldestLog(without: Set<Series>): number | undefined
  drop(series: Series): void
  /** The head stays although it is full, and is due again once it has grown or is old in the log. */
  postpone(series: Series): void
  all(): Iterable<Series>
}

const smallestFull = 180
const spread = 120 // series that begin together are not packed together

export function createHeads(): Heads {
  const held = new Set<Series>() // in the order of `firstLog`, because a head begins with the row that is being made
  const full = new Set<Series>()

  function headOf(series: Series, log: number): Head {
    if (!series.head) {
      series.head = { samples: columns(16), ordered: true, firstLog: log }
      held.add(series)
    }
    return series.head
  }

  function noteFull(series: Series, head: Head) {
    if (head.samples.length >= smallestFull + (series.id % spread)) full.add(series)
  }

  return {
    append(series, log, timeMs, value) {
      const head = headOf(series, log)
      const { samples } = head
      const last = samples.length === 0 ? -Infinity : (samples.timesMs[samples.length - 1] ?? 0)
      if (timeMs === last) return put(samples, samples.length - 1, timeMs, value)
      if (timeMs < last) head.ordered = false
      push(samples, timeMs, value)
      noteFull(series, head)
    },
    appendFrom(series, log, from, index) {
      const head = headOf(series, log)
      const { samples } = head
      const last = samples.length === 0 ? -Infinity : (samples.timesMs[samples.length - 1] ?? 0)
      if ((from.timesMs[index] ?? 0) <= last) head.ordered = false
      pushRange(samples, from, index, index + 1)
      noteFull(series, head)
    },
    due(beforeLog, max) {
      const found = new Set<Series>()
      for (const series of held) {
        if (found.size >= max || (series.head?.firstLog ?? beforeLog) >= beforeLog) break
        if (!isHeld(series)) found.add(series)
      }
      for (const series of full) {
        if (found.size >= max) break
        if (!isHeld(series)) found.add(series)
      }
      return found
    },
    oldestLog(without) {
      for (const series of held) if (!without.has(series)) return series.head?.firstLog
      return undefined
    },
    drop(series) {
      series.head = undefined
      held.delete(series)
      full.delete(series)
    },
    postpone: (series) => void full.delete(series),
    all: () => held,
  }
}

/** What a chunk has is seen by all readers, so a head with samples that are not to be seen yet stays. */
const isHeld = ({ hold }: Series) => (hold?.fromMs ?? Infinity) < Infinity

/** Its samples in order. */
export function samplesOf(head: Head): Columns {
  if (!head.ordered) {
    head.samples = inOrder(head.samples)
    head.ordered = true
  }
  return head.samples
}
