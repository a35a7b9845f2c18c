import { charCodes, type Cursor, readWord } from './cursor.ts'

const decimalPattern = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const infinitePattern = /^([+-]?)inf(?:inity)?$/i
const maxExactDigits = 15
const tens = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`)) // all of them exact
const [zero, nine, dot, minus] = [48, 57, 46, 45]
const largestInt64 = 2n ** 63n - 1n

/**
 * Parses a float like Prometheus: Go's `ParseFloat` without hexadecimal and underscores. Undefined for anything else, and for a
 * finite number out of range.
 */
export function parseFloat64(text: string): number | undefined {
  if (decimalPattern.test(text)) {
    const value = Number(text)
    return Number.isFinite(value) ? value : undefined
  }
  if (text.toLowerCase() === 'nan') return NaN
  const sign = infinitePattern.exec(text)?.[1]
  if (sign === undefined) return undefined
  return sign === '-' ? -Infinity : Infinity
}

/**
 * Reads a word to the same double as `parseFloat64`. Up to 15 digits and a power of ten up to 22 are exact, so their quotient
 * is rounded only once. `allowTabs`: a tab ends the word.
 */
export function readNumber(cursor: Cursor, allowTabs: boolean): number | undefined {
  const { bytes, at: start } = cursor
  const isNegative = bytes[start] === minus
  const first = isNegative ? start + 1 : start
  let at = first
  let digits = 0
  let dotPosition = -1
  let byte: number = bytes[at] ?? charCodes.newline
  for (; ; at += 1, byte = bytes[at] ?? charCodes.newline) {
    if (byte >= zero && byte <= nine) digits = digits * 10 + byte - zero
    else if (byte === dot && dotPosition < 0) dotPosition = at
    else break
  }
  const count = at - first - (dotPosition < 0 ? 0 : 1)
  const isExact = count > 0 && count <= maxExactDigits
  if (!isExact || (byte !== charCodes.space && byte !== charCodes.newline))
    return parseFloat64(readWord(cursor, allowTabs))
  if (dotPosition >= 0) digits /= tens[at - dotPosition - 1] ?? NaN
  cursor.at = at
  return isNegative ? -digits : digits
}

/** Reads a word of digits up to the largest 64-bit integer; undefined for any other. A tab ends the word. */
export function readWholeNumber(cursor: Cursor): number | undefined {
  const { bytes, at: start } = cursor
  let at = start
  let value = 0
  for (let byte = bytes[at] ?? 0; byte >= zero && byte <= nine; byte = bytes[at] ?? 0) {
    value = value * 10 + byte - zero
    at += 1
  }
  const isExact = at > start && at - start <= maxExactDigits
  if (isExact && (bytes[at] ?? charCodes.newline) === charCodes.newline) {
    cursor.at = at
    return value
  }
  const word = readWord(cursor, true)
  const isWhole = /^\d+$/.test(word) && (word.length < 19 || (word.length < 100 && BigInt(word) <= largestInt64))
  return isWhole ? Number(word) : undefined
}

/** Formats a bound (a value of `le` or `quantile`) as Prometheus 3 stores it, `1.0` or `1e+06`; other text stays unchanged. */
export function formatBound(text: string): string {
  const value = parseFloat64(text)
  if (value === undefined) return text
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  if (value === 0) return '0.0'
  const [digits = '', exponent = ''] = value.toExponential().split('e')
  const places = Number(exponent)
  if (places < -4 || places > 5) return `${digits}e${exponent.slice(0, 1)}${exponent.slice(1).padStart(2, '0')}`
  const plain = String(value)
  return plain.includes('.') ? plain : `${plain}.0`
}
