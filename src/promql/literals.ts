import { isUtf8 } from 'node:buffer'
import { unreadable } from './errors.ts'

const unitMs = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 7 * 86_400_000],
  ['y', 365 * 86_400_000],
])

/** The value of an unsigned number as Go reads it: `1_000`, `0x1F`, `017` (octal), `Inf`; a duration counts its seconds. */
export function numberOf(text: string): number {
  const plain = text.replaceAll('_', '').toLowerCase()
  if (plain === 'inf') return Infinity
  if (plain === 'nan') return NaN
  if (/^0[0-7]+$/.test(plain)) return Number.parseInt(plain, 8)
  const value = Number(plain)
  if (!Number.isNaN(value)) return value
  let totalMs = 0
  for (const [, digits, unit = ''] of plain.matchAll(/(\d+)([a-z]+)/g))
    totalMs += Number(digits) * (unitMs.get(unit) ?? NaN)
  return totalMs / 1000
}

const simpleEscapes = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
])

/** What a literal with its quotes stands for, by the rules of Go; in backticks nothing is escaped. */
export function stringOf(literal: string): string {
  const quote = literal.charAt(0)
  if (literal.length < 2 || !literal.endsWith(quote)) throw unreadable('unterminated quoted string')
  const inside = literal.slice(1, -1)
  if (quote === '`') return inside
  const bytes: number[] = [] // \xff and \377 are bytes, of which several are a character
  const text = inside.replaceAll(
    /\\(?:([0-7]{3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.)|$)/gsu,
    (all, octal?: string, hex?: string, short?: string, long?: string, char?: string) => {
      const code = octal !== undefined ? Number.parseInt(octal, 8) : Number.parseInt(hex ?? short ?? long ?? '', 16)
      const text = char === undefined ? undefined : simpleEscapes.get(char)
      if (text !== undefined && char !== (quote === '"' ? "'" : '"')) return text
      const isByte = octal !== undefined || hex !== undefined
      const isSurrogate = code >= 0xd800 && code <= 0xdfff
      if (Number.isNaN(code) || code > (isByte ? 0xff : 0x10ffff) || isSurrogate)
        throw unreadable(`unknown escape sequence ${all}`)
      if (!isByte || code < 0x80) return String.fromCodePoint(code)
      bytes.push(code)
      return byteMark
    },
  )
  return bytes.length === 0 ? text : withBytes(text, bytes)
}

/** It is in no text that is well formed, and so in no query. */
const byteMark = '\ud800'

function withBytes(text: string, bytes: number[]): string {
  const parts = text.split(byteMark).flatMap((part, at) => [Buffer.from(part), Buffer.from(bytes.slice(at, at + 1))])
  const all = Buffer.concat(parts)
  if (!isUtf8(all)) throw unreadable('the bytes of a string must be UTF-8')
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
