import { isUtf8 } from 'node:buffer'
import type { CooperativeTask } from '../../concurrency/cooperative.ts'
import { tooLarge } from './cursor.ts'
import {
  type Comment,
  type Grammar,
  grammarOf,
  CachedSample,
  type CachedText,
  type ScrapeCache,
  type FamilyComment,
  viewOf,
} from './scrape-cache.ts'
import { type FoundNumber, readNumberBytes } from './number-bytes.ts'
import { readOpenMetricsLine } from './open-metrics.ts'
import { type Exposition, isOpenMetrics, parsingExposition } from './parse.ts'
import type { Label, Sample } from './sample.ts'
import { endOfSeries } from './series-bytes.ts'
import { readTextLine, type Sink } from './text-format.ts'

/**
 * State of reading, up to `at`, the start of a line. `expected`: number of texts of the last scrape that were met or skipped.
 */
type Progress = {
  readonly bytes: Buffer
  readonly view: DataView
  readonly open: boolean
  readonly known: ScrapeCache
  at: number
  grammar: Grammar
  expected: number
  isEnded: boolean
  count: number
  readonly samples: CachedSample[]
  readonly order: CachedText[]
  readonly comments: FamilyComment[]
}

const [tab, newline, space, hash, zero, closeBrace] = [9, 10, 32, 35, 48, 125]
const linesPerBatch = 100
const maxPassedOver = 3
const maxComment = 2000 // bytes of a comment that is cached
const maxExactDigits = 15

/**
 * `parsingExposition` for a target that exposes the same series time after time: of series in `known`, which were in its last
 * scrape, only the numbers are read. Anything unusual or invalid is read by the same functions as there. The samples are valid
 * until the next call with `known`, which reuses them: they would be most of the garbage of a scrape.
 */
export function* parsingWithCache(
  body: Uint8Array,
  contentType: string | null,
  known: ScrapeCache,
): CooperativeTask<Exposition> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  const open = isOpenMetrics(contentType)
  const progress: Progress = {
    bytes,
    view: viewOf(bytes),
    open,
    known,
    at: 0,
    grammar: grammarOf(open, undefined),
    expected: 0,
    isEnded: false,
    count: 0,
    samples: known.takeSamples(),
    order: [],
    comments: [],
  }
  const { samples, order, comments } = progress
  let isKept = false
  try {
    for (let isPlain = isUtf8(bytes); isPlain && progress.at < bytes.length; yield) {
      for (let line = 0; isPlain && line < linesPerBatch && progress.at < bytes.length; line += 1) {
        isPlain = !progress.isEnded && (readKnown(progress) || readOther(progress))
      }
      const { samples: max } = known.options.limits
      if (isPlain && progress.count > max) throw tooLarge(`at most ${max} samples`)
    }
    isKept = progress.at >= bytes.length && (progress.isEnded || !open || bytes.length === 0)
    if (!isKept) return yield* parsingExposition(bytes, { contentType, ...known.options })
    samples.length = progress.count
    known.keep(order, comments, samples)
    return { samples, metadata: known.metadata }
  } finally {
    if (!isKept) known.clear()
  }
}

const found: FoundNumber = { value: 0, end: 0 }

/** Reads a line of a known text followed only by numbers. For any other line, changes nothing and returns false. */
function readKnown(progress: Progress): boolean {
  const { bytes, open } = progress
  const text = expectedText(progress) ?? foundText(progress)
  if (!text) return false
  let at = progress.at + text.length
  if (text.comment) {
    note(progress, text.comment)
  } else {
    if (!open) while (bytes[at] === space || bytes[at] === tab) at += 1
    else if (bytes[at] === space) at += 1
    else return false
    if (!readNumberBytes(bytes, at, found)) return false
    const { value } = found
    at = found.end
    let timestampMs: number | undefined
    if (bytes[at] === space) {
      if (!(open ? readSeconds(bytes, at + 1) : readMilliseconds(bytes, at + 1))) return false
      timestampMs = found.value
      at = found.end
    }
    if (at < bytes.length && bytes[at] !== newline) return false
    at += 1
    addSample(progress, text, value, timestampMs)
  }
  record(progress, text)
  progress.at = at
  return true
}

/** Text of the last scrape at this position, or slightly further on. */
function expectedText({ known, grammar, bytes, view, at, expected }: Progress): CachedText | undefined {
  const { order } = known
  for (let place = expected; place <= expected + maxPassedOver; place += 1) {
    const text = order[place]
    if (text?.grammar === grammar && text.isAt(view, at) && isWhole(text, bytes, at)) return text
  }
  return undefined
}

/** True if the text ends here: a name without labels is followed by a blank. */
function isWhole(text: CachedText, bytes: Buffer, at: number): boolean {
  const last = bytes[at + text.length - 1]
  const next = bytes[at + text.length]
  return last === closeBrace || last === newline || next === space || next === tab
}

function foundText({ known, grammar, bytes, view, at, open }: Progress): CachedText | undefined {
  const end = bytes[at] === hash ? lineEnd(bytes, at) : endOfSeries(bytes, at, open)
  return end < 0 ? undefined : known.find(view, at, end, grammar)
}

/** Reads an OpenMetrics timestamp; truncated to milliseconds as in `open-metrics`. */
function readSeconds(bytes: Buffer, from: number): boolean {
  if (bytes[from] === hash || !readNumberBytes(bytes, from, found) || !Number.isFinite(found.value)) return false
  found.value = Math.trunc(found.value * 1000) + 0 // no -0
  return true
}

function readMilliseconds(bytes: Buffer, from: number): boolean {
  found.value = 0
  let at = from
  for (let digit = (bytes[at] ?? 0) - zero; digit >= 0 && digit <= 9; digit = (bytes[at] ?? 0) - zero) {
    found.value = found.value * 10 + digit
    at += 1
  }
  found.end = at
  return at > from && at - from <= maxExactDigits
}

/** Reads a line of any kind and caches its text. False if it cannot be read on its own. */
function readOther(progress: Progress): boolean {
  const { bytes, view, open, known, at: from } = progress
  const isComment = bytes[from] === hash
  const seriesEnd = isComment ? -1 : endOfSeries(bytes, from, open)
  const end = lineEnd(bytes, Math.max(from, seriesEnd))
  const cursor = { text: bytes.toString('utf8', from, end), at: 0, linesBefore: 0 }
  const line: { sample?: Sample; comment?: FamilyComment } = {}
  const sink: Sink = {
    ...known.options,
    sample: (sample) => void (line.sample = sample),
    family: (name, metadata) => void (line.comment = { name, metadata }),
  }
  if (!isComment && progress.grammar.type) sink.type = progress.grammar.type
  try {
    if (open) progress.isEnded = readOpenMetricsLine(cursor, sink)
    else readTextLine(cursor, sink)
  } catch {
    return false
  }
  if (cursor.at < cursor.text.length) return false
  const { grammar } = progress
  let text: CachedText | undefined
  if (line.sample) {
    const { labels, value, timestampMs } = line.sample
    if (seriesEnd >= 0)
      text =
        known.find(view, from, seriesEnd, grammar) ?? known.add(view, from, seriesEnd, { grammar, comment: undefined })
    addSample(progress, text, value, timestampMs, labels)
  } else if (!progress.isEnded) {
    const comment = { family: line.comment, next: sink.type === undefined ? undefined : grammarOf(open, sink.type) }
    note(progress, comment)
    if (isComment && bytes[end - 1] === newline && end - from <= maxComment)
      text = known.add(view, from, end, { grammar, comment })
  }
  if (text) record(progress, text)
  progress.at = end
  return true
}

/** `labels`: used if there is no text to read them from again. */
function addSample(
  progress: Progress,
  text: CachedText | undefined,
  value: number,
  timestampMs: number | undefined,
  labels?: readonly Label[],
): void {
  const { samples, count } = progress
  const sample = samples[count] ?? new CachedSample()
  sample.text = text
  sample.value = value
  sample.timestampMs = timestampMs
  sample.own = text ? undefined : labels
  samples[count] = sample
  progress.count += 1
}

function record(progress: Progress, text: CachedText): void {
  const { known, order, expected } = progress
  for (let place = expected; place <= expected + maxPassedOver; place += 1) {
    if (known.order[place] !== text) continue
    progress.expected = place + 1
    break
  }
  order.push(text)
}

function note(progress: Progress, { family, next }: Comment): void {
  if (family) progress.comments.push(family)
  if (next) progress.grammar = next
}

/** Position after the line break, or the end. */
function lineEnd(bytes: Buffer, from: number): number {
  const at = bytes.indexOf(newline, from)
  return at < 0 ? bytes.length : at + 1
}
