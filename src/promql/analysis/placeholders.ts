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
  const candidates = Array.from(text.matchAll(spellings), ({ 0: found, index }) => ({
    from: index,
    to: index + found.length,
  }))
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
  return placeholders.filter(
    ({ from, to }) => text[from] !== '[' && /[\w:]/.test(text.charAt(from - 1) + text.charAt(to)),
  )
}

function fill(text: string, { from, to }: Span, duration: (inside: { length: number }) => string): Edit {
  const length = to - from
  return { from, to, text: text[from] === '[' ? `[${duration({ length: length - 2 })}]` : duration({ length }) }
}
