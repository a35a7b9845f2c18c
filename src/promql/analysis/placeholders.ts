import { type Edit, edited } from './expression-edits.ts'
import { type PromqlReading, readPromql } from '../read.ts'
import type { Span } from '../syntax.ts'

/** An expression as stored, its placeholders read as durations; all offsets are offsets into `text`. */
export type Template = PromqlReading & { text: string; placeholders: Span[] }

// Sloth writes {{.window}}, slo-generator [window], Grafana $__range.
const spellings = [
  { open: '$', name: 'window', close: '' },
  { open: '${', name: 'window', close: '}' },
  { open: '{{', name: 'window', close: '}}' },
  { open: '{{', name: '.window', close: '}}' },
  { open: '[', name: 'window', close: ']' },
  { open: '$', name: '__range', close: '' },
]

/**
 * Reads an expression that may have placeholders. Those in strings and comments stay as written: each candidate is first
 * replaced by a duration of its own length, and the grammar then says which of them lie in code.
 */
export function readTemplate(text: string): Template {
  const candidates = findCandidates(text)
  const reading = readPromql(
    edited(
      text,
      candidates.map((span) => fill(text, span, ({ length }) => '1s'.padStart(length, '0'))),
    ),
  )
  const placeholders = candidates.filter(
    ({ from }) => !reading.quoted.some((span) => span.from <= from && from < span.to),
  )
  return { ...reading, text, placeholders }
}

/** The edits that make each placeholder the window. */
export function placeholderEdits({ text, placeholders }: Template, windowSeconds: number): Edit[] {
  return placeholders.map((span) => fill(text, span, () => `${windowSeconds}s`))
}

/** The expression with every placeholder made the window: `$window` → `86400s`, `[window]` → `[86400s]`. */
export function fillPlaceholders(expression: string, windowSeconds: number): string {
  return edited(expression, placeholderEdits(readTemplate(expression), windowSeconds))
}

/** The placeholders that are glued to a name or number (`ratio_rate$window`) instead of standing where a duration does. */
export function gluedPlaceholders({ text, placeholders }: Template): Span[] {
  return placeholders.filter(({ from, to }) => {
    const bracketed = text.startsWith('[', from)
    return !bracketed && (isNameChar(text.charAt(from - 1)) || isNameChar(text.charAt(to)))
  })
}

function fill(text: string, span: Span, duration: (inside: { length: number }) => string): Edit {
  const length = span.to - span.from
  const isBracketed = text.startsWith('[', span.from)
  return { ...span, text: isBracketed ? `[${duration({ length: length - 2 })}]` : duration({ length }) }
}

function findCandidates(text: string): Span[] {
  const found: Span[] = []
  for (let from = 0; from < text.length; from++) {
    const ends = spellings.map((spelling) => candidateEnd(text, from, spelling))
    const to = ends.find((end) => end !== undefined)
    if (to !== undefined) found.push({ from, to })
  }
  return found
}

function candidateEnd(
  text: string,
  from: number,
  { open, name, close }: (typeof spellings)[number],
): number | undefined {
  if (!text.startsWith(open, from)) return undefined
  const nameAt = close === '' ? from + open.length : skipBlanks(text, from + open.length)
  if (!text.startsWith(name, nameAt)) return undefined
  const end = nameAt + name.length
  if (close === '') return isWordChar(text.charAt(end)) ? undefined : end
  const closeAt = skipBlanks(text, end)
  return text.startsWith(close, closeAt) ? closeAt + close.length : undefined
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (text.charAt(at) === ' ' || text.charAt(at) === '\t') at++
  return at
}

function isNameChar(char: string): boolean {
  return isWordChar(char) || char === ':'
}

function isWordChar(char: string): boolean {
  return (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z') || (char >= '0' && char <= '9') || char === '_'
}
