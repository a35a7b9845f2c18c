/** Placeholders of an SLO's query, as the server parses them. */
const placeholders =
  /\$\{[ \t]*window[ \t]*\}|\{\{[ \t]*\.?window[ \t]*\}\}|\[[ \t]*window[ \t]*\]|\$(?:window|__range)(?!\w)/g

/** Replaces each placeholder of a query with a duration (`5m`), so that the query can be run. */
export function withWindow(text: string, duration: string): string {
  return text.replaceAll(placeholders, (found) => (found.startsWith('[') ? `[${duration}]` : duration))
}

/** Replaces each placeholder, which the grammar of PromQL does not have, with a duration of the same length. */
export function withoutPlaceholders(text: string): string {
  return text.replaceAll(placeholders, (found) =>
    found.startsWith('[') ? `[${'1s'.padStart(found.length - 2, '0')}]` : '1s'.padStart(found.length, '0'),
  )
}

/**
 * Offset in a query of a problem that the server reports; null if its message names no position. nines writes "character 12",
 * Prometheus "1:12" (line and column).
 */
export function positionOf(message: string, text: string): number | null {
  const character = /\bcharacter (\d+)\b/.exec(message)?.[1]
  if (character !== undefined) return within(Number(character) - 1, text)
  const [, line, column] = /(?:^|\s|")(\d+):(\d+):/.exec(message) ?? []
  if (line === undefined || column === undefined) return null
  const linesBefore = text.split('\n').slice(0, Number(line) - 1)
  return within(linesBefore.reduce((sum, { length }) => sum + length + 1, 0) + Number(column) - 1, text)
}

function within(position: number, text: string): number {
  return Math.max(0, Math.min(position, text.length))
}

/**
 * Range from an offset to the end of the word there, or of one character if there is no word. At the end of the text: the last
 * character.
 */
export function wordAt(text: string, position: number): { from: number; to: number } {
  const from = Math.min(position, Math.max(0, text.length - 1))
  const word = /^[\w:]+/.exec(text.slice(from))?.[0].length ?? 1
  return { from, to: Math.min(text.length, from + word) }
}
