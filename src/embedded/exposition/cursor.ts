import { AppError } from '../../errors.ts'

/** Position in a text that begins after `linesBefore` other lines. */
export type Cursor = { readonly text: string; at: number; readonly linesBefore: number }

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

const maxFound = 40

/** Error of an invalid exposition: the line, what was expected at `from`, and what was found there. */
export function refused({ text, at, linesBefore }: Cursor, expected: string, from = at): AppError {
  const end = text.indexOf('\n', from)
  const rest = text.slice(from, Math.min(end < 0 ? text.length : end, from + maxFound))
  return refusedLine(linesBefore + lineBreaks(text, from) + 1, expected, rest ? JSON.stringify(rest) : 'its end')
}

export function refusedLine(line: number, expected: string, found: string): AppError {
  return new AppError('invalid', 'Invalid exposition', {
    details: `line ${line}: expected ${expected}, found ${found}`,
  })
}

export function tooLarge(expected: string): AppError {
  return new AppError('too_large', 'Exposition too large', { details: `must be ${expected}` })
}

/** Number of lines that end before `end`. */
export function lineBreaks(text: string, end = text.length): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/** Skips blanks: spaces and tabs. */
export function skipBlanks(cursor: Cursor): void {
  for (;;) {
    const code = cursor.text.charCodeAt(cursor.at)
    if (code !== charCodes.space && code !== charCodes.tab) return
    cursor.at += 1
  }
}

/** Skips one character, which must be `code`. */
export function expectChar(cursor: Cursor, code: number, expected: string): void {
  if (cursor.text.charCodeAt(cursor.at) !== code) throw refused(cursor, expected)
  cursor.at += 1
}

/** Reads up to the next blank or line end; a tab is a blank only with `tabs`. */
export function readWord(cursor: Cursor, tabs: boolean): string {
  const { text, at: start } = cursor
  for (; cursor.at < text.length; cursor.at += 1) {
    const code = text.charCodeAt(cursor.at)
    if (code === charCodes.space || code === charCodes.newline || (tabs && code === charCodes.tab)) break
  }
  return text.slice(start, cursor.at)
}

/** Reads the rest of the line and skips the line break. */
export function readRest(cursor: Cursor): string {
  const { text, at: start } = cursor
  const end = text.indexOf('\n', start)
  cursor.at = end < 0 ? text.length : end + 1
  return text.slice(start, end < 0 ? text.length : end)
}

const labelName = 1
const metricName = 2
const digit = 4
const classes = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  if (/[a-zA-Z_]/.test(char)) return labelName | metricName
  if (char === ':') return metricName
  return /\d/.test(char) ? digit : 0
})

/** Reads a name of the classic alphabet, which needs no quotes. */
export function readName(cursor: Cursor, kind: 'metric' | 'label'): string {
  const { text, at: start } = cursor
  const allowed = kind === 'metric' ? metricName : labelName
  let at = start
  while (((classes[text.charCodeAt(at)] ?? 0) & (at === start ? allowed : allowed | digit)) !== 0) at += 1
  if (at === start) throw refused(cursor, `a ${kind} name`)
  cursor.at = at
  return text.slice(start, at)
}
