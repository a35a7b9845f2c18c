import { charCodes, type Cursor, expectChar, readRest, readWord, refused } from './cursor.ts'
import { readFamilyName, readLabels, readSeries, unescapeLabel } from './labels.ts'
import { parseFloat64 } from './number.ts'
import type { Sink } from './text-format.ts'

const types = new Set(['counter', 'gauge', 'histogram', 'gaugehistogram', 'summary', 'info', 'stateset', 'unknown'])
const { newline, space, hash } = charCodes

/**
 * Reads one line of OpenMetrics 1.0 by the rules of Prometheus 3's scraper: one space between the parts, no empty lines, no
 * free comments. True for `# EOF`, which must be the last line.
 */
export function readOpenMetricsLine(cursor: Cursor, sink: Sink): boolean {
  if (cursor.text.charCodeAt(cursor.at) === hash) return readComment(cursor, sink)
  const labels = readSeries(cursor, { loose: false, keepEmpty: sink.keepEmpty, type: sink.type, limits: sink.limits })
  const value = readNumber(cursor, 'a space and a number')
  let timestampMs: number | undefined
  if (hasMore(cursor) && !hasExemplar(cursor)) timestampMs = readTimestamp(cursor, sink)
  if (hasExemplar(cursor)) readExemplar(cursor, sink)
  expectChar(cursor, newline, 'the end of the line')
  sink.sample({ labels, value, timestampMs })
  return false
}

function hasMore({ text, at }: Cursor): boolean {
  return text.charCodeAt(at) === space
}

function hasExemplar({ text, at }: Cursor): boolean {
  return text.startsWith(' # {', at)
}

/** Validates and drops an exemplar. */
function readExemplar(cursor: Cursor, sink: Sink): void {
  cursor.at += ' # {'.length
  readLabels(cursor, { loose: false, limits: sink.limits })
  readNumber(cursor, 'a space and a number')
  if (hasMore(cursor)) readTimestamp(cursor, sink)
}

function readNumber(cursor: Cursor, expected: string): number {
  const start = cursor.at
  expectChar(cursor, space, expected)
  const value = parseFloat64(readWord(cursor, false))
  if (value === undefined) throw refused(cursor, expected, start)
  return value
}

/** Reads a timestamp in seconds. A scrape truncates it to milliseconds, in floating point, like Prometheus. */
function readTimestamp(cursor: Cursor, { roundsTimes }: Sink): number {
  const expected = 'a space and a timestamp in seconds'
  const start = cursor.at
  const seconds = readNumber(cursor, expected)
  if (!Number.isFinite(seconds)) throw refused(cursor, expected, start)
  return (roundsTimes ? Math.round : Math.trunc)(seconds * 1000) + 0 // no -0
}

function readComment(cursor: Cursor, sink: Sink): boolean {
  const start = cursor.at
  const { text } = cursor
  const expectedKeyword = '"# HELP ", "# TYPE ", "# UNIT " or "# EOF"'
  if (text.startsWith('# EOF', start)) {
    if (readRest(cursor) === '# EOF') return true
    throw refused(cursor, expectedKeyword, start)
  }
  const opening = /# (HELP|TYPE|UNIT) /y
  opening.lastIndex = start
  const keyword = opening.exec(text)?.[1]
  if (keyword === undefined) throw refused(cursor, expectedKeyword, start)
  cursor.at = opening.lastIndex
  const name = readFamilyName(cursor)
  expectChar(cursor, space, 'a space')
  const saidAt = cursor.at
  const said = readRest(cursor)
  if (keyword === 'HELP') sink.family(name, { help: unescapeLabel(said) })
  else if (keyword === 'TYPE') {
    if (!types.has(said)) throw refused(cursor, `one of ${[...types].join(', ')}`, saidAt)
    sink.type = said
    sink.family(name, { type: said })
  } else {
    if (said !== '' && !name.endsWith(`_${said}`)) throw refused(cursor, 'a unit that ends the name', saidAt)
    sink.family(name, { unit: said })
  }
  return false
}
