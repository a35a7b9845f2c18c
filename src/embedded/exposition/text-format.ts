import { charCodes, type Cursor, lineEnd, readRest, syntaxError, skipBlanks } from './cursor.ts'
import { readFamilyName } from './labels.ts'
import { readNumber, readWholeNumber } from './number.ts'
import type { Measurement } from './sample.ts'
import type { FamilyComment } from './scrape-cache.ts'

const { newline, hash, openBrace } = charCodes
const types = new Set(['counter', 'gauge', 'histogram', 'summary', 'untyped'])

/**
 * Skips a blank line of Prometheus' text format 0.0.4 and returns true; otherwise skips blanks at the start of the line, which only
 * a comment or an opening brace may follow.
 */
export function skipTextLine(cursor: Cursor): boolean {
  const { bytes, at: start } = cursor
  skipBlanks(cursor)
  const byte = bytes[cursor.at] ?? newline
  if (byte === newline) cursor.at += 1
  else if (byte !== hash && byte !== openBrace && cursor.at > start)
    throw syntaxError(cursor, 'a sample at the start of the line', start)
  return byte === newline
}

/** Reads value and timestamp of a sample, up to and including the line break. */
export function readTextValue(cursor: Cursor, into: Measurement): void {
  const { bytes } = cursor
  skipBlanks(cursor)
  const valueStart = cursor.at
  const value = readNumber(cursor, true)
  if (value === undefined) throw syntaxError(cursor, 'a number', valueStart)
  skipBlanks(cursor)
  into.value = value
  into.timestampMs = undefined
  if ((bytes[cursor.at] ?? newline) !== newline) {
    const timestampStart = cursor.at
    into.timestampMs = readWholeNumber(cursor)
    if (into.timestampMs === undefined) throw syntaxError(cursor, 'a timestamp in whole milliseconds', timestampStart)
    skipBlanks(cursor)
    if ((bytes[cursor.at] ?? newline) !== newline) throw syntaxError(cursor, 'the end of the line')
  }
  cursor.at += 1
}

/** Reads a comment; undefined for free text, that is, any comment other than HELP and TYPE. */
export function readTextComment(cursor: Cursor): FamilyComment | undefined {
  const { bytes, at } = cursor
  const [opening = '', keyword] =
    /^#[ \t]+(HELP|TYPE)[ \t]+/.exec(bytes.toString('latin1', at, lineEnd(bytes, at))) ?? []
  cursor.at += opening.length
  if (keyword === undefined) {
    readRest(cursor)
    return undefined
  }
  const name = readFamilyName(cursor)
  const textStart = cursor.at
  const text = readRest(cursor).slice(1) // without the blank after the name
  if (keyword === 'HELP') return { name, metadata: { help: /^[ \t]*$/.test(text) ? '' : unescapeHelp(text) } }
  if (!types.has(text)) throw syntaxError(cursor, `one of ${[...types].join(', ')}`, textStart)
  return { name, metadata: { type: text === 'untyped' ? 'unknown' : text } }
}

function unescapeHelp(text: string): string {
  return text.replace(/\\([\\n])/g, (_, char) => (char === 'n' ? '\n' : char))
}
