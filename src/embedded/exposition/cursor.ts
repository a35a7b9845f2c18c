import { AppError } from '../../errors.ts'

/** Position in bytes that begin after `linesBefore` other lines. */
export type Cursor = { readonly bytes: Buffer; at: number; readonly linesBefore: number }

export const charCodes = {
  tab: 9,
  newline: 10,
  space: 32,
  quote: 34,
  hash: 35,
  comma: 44,
  equals: 61,
  backslash: 92,
  openBrace: 123,
  closeBrace: 125,
} as const

const maxFoundCharacters = 40
const maxFoundBytes = 4 * maxFoundCharacters

/** Error of an invalid exposition: the line, what was expected at `from`, and what was found there. */
export function syntaxError({ bytes, at, linesBefore }: Cursor, expected: string, from = at): AppError {
  const end = bytes.indexOf(charCodes.newline, from)
  const rest = bytes.toString('utf8', from, Math.min(end < 0 ? bytes.length : end, from + maxFoundBytes))
  const found = rest ? JSON.stringify(rest.slice(0, maxFoundCharacters)) : 'its end'
  return syntaxErrorIn(linesBefore + lineBreaks(bytes, from) + 1, expected, found)
}

export function syntaxErrorIn(line: number, expected: string, found: string): AppError {
  return new AppError('invalid', 'Invalid exposition', {
    details: `line ${line}: expected ${expected}, found ${found}`,
  })
}

export function tooLarge(expected: string): AppError {
  return new AppError('too_large', 'Exposition too large', { details: `must be ${expected}` })
}

/** Number of lines that end before `end`. */
export function lineBreaks(bytes: Buffer, end = bytes.length): number {
  const { newline } = charCodes
  let count = 0
  for (let at = bytes.indexOf(newline); at >= 0 && at < end; at = bytes.indexOf(newline, at + 1)) count += 1
  return count
}

/** Position after the next line break, or the end. */
export function lineEnd(bytes: Buffer, from: number): number {
  const at = bytes.indexOf(charCodes.newline, from)
  return at < 0 ? bytes.length : at + 1
}

/** Skips blanks: spaces and tabs. */
export function skipBlanks(cursor: Cursor): void {
  for (;;) {
    const byte = cursor.bytes[cursor.at]
    if (byte !== charCodes.space && byte !== charCodes.tab) return
    cursor.at += 1
  }
}

/** Skips one byte, which must be `code`. */
export function expectChar(cursor: Cursor, code: number, expected: string): void {
  if (cursor.bytes[cursor.at] !== code) throw syntaxError(cursor, expected)
  cursor.at += 1
}

/** Reads up to the next blank or line end, as Latin-1; a tab is a blank only with `allowTabs`. */
export function readWord(cursor: Cursor, allowTabs: boolean): string {
  const { bytes, at: start } = cursor
  for (; cursor.at < bytes.length; cursor.at += 1) {
    const byte = bytes[cursor.at]
    if (byte === charCodes.space || byte === charCodes.newline || (allowTabs && byte === charCodes.tab)) break
  }
  return bytes.toString('latin1', start, cursor.at)
}

/** Reads the rest of the line and skips the line break. */
export function readRest(cursor: Cursor): string {
  const { bytes, at: start } = cursor
  cursor.at = lineEnd(bytes, start)
  return bytes.toString('utf8', start, bytes[cursor.at - 1] === charCodes.newline ? cursor.at - 1 : cursor.at)
}

// Bits of `classes`: the names that a character may be part of.
const labelName = 1
const metricName = 2
const digit = 4
const classes = Uint8Array.from({ length: 256 }, (_, code) => {
  const char = String.fromCharCode(code)
  if (/[a-zA-Z_]/.test(char)) return labelName | metricName
  if (char === ':') return metricName
  return /\d/.test(char) ? digit : 0
})

/** Skips a name of the classic alphabet, which needs no quotes; stays if there is none. */
export function skipName(cursor: Cursor, kind: 'metric' | 'label'): void {
  const { bytes, at: start } = cursor
  const allowed = kind === 'metric' ? metricName : labelName
  let at = start
  while (((classes[bytes[at] ?? 0] ?? 0) & (at === start ? allowed : allowed | digit)) !== 0) at += 1
  cursor.at = at
}

export function readName(cursor: Cursor, kind: 'metric' | 'label'): string {
  const { bytes, at: start } = cursor
  skipName(cursor, kind)
  if (cursor.at === start) throw syntaxError(cursor, `a ${kind} name`)
  return bytes.toString('latin1', start, cursor.at)
}
