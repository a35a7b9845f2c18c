import { type Edit, edited } from '../print.ts'
import { type PromqlReading, readPromql } from '../read.ts'
import type { Span } from '../syntax.ts'

/** An expression as stored, its placeholders read as durations; all offsets are offsets into `text`. */
export type Template = PromqlReading & { text: string; placeholders: Span[] }

// Sloth writes {{.window}}, slo-generator [window], Grafana $__range.
const spellings =
  /\$\{[ \t]*window[ \t]*\}|\{\{[ \t]*\.?window[ \t]*\}\}|\[[ \t]*window[ \t]*\]|\$(?:window|__range)(?!\w)/g

/**
 * Reads an expression that may have placeholders. Those in strings and comments stay as written: each candidate is first
 * replaced by a duration of its own length, and the grammar then says which of them lie in code.
 */
export function readTemplate(text: string): Template {
  const reading = readPromql(
    text.replaceAll(spellings, (found) => durationFor(found, (length) => '1s'.padStart(length, '0'))),
  )
  const isCode = ({ from: at }: Span) => !reading.quoted.some(({ from, to }) => from <= at && at < to)
  const candidates = text.matchAll(spellings).map(({ 0: { length }, index }) => ({ from: index, to: index + length }))
  return { ...reading, text, placeholders: candidates.filter(isCode).toArray() }
}

/** The edits that make each placeholder the window. */
export function placeholderEdits({ text, placeholders }: Template, windowSeconds: number): Edit[] {
  return placeholders.map(({ from, to }) => ({
    from,
    to,
    text: durationFor(text.slice(from, to), () => `${windowSeconds}s`),
  }))
}

/** The expression with every placeholder made the window: `$window` → `86400s`, `[window]` → `[86400s]`. */
export function fillPlaceholders(expression: string, windowSeconds: number): string {
  return edited(expression, placeholderEdits(readTemplate(expression), windowSeconds))
}

/** The placeholders that are glued to a name or number (`ratio_rate$window`) instead of standing where a duration does. */
export function gluedPlaceholders({ text, placeholders }: Template): Span[] {
  return placeholders.filter(
    ({ from, to }) => text[from] !== '[' && /[\w:]/.test(text.charAt(from - 1) + text.charAt(to)),
  )
}

/** What takes the place of a placeholder: a duration, in brackets where the placeholder has them. */
function durationFor(placeholder: string, duration: (length: number) => string): string {
  const { length } = placeholder
  return placeholder.startsWith('[') ? `[${duration(length - 2)}]` : duration(length)
}
