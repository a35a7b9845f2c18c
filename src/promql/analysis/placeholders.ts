import { type Edit, edited } from '../print.ts'
import { type PromqlReading, readPromql } from '../read.ts'
import type { Span } from '../syntax.ts'

/** Parsed expression whose placeholders are read as durations. `text` is as stored; all offsets refer to it. */
export type Template = PromqlReading & { text: string; placeholders: Span[] }

// Sloth writes {{.window}}, slo-generator [window], Grafana $__range.
const spellings =
  /\$\{[ \t]*window[ \t]*\}|\{\{[ \t]*\.?window[ \t]*\}\}|\[[ \t]*window[ \t]*\]|\$(?:window|__range)(?!\w)/g

/**
 * Parses an expression that may have placeholders. Each candidate is first replaced by a duration of the same length.
 * Candidates that the grammar finds in strings or comments are no placeholders and stay as written.
 */
export function readTemplate(text: string): Template {
  const reading = readPromql(
    text.replaceAll(spellings, (spelling) => durationFor(spelling, (length) => '1s'.padStart(length, '0'))),
  )
  const isCode = ({ from: at }: Span) => !reading.quoted.some(({ from, to }) => from <= at && at < to)
  const candidates = text.matchAll(spellings).map(({ 0: { length }, index }) => ({ from: index, to: index + length }))
  return { ...reading, text, placeholders: candidates.filter(isCode).toArray() }
}

/** Edits that replace each placeholder by the window. */
export function placeholderEdits({ text, placeholders }: Template, windowSeconds: number): Edit[] {
  return placeholders.map(({ from, to }) => ({
    from,
    to,
    text: durationFor(text.slice(from, to), () => `${windowSeconds}s`),
  }))
}

/** Expression with each placeholder replaced by the window: `$window` → `86400s`, `[window]` → `[86400s]`. */
export function fillPlaceholders(expression: string, windowSeconds: number): string {
  return edited(expression, placeholderEdits(readTemplate(expression), windowSeconds))
}

/** Placeholders directly next to a name or number (`ratio_rate$window`) instead of in the place of a duration. */
export function gluedPlaceholders({ text, placeholders }: Template): Span[] {
  return placeholders.filter(
    ({ from, to }) => text[from] !== '[' && /[\w:]/.test(text.charAt(from - 1) + text.charAt(to)),
  )
}

/** Replacement for a placeholder: a duration, in brackets if the placeholder has them. */
function durationFor(placeholder: string, duration: (length: number) => string): string {
  const { length } = placeholder
  return placeholder.startsWith('[') ? `[${duration(length - 2)}]` : duration(length)
}
