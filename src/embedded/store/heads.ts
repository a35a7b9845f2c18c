import { markStale } from '../promql/reader.ts'
import { type Columns, columns, inOrder, reserve, type SampleValue, wordsOf } from './columns.ts'
import { addSample, type Block, freeBlock, newBlock, readBlock } from './encoding/block.ts'
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
      series.head = { blocks: [newBlock()], length: 0, ordered: true, firstLog: log }
      held.add(series)
    }
    return series.head
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
      series.head?.blocks.forEach(freeBlock)
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

const one = new Float64Array(1)
const oneAsWords = wordsOf(one)

function addTo(head: Head, timeMs: number, low: number, high: number): void {
  const block = head.blocks[head.blocks.length - 1]
  if (block && timeMs <= block.toMs) head.ordered = false
  head.length += 1
  if (block && addSample(block, timeMs, low, high)) return
  const next = newBlock()
  head.blocks.push(next)
  addSample(next, timeMs, low, high)
}

/** Its samples in order, one a time: at least those in [fromMs, toMs]. */
export function samplesOf(head: Head, fromMs = -Infinity, toMs = Infinity): Columns {
  if (!head.ordered) putInOrder(head)
  return read(head.blocks.filter((block) => block.toMs >= fromMs && block.fromMs <= toMs))
}

/** All its samples in order, in place of what is there. */
export function readAll(head: Head, into: Columns): Columns {
  if (!head.ordered) putInOrder(head)
  into.length = 0
  return read(head.blocks, into)
}

function read(blocks: readonly Block[], into = columns(0)): Columns {
  reserve(
    into,
    blocks.reduce((sum, { count }) => sum + count, 0),
  )
  for (const block of blocks) readBlock(block, into)
  return into
}

function putInOrder(head: Head): void {
  const { timesMs, values, length } = inOrder(read(head.blocks))
  const words = wordsOf(values)
  head.blocks.forEach(freeBlock)
  Object.assign(head, { blocks: [newBlock()], length: 0, ordered: true })
  for (let at = 0; at < length; at += 1) addTo(head, timesMs[at] ?? 0, words[2 * at] ?? 0, words[2 * at + 1] ?? 0)
}

/** The times of its first and of its last sample. */
export function spanOf({ blocks }: Head): { fromMs: number; toMs: number } {
  const [fromMs, toMs] = [blocks.map((block) => block.fromMs), blocks.map((block) => block.toMs)]
  return { fromMs: Math.min(...fromMs), toMs: Math.max(...toMs) }
}
