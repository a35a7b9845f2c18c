import { markStale, wordsOf } from '../promql/reader.ts'
import { type Columns, columns, inOrder, type SampleValue } from './columns.ts'
import { Blocks } from './encoding/block.ts'
import type { Head, StoredSeries } from './series.ts'

/** Series that have a head, sorted by the log row in which it begins, and series whose head fills a chunk. */
export type Heads = {
  append(series: StoredSeries, log: number, timeMs: number, value: SampleValue): void
  /** `append` of the sample at an index, with all bits of its value. */
  appendFrom(series: StoredSeries, log: number, from: Columns, index: number): void
  /** At most `max` series for which `isEligible` is true, and whose heads are full or begin in a log row before `beforeLog`. */
  due(beforeLog: number, max: number, isEligible: (series: StoredSeries) => boolean): StoredSeries[]
  /** Oldest log row that a head needs; undefined if none needs one. */
  oldestLogRow(): number | undefined
  drop(series: StoredSeries): void
  /** Removes the first `count` samples, but not all, of a sorted head, because chunks have them. The head stays due. */
  removeFirst(series: StoredSeries, count: number): void
  /** Keeps a full head; it is due again once it has grown, or is old in the log. */
  postpone(series: StoredSeries): void
  all(): Iterable<StoredSeries>
}

const smallestFull = 180
const maxDroppedRatio = 1 / 8 // dropped heads stay in the list until they are this share of it
const spread = 120 // so that series that begin together are not packed together

export function createHeads(): Heads {
  const blocks = new Blocks()
  let heads: Head[] = [] // sorted by `firstLog`, because a head begins with the current log row
  let dropped = 0 // number of dropped heads in `heads`
  const full = new Set<StoredSeries>()

  function headOf(series: StoredSeries, log: number): Head {
    if (series.head) return series.head
    const head = { ...blocks.begin(), blocks, series, length: 0, isOrdered: true, firstLog: log }
    heads.push(head)
    series.head = head
    return head
  }

  function add(series: StoredSeries, log: number, timeMs: number, low: number, high: number): void {
    const head = headOf(series, log)
    addTo(head, timeMs, low, high)
    if (head.length >= smallestFull + (series.id % spread)) full.add(series)
  }

  return {
    append(series, log, timeMs, value) {
      if (value === 'stale') markStale(scratch, 0)
      else scratch[0] = value
      add(series, log, timeMs, scratchWords[0] ?? 0, scratchWords[1] ?? 0)
    },
    appendFrom(series, log, { timesMs, values }, index) {
      const words = wordsOf(values)
      add(series, log, timesMs[index] ?? 0, words[2 * index] ?? 0, words[2 * index + 1] ?? 0)
    },
    due(beforeLog, max, isEligible) {
      const dueSeries = new Set<StoredSeries>()
      for (const { series, firstLog } of heads) {
        if (dueSeries.size >= max || firstLog >= beforeLog) break
        if (series && !hasHiddenSamples(series) && isEligible(series)) dueSeries.add(series)
      }
      for (const series of full) {
        if (dueSeries.size >= max) break
        if (!hasHiddenSamples(series) && isEligible(series)) dueSeries.add(series)
      }
      return [...dueSeries]
    },
    oldestLogRow() {
      return heads.find(({ series }) => series)?.firstLog
    },
    drop(series) {
      full.delete(series)
      if (!series.head) return
      blocks.free(series.head)
      series.head.series = undefined
      series.head = undefined
      dropped += 1
      if (dropped < heads.length * maxDroppedRatio) return
      heads = heads.filter((head) => head.series) // a new list: iterations over the old one continue
      dropped = 0
    },
    removeFirst({ head }, count) {
      if (!head) return
      head.blocks.removeFirst(head, count)
      head.length -= count
    },
    postpone: (series) => void full.delete(series),
    *all() {
      for (const { series } of heads) if (series) yield series
    },
  }
}

/** True if samples are hidden by a visibility barrier. Such a head is not packed, because all readers see chunks. */
const hasHiddenSamples = ({ barrier }: StoredSeries) => (barrier?.fromMs ?? Infinity) < Infinity

const scratch = new Float64Array(1) // a value, to read its words
const scratchWords = wordsOf(scratch)

function addTo(head: Head, timeMs: number, low: number, high: number): void {
  if (timeMs <= head.blocks.lastMs(head.last)) head.isOrdered = false
  head.length += 1
  head.blocks.add(head, timeMs, low, high)
}

/** Samples of a head, sorted, one per time: at least those in [fromMs, toMs]. */
export function samplesOf(head: Head, fromMs = -Infinity, toMs = Infinity): Columns {
  if (!head.isOrdered) putInOrder(head)
  const samples = columns(0)
  head.blocks.read(head, samples, fromMs, toMs)
  return samples
}

/** Reads the first samples of a head, sorted, at least `count` if it has them; replaces the contents of `into`. */
export function readFirst(head: Head, into: Columns, count: number): void {
  if (!head.isOrdered) putInOrder(head)
  into.length = 0
  head.blocks.read(head, into, -Infinity, Infinity, count)
}

function putInOrder(head: Head): void {
  const all = columns(0)
  head.blocks.read(head, all, -Infinity, Infinity)
  const { timesMs, values, length } = inOrder(all)
  const words = wordsOf(values)
  head.blocks.free(head)
  Object.assign(head, head.blocks.begin(), { length: 0, isOrdered: true })
  for (let at = 0; at < length; at += 1) addTo(head, timesMs[at] ?? 0, words[2 * at] ?? 0, words[2 * at + 1] ?? 0)
}

/** Times of the first and last sample of a head. */
export function spanOf(head: Head): { fromMs: number; toMs: number } {
  return head.blocks.span(head)
}
