import { charCodes, type Cursor, readRest, readWord, refused, skipBlanks } from './cursor.ts'
import { readFamilyName, readSeries } from './labels.ts'
import { parseFloat64 } from './number.ts'
import type { ExpositionLimits, FamilyMetadata, Sample } from './sample.ts'

const types = new Set(['counter', 'gauge', 'histogram', 'summary', 'untyped'])
const largestTimestamp = 2n ** 63n - 1n

/** Receiver of the lines that are read, and options for reading them. */
export type Sink = {
  /** True: labels without a value are kept. */
  keepEmpty?: boolean | undefined
  limits: ExpositionLimits
  /** True: timestamps are rounded to milliseconds, not truncated. */
  roundsTimes?: boolean
  /** Type in the last TYPE line, of any family. */
  type?: string
  sample(sample: Sample): void
  family(name: string, comment: FamilyMetadata): void
}

/**
 * Reads one line of Prometheus' text format 0.0.4 (one entry: a label value may contain line breaks), by the rules of
 * Prometheus' scraper, which are wider than the documented ones.
 */
export function readTextLine(cursor: Cursor, sink: Sink): void {
  const start = cursor.at
  skipBlanks(cursor)
  const code = cursor.text.charCodeAt(cursor.at)
  if (code === charCodes.newline || cursor.at >= cursor.text.length) cursor.at += 1
  else if (code === charCodes.hash) readComment(cursor, sink)
  else if (cursor.at > start && code !== charCodes.openBrace)
    throw refused(cursor, 'a sample at the start of the line', start)
  else readSample(cursor, sink)
}

function readSample(cursor: Cursor, sink: Sink): void {
  const labels = readSeries(cursor, { loose: true, keepEmpty: sink.keepEmpty, type: sink.type, limits: sink.limits })
  skipBlanks(cursor)
  const valueAt = cursor.at
  const value = parseFloat64(readWord(cursor, true))
  if (value === undefined) throw refused(cursor, 'a number', valueAt)
  skipBlanks(cursor)
  const timestampAt = cursor.at
  const timestamp = readWord(cursor, true)
  if (timestamp !== '' && !isTimestamp(timestamp)) {
    throw refused(cursor, 'a timestamp in whole milliseconds', timestampAt)
  }
  skipBlanks(cursor)
  const left = cursor.at
  if (readRest(cursor) !== '') throw refused(cursor, 'the end of the line', left)
  sink.sample({ labels, value, timestampMs: timestamp === '' ? undefined : Number(timestamp) })
}

function isTimestamp(text: string): boolean {
  return /^\d+$/.test(text) && (text.length < 19 || (text.length < 100 && BigInt(text) <= largestTimestamp))
}

/** Any comment that is not HELP or TYPE is free text. */
function readComment(cursor: Cursor, sink: Sink): void {
  const opening = /#[ \t]+(HELP|TYPE)[ \t]+/y
  opening.lastIndex = cursor.at
  const keyword = opening.exec(cursor.text)?.[1]
  if (keyword === undefined) {
    readRest(cursor)
    return
  }
  cursor.at = opening.lastIndex
  const name = readFamilyName(cursor)
  const textAt = cursor.at
  const text = readRest(cursor).slice(1)
  if (keyword === 'HELP') {
    sink.family(name, { help: /^[ \t]*$/.test(text) ? '' : unescapeHelp(text) })
    return
  }
  if (!types.has(text)) throw refused(cursor, `one of ${[...types].join(', ')}`, textAt)
  sink.type = text
  sink.family(name, { type: text === 'untyped' ? 'unknown' : text })
}

function unescapeHelp(text: string): string {
  return text.replace(/\\([\\n])/g, (_, char) => (char === 'n' ? '\n' : char))
}
