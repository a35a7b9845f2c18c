import { parseFloat64 } from './number.ts'

/** A number read from bytes; `end`: position after it. */
export type FoundNumber = { value: number; end: number }

const maxExactDigits = 15
const tens = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`)) // all of them exact
const [zero, nine, dot, minus, space, newline] = [48, 57, 46, 45, 32, 10]

/**
 * Reads the number from `from` up to a space, line break or the end, to the same double as `parseFloat64`. False if there is
 * none. Up to 15 digits and a power of ten up to 22 are exact, so their quotient is rounded only once.
 */
export function readNumberBytes(bytes: Buffer, from: number, into: FoundNumber): boolean {
  let at = from
  const isNegative = bytes[at] === minus
  if (isNegative) at += 1
  const first = at
  let digits = 0
  let dotAt = -1
  let byte = bytes[at] ?? newline
  for (; ; at += 1, byte = bytes[at] ?? newline) {
    if (byte >= zero && byte <= nine) digits = digits * 10 + byte - zero
    else if (byte === dot && dotAt < 0) dotAt = at
    else break
  }
  if (byte !== space && byte !== newline) return readWordBytes(bytes, from, into)
  const count = at - first - (dotAt < 0 ? 0 : 1)
  if (count === 0 || count > maxExactDigits) return readWordBytes(bytes, from, into)
  if (dotAt >= 0) digits /= tens[at - dotAt - 1] ?? NaN
  into.value = isNegative ? -digits : digits
  into.end = at
  return true
}

/** Reads via a string of one character per byte, which is enough for every number. */
function readWordBytes(bytes: Buffer, from: number, into: FoundNumber): boolean {
  let end = from
  while (end < bytes.length && bytes[end] !== space && bytes[end] !== newline) end += 1
  const value = parseFloat64(bytes.toString('latin1', from, end))
  if (value === undefined) return false
  into.value = value
  into.end = end
  return true
}
