import { charCodes, type Cursor, expectChar, lineEnd, readRest, syntaxError } from './cursor.ts'
import { grammarOf, readFamilyName, readLabels, unescapeLabel } from './labels.ts'
import { readNumber } from './number.ts'
import type { ExpositionLimits, Measurement } from './sample.ts'
import type { FamilyComment } from './scrape-cache.ts'

const types = new Set(['counter', 'gauge', 'histogram', 'gaugehistogram', 'summary', 'info', 'stateset', 'unknown'])
const { newline, space, hash, openBrace } = charCodes
const exemplarGrammar = grammarOf(true, undefined)

/**
 * Reads value and timestamp of a sample of OpenMetrics 1.0, up to and including the line break, by the rules of Prometheus 3's
 * scraper: one space between the parts. Validates and drops an exemplar. `shouldRound`: a timestamp is rounded to milliseconds, not
 * truncated.
 */
export function readOpenMetricsValue(
  cursor: Cursor,
  limits: ExpositionLimits,
  shouldRound: boolean,
  into: Measurement,
): void {
  into.value = readSpacedNumber(cursor, 'a space and a number')
  into.timestampMs = isAtSpace(cursor) && !hasExemplar(cursor) ? readTimestamp(cursor, shouldRound) : undefined
  if (hasExemplar(cursor)) {
    cursor.at += ' # {'.length
    readLabels(cursor, exemplarGrammar, limits)
    readSpacedNumber(cursor, 'a space and a number')
    if (isAtSpace(cursor)) readTimestamp(cursor, shouldRound)
  }
  expectChar(cursor, newline, 'the end of the line')
}

function isAtSpace({ bytes, at }: Cursor): boolean {
  return bytes[at] === space
}

/** True at ` # {`. */
function hasExemplar({ bytes, at }: Cursor): boolean {
  return bytes[at] === space && bytes[at + 1] === hash && bytes[at + 2] === space && bytes[at + 3] === openBrace
}

function readSpacedNumber(cursor: Cursor, expected: string): number {
  const start = cursor.at
  expectChar(cursor, space, expected)
  const value = readNumber(cursor, false)
  if (value === undefined) throw syntaxError(cursor, expected, start)
  return value
}

function readTimestamp(cursor: Cursor, shouldRound: boolean): number {
  const expected = 'a space and a timestamp in seconds'
  const start = cursor.at
  const seconds = readSpacedNumber(cursor, expected)
  if (!Number.isFinite(seconds)) throw syntaxError(cursor, expected, start)
  return (shouldRound ? Math.round : Math.trunc)(seconds * 1000) + 0 // computed in floating point, as in Prometheus; `+ 0` turns -0 into 0
}

/** Reads a comment: HELP, TYPE, UNIT or EOF. Throws `invalid` for any other. `# EOF` must be the last line. */
export function readOpenMetricsComment(cursor: Cursor): FamilyComment | 'EOF' {
  const { bytes, at: start } = cursor
  const line = bytes.toString('latin1', start, lineEnd(bytes, start))
  if (/^# EOF\n?$/.test(line)) {
    cursor.at += line.length
    return 'EOF'
  }
  const [opening = '', keyword] = /^# (HELP|TYPE|UNIT) /.exec(line) ?? []
  if (keyword === undefined) throw syntaxError(cursor, '"# HELP ", "# TYPE ", "# UNIT " or "# EOF"')
  cursor.at += opening.length
  const name = readFamilyName(cursor)
  expectChar(cursor, space, 'a space')
  const textStart = cursor.at
  const text = readRest(cursor)
  if (keyword === 'HELP') return { name, metadata: { help: unescapeLabel(text) } }
  if (keyword === 'TYPE') {
    if (!types.has(text)) throw syntaxError(cursor, `one of ${[...types].join(', ')}`, textStart)
    return { name, metadata: { type: text } }
  }
  if (text !== '' && !name.endsWith(`_${text}`)) throw syntaxError(cursor, 'a unit that ends the name', textStart)
  return { name, metadata: { unit: text } }
}
