import { markStale } from '../promql/reader.ts'
import { type Columns, columns, inOrder, type SampleValue, wordsOf } from './columns.ts'
import { Blocks } from './encoding/block.ts'
import type { Head, Series } from './series.ts'

/** The series that have a head, by the age of their heads in the log, and those whose head fills a chunk. */
export type Heads = {
  append(series: Series, log: number, timeMs: number, value: SampleValue): void
  /** As `append`, with the bits of the value. */
  appendFrom(series: Series, log: number, from: Columns, index: number): void
  /** Lists series that may be packed, at most so many, whose heads are full or as old as a row of the log before this one. */
  due(beforeLog: number, max: number, mayBe: (series: Series) => boolean): Series[]
  /** The oldest row of the log that a head needs; undefined where none needs one. */
  oldestLog(): number | undefined
  drop(series: Series): void
  /** Removes the first samples of a head that is in order, so many and not all, because chunks have them. It stays due. */
  removeFirst(series: Series, count: number): void
  /** The head stays although it is full, and is due again once it has grown or is old in the log. */
  postpone(series: Series): void
  all(): Iterable<Series>
}

const smallestFull = 180
const keptDropped = 8 // an eighth of the list may be heads that were dropped
const spread = 120 // series that begin together are not packed together

export function createHeads(): Heads {
  const blocks = new Blocks()
  let held: Head[] = [] // in the order of `firstLog`, because a head begins with the row that is being made
  let dropped = 0 // of these
  const full = new Set<Series>()

  function headOf(series: Series, log: number): Head {
    if (series.head) return series.head
    const head = { ...blocks.begin(), blocks, series, length: 0, ordered: true, firstLog: log }
    held.push(head)
    series.head = head
    return head
  }

  function add(series: Series, log: number, timeMs: number, low: number, high: number): void {
    const head = headOf(series, log)
    addTo(head, timeMs, low, high)
    if (head.length >= smallestFull + (series.id % spread)) full.add(series)
  }

  return {
    append(series, log, timeMs, value) {
      if (value === 'stale') markStale(one, 0)
      else one[0] = value
      add(series, log, timeMs, oneAsWords[0] ?? 0, oneAsWords[1] ?? 0)
    },
    appendFrom(series, log, { timesMs, values }, index) {
      const words = wordsOf(values)
      add(series, log, timesMs[index] ?? 0, words[2 * index] ?? 0, words[2 * index + 1] ?? 0)
    },
    due(beforeLog, max, mayBe) {
      const found = new Set<Series>()
      for (const { series, firstLog } of held) {
        if (found.size >= max || firstLog >= beforeLog) break
        if (series && !isHeld(series) && mayBe(series)) found.add(series)
      }
      for (const series of full) {
        if (found.size >= max) break
        if (!isHeld(series) && mayBe(series)) found.add(series)
      }
      return [...found]
    },
    oldestLog() {
      return held.find(({ series }) => series)?.firstLog
    },
    drop(series) {
      full.delete(series)
      if (!series.head) return
      blocks.free(series.head)
      series.head.series = undefined
      series.head = undefined
      dropped += 1
      if (dropped * keptDropped < held.length) return
      held = held.filter((head) => head.series) // another list: who goes over the last one goes on
      dropped = 0
    },
    removeFirst({ head }, count) {
      if (!head) return
      head.blocks.removeFirst(head, count)
      head.length -= count
    },
    postpone: (series) => void full.delete(series),
    *all() {
      for (const { series } of held) if (series) yield series
    },
  }
}

/** What a chunk has is seen by all readers, so a head with samples that are not to be seen yet stays. */
const isHeld = ({ hold }: Series) => (hold?.fromMs ?? Infinity) < Infinity

const one = new Float64Array(1)
const oneAsWords = wordsOf(one)

function addTo(head: Head, timeMs: number, low: number, high: number): void {
  if (timeMs <= head.blocks.lastMs(head.last)) head.ordered = false
  head.length += 1
  head.blocks.add(head, timeMs, low, high)
}

/** Its samples in order, one a time: at least those in [fromMs, toMs]. */
export function samplesOf(head: Head, fromMs = -Infinity, toMs = Infinity): Columns {
  if (!head.ordered) putInOrder(head)
  const found = columns(0)
  head.blocks.read(head, found, fromMs, toMs)
  return found
}

/** Its first samples in order, at least so many where it has them, in place of what is there. */
export function readFirst(head: Head, into: Columns, count: number): void {
  if (!head.ordered) putInOrder(head)
  into.length = 0
  head.blocks.read(head, into, -Infinity, Infinity, count)
}

function putInOrder(head: Head): void {
  const all = columns(0)
  head.blocks.read(head, all, -Infinity, Infinity)
  const { timesMs, values, length } = inOrder(all)
  const words = wordsOf(values)
  head.blocks.free(head)
  Object.assign(head, head.blocks.begin(), { length: 0, ordered: true })
  for (let at = 0; at < length; at += 1) addTo(head, timesMs[at] ?? 0, words[2 * at] ?? 0, words[2 * at + 1] ?? 0)
}

/** The times of its first and of its last sample. */
export function spanOf(head: Head): { fromMs: number; toMs: number } {
  return head.blocks.span(head)
}
