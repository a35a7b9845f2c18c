import { isUtf8 } from 'node:buffer'
import { dayMs, hourMs, minuteMs } from '../clock.ts'
import { AppError } from '../errors.ts'
import { invalidPromql } from './errors.ts'

/** Units of a duration in milliseconds, in the order in which Prometheus writes them. */
export const durationUnits = [
  ['y', 365 * dayMs],
  ['w', 7 * dayMs],
  ['d', dayMs],
  ['h', hourMs],
  ['m', minuteMs],
  ['s', 1000],
  ['ms', 1],
] as const
const unitMs = new Map<string, number>(durationUnits)

/** Value of an unsigned number as Go parses it: `1_000`, `0x1F`, `017` (octal), `Inf`; of a duration, its seconds. */
export function numberOf(text: string): number {
  const plain = text.replaceAll('_', '').toLowerCase()
  if (plain === 'inf') return Infinity
  if (/^0[0-7]+$/.test(plain)) return Number.parseInt(plain, 8)
  const value = Number(plain)
  return Number.isNaN(value) ? (durationSeconds(plain) ?? NaN) : value
}

/** Seconds of a PromQL duration (`1h30m`, `500ms`) or number (`300`, `0x1F`, `1_000`); undefined for anything else. */
export function durationSeconds(text: string): number | undefined {
  const plain = Number(text.replaceAll('_', ''))
  if (text !== '' && Number.isFinite(plain)) return plain
  let totalMs = 0
  let at = 0
  for (const [part, digits, unit = ''] of text.matchAll(/(\d+)([^\d]+)/gy)) {
    totalMs += Number(digits) * (unitMs.get(unit) ?? NaN)
    at += part.length
  }
  return at > 0 && at === text.length && !Number.isNaN(totalMs) ? totalMs / 1000 : undefined
}

const simpleEscapes = new Map(
  Object.entries({ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\\': '\\', "'": "'", '"': '"' }),
)

/** Text of a quoted literal, unescaped by the rules of Go; backticks have no escapes. Throws if it is malformed. */
export function stringOf(literal: string): string {
  const quote = literal.charAt(0)
  if (literal.length < 2 || !literal.endsWith(quote)) throw invalidPromql('unterminated quoted string')
  const inside = literal.slice(1, -1)
  if (quote === '`') return inside
  const bytes: number[] = [] // \xff and \377 are bytes; several may form one character
  const text = inside.replaceAll(
    /\\(?:([0-7]{3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.)|$)/gsu,
    (all, octal?: string, hex?: string, short?: string, long?: string, char?: string) => {
      const code = octal !== undefined ? Number.parseInt(octal, 8) : Number.parseInt(hex ?? short ?? long ?? '', 16)
      const unescaped = char === undefined ? undefined : simpleEscapes.get(char)
      if (unescaped !== undefined && char !== (quote === '"' ? "'" : '"')) return unescaped
      const isByte = octal !== undefined || hex !== undefined
      const isSurrogate = code >= 0xd800 && code <= 0xdfff
      if (Number.isNaN(code) || code > (isByte ? 0xff : 0x10ffff) || isSurrogate)
        throw invalidPromql(`unknown escape sequence ${all}`)
      if (!isByte || code < 0x80) return String.fromCodePoint(code)
      bytes.push(code)
      return byteMark
    },
  )
  return bytes.length === 0 ? text : withBytes(text, bytes)
}

/** Name without its quotes, if it has any. */
export const nameOf = (written: string) => (/^["'`]/.test(written) ? stringOf(written) : written)

/** Text of a name or literal without quotes; null if it is malformed. */
export function unquoted(written: string): string | null {
  try {
    return nameOf(written)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

/** Placeholder for an escaped byte: a lone surrogate, which no well-formed text (and so no query) contains. */
const byteMark = '\ud800'

function withBytes(text: string, bytes: number[]): string {
  const parts = text.split(byteMark).flatMap((part, at) => [Buffer.from(part), Buffer.from(bytes.slice(at, at + 1))])
  const all = Buffer.concat(parts)
  if (!isUtf8(all)) throw invalidPromql('the bytes of a string must be UTF-8')
  return all.toString()
}

/** A number as Go's `FormatFloat(value, 'f', -1, 64)` writes it: never with an exponent. */
export function decimal(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/.exec(String(value)) ?? []
  if (exponent === undefined) return String(value)
  const places = Number(exponent)
  const all = whole + fraction
  return places < 0 ? `${sign}0.${'0'.repeat(-places - 1)}${all}` : sign + all.padEnd(places + 1, '0')
}
