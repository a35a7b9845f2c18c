import type { CooperativeTask } from '../../concurrency/cooperative.ts'
import { charCodes, type Cursor, lineEnd, syntaxError, tooLarge } from './cursor.ts'
import { assertUtf8 } from './utf8.ts'
import { endOfSeries, type Grammar, grammarOf, readSeries } from './labels.ts'
import { readOpenMetricsComment, readOpenMetricsValue } from './open-metrics.ts'
import type { FamilyMetadata } from './sample.ts'
import { type CachedText, type FamilyComment, Sample, type ScrapeCache, textSlice, viewOf } from './scrape-cache.ts'
import { readTextComment, readTextValue, skipTextLine } from './text-format.ts'

/** Samples in the order of the text. If a series occurs twice at one time, Prometheus keeps the first. */
export type Exposition = { samples: Sample[]; metadata: ReadonlyMap<string, FamilyMetadata> }

const { tab, newline, space, hash, openBrace, closeBrace } = charCodes
const linesPerBatch = 100
const maxSkippedTexts = 3
const maxCommentBytes = 2000 // longer ones are not cached

/**
 * Reads a whole scrape like Prometheus 3.5: as OpenMetrics 1.0 if that is the content type (null: none was sent), otherwise as
 * text format 0.0.4. Of series that were in the last scrape with `cache`, only the numbers are read. The samples are valid until
 * the next call with `cache`, which reuses them: they would be most of the garbage of a scrape.
 *
 * An empty body has no samples. One bad line refuses the whole scrape: throws `invalid` with the line and what was expected
 * there, and `too_large` beyond the limit of samples. Stricter than Prometheus where that is lax by accident: a NUL at the start of a
 * line (it stops reading there without an error), and a duplicate label of which one is empty (it drops both).
 */
export function* parsingExposition(
  body: Uint8Array,
  contentType: string | null,
  cache: ScrapeCache,
): CooperativeTask<Exposition> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  const isOpenMetrics = isOpenMetricsType(contentType)
  const samples = cache.takeSamples()
  const reading = startReading({ bytes, at: 0, linesBefore: 0 }, { isOpenMetrics, cache, samples })
  let isRead = false
  try {
    yield* assertUtf8(bytes, 0, isOpenMetrics ? 'nothing' : 'free comments')
    yield* readingLines(reading)
    if (isOpenMetrics && !reading.isEnded && bytes.length > 0) throw syntaxError(reading.cursor, '"# EOF"')
    isRead = true
    samples.length = reading.count
    cache.keep(reading.order, reading.comments, samples)
    return { samples, metadata: cache.metadata }
  } finally {
    if (!isRead) cache.clear()
  }
}

function isOpenMetricsType(contentType: string | null): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === 'application/openmetrics-text'
}

/**
 * `isBackfill`: rounds timestamps and refuses samples without one. `samples`: objects to overwrite. `grammar` and `isEnded` (by
 * `# EOF`): the state after earlier lines, absent at the start of a text.
 */
type ReadingOptions = {
  isOpenMetrics: boolean
  isBackfill?: boolean
  cache: ScrapeCache
  samples: Sample[]
  grammar?: Grammar
  isEnded?: boolean
}

/**
 * State of reading, with the cursor at the start of a line. `expected`: number of texts of the last scrape that were met or
 * skipped. `count`: number of samples read.
 */
type Reading = Required<ReadingOptions> & {
  readonly cursor: Cursor
  readonly view: DataView
  expected: number
  count: number
  readonly order: CachedText[]
  readonly comments: FamilyComment[]
}

/** State before the first line of the cursor's bytes, which must be UTF-8 (`assertUtf8`) and end with a whole line. */
export function startReading(cursor: Cursor, options: ReadingOptions): Reading {
  return {
    isBackfill: false,
    grammar: grammarOf(options.isOpenMetrics, undefined),
    isEnded: false,
    ...options,
    cursor,
    view: viewOf(cursor.bytes),
    expected: 0,
    count: 0,
    order: [],
    comments: [],
  }
}

/** Reads all lines. At a bad one, throws `invalid` after those before it were read. */
export function* readingLines(reading: Reading): CooperativeTask<void> {
  const { cursor } = reading
  for (let line = 1; cursor.at < cursor.bytes.length; line += 1) {
    if (reading.isEnded) throw syntaxError(cursor, 'nothing after "# EOF"')
    readLine(reading)
    if (line % linesPerBatch === 0) yield
  }
}

function readLine(reading: Reading): void {
  const { cursor, isOpenMetrics } = reading
  const cachedText = expectedText(reading)
  if (cachedText?.comment) {
    cursor.at += cachedText.length
    recordComment(reading, cachedText, cachedText.comment)
  } else if (cachedText) {
    readSample(reading, cachedText)
  } else if (isOpenMetrics || !skipTextLine(cursor)) {
    if (cursor.bytes[cursor.at] === hash) readComment(reading)
    else readSample(reading, undefined)
  }
}

/** Text of the last scrape at this position, or slightly further on. */
function expectedText({ cache: { order }, grammar, cursor, view, expected }: Reading): CachedText | undefined {
  for (let index = expected; index <= expected + maxSkippedTexts; index += 1) {
    const text = order[index]
    if (text?.grammar === grammar && text.isAt(view, cursor.at) && endsHere(text, cursor)) return text
  }
  return undefined
}

/** True if the series or comment at the cursor ends with the text: after a name without labels, blanks and no brace must follow. */
function endsHere(text: CachedText, { bytes, at }: Cursor): boolean {
  const end = at + text.length
  const last = bytes[end - 1]
  if (last === closeBrace || last === newline) return true
  let next = end
  while (bytes[next] === space || bytes[next] === tab) next += 1
  return next > end && bytes[next] !== openBrace
}

function readSample(reading: Reading, cachedText: CachedText | undefined): void {
  const { cursor, isOpenMetrics, isBackfill, cache, samples, count } = reading
  const lineStart = cursor.at
  const sample = (samples[count] ??= new Sample())
  sample.uncachedLabels = undefined
  if (cachedText) cursor.at += cachedText.length
  const text = cachedText ?? readText(reading, sample)
  sample.text = text
  if (isOpenMetrics) readOpenMetricsValue(cursor, cache.options.limits, isBackfill, sample)
  else readTextValue(cursor, sample)
  if (isBackfill && sample.timestampMs === undefined) throw syntaxError(cursor, 'a sample with a timestamp', lineStart)
  const { samples: max } = cache.options.limits
  if (count >= max) throw tooLarge(`at most ${max} samples`)
  reading.count += 1
  if (text) recordText(reading, text)
}

/** Reads a series that is not at its place in the last scrape. Undefined, with the labels in `sample`, if it is not cached. */
function readText(reading: Reading, sample: Sample): CachedText | undefined {
  const { cursor, view, isOpenMetrics, cache, grammar, isBackfill: keepsLabels } = reading
  const end = endOfSeries(cursor, isOpenMetrics)
  const slice = end < 0 ? undefined : textSlice(cursor.bytes, view, cursor.at, end)
  const cachedText = slice && cache.find(slice, grammar)
  if (cachedText) {
    cursor.at = end
    return cachedText
  }
  const labels = readSeries(cursor, grammar, cache.options)
  const text = slice && cursor.at === end ? cache.add(slice, { grammar, comment: undefined }) : undefined
  if (!text || keepsLabels) sample.uncachedLabels = labels
  return text
}

function readComment(reading: Reading): void {
  const { cursor, view, isOpenMetrics, cache, grammar } = reading
  const { bytes, at } = cursor
  const end = lineEnd(bytes, at)
  const slice = textSlice(bytes, view, at, end)
  const cachedText = cache.find(slice, grammar)
  if (cachedText?.comment) {
    cursor.at = end
    recordComment(reading, cachedText, cachedText.comment)
    return
  }
  const comment = isOpenMetrics ? readOpenMetricsComment(cursor) : readTextComment(cursor)
  if (comment === 'EOF') reading.isEnded = true
  else if (comment) {
    const isCacheable = cursor.at === end && bytes[end - 1] === newline && end - at <= maxCommentBytes
    recordComment(reading, isCacheable ? cache.add(slice, { grammar, comment }) : undefined, comment)
  }
}

function recordComment(reading: Reading, text: CachedText | undefined, comment: FamilyComment): void {
  const { type } = comment.metadata
  reading.comments.push(comment)
  if (text) recordText(reading, text)
  if (type !== undefined) reading.grammar = grammarOf(reading.isOpenMetrics, type)
}

function recordText(reading: Reading, text: CachedText): void {
  const { cache, order, expected } = reading
  for (let index = expected; index <= expected + maxSkippedTexts; index += 1) {
    if (cache.order[index] !== text) continue
    reading.expected = index + 1
    break
  }
  order.push(text)
}
