import type { Span } from '../syntax.ts'

/** What replaces a stretch of a text; an empty stretch inserts. */
export type Edit = Span & { text: string }

/** The stretch `span` of the text with the edits that lie in it made; everything else byte for byte. */
export function edited(text: string, edits: readonly Edit[], span: Span = { from: 0, to: text.length }): string {
  let result = ''
  let at = span.from
  for (const edit of edits.toSorted((a, b) => a.from - b.from)) {
    if (edit.from < at || edit.to > span.to) continue
    result += text.slice(at, edit.from) + edit.text
    at = edit.to
  }
  return result + text.slice(at, span.to)
}
