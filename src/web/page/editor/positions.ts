/** The placeholders of an SLO's query, as the server reads them. */
const placeholders =
  /\$\{[ \t]*window[ \t]*\}|\{\{[ \t]*\.?window[ \t]*\}\}|\[[ \t]*window[ \t]*\]|\$(?:window|__range)(?!\w)/g

/** A query with a duration (`5m`) for each placeholder: it can be asked as it is. */
export function withWindow(text: string, duration: string): string {
  return text.replaceAll(placeholders, (found) => (found.startsWith('[') ? `[${duration}]` : duration))
}

/** A query of the same length with a duration for each placeholder, which the grammar of PromQL does not know. */
export function withoutPlaceholders(text: string): string {
  return text.replaceAll(placeholders, (found) =>
    found.startsWith('[') ? `[${'1s'.padStart(found.length - 2, '0')}]` : '1s'.padStart(found.length, '0'),
  )
}

/**
 * Where in a query a problem lies that the server names, as an offset; null where its message names no place. nines says
 * "character 12", a Prometheus "1:12", with line and column.
 */
export function positionOf(message: string, text: string): number | null {
  const character = /\bcharacter (\d+)\b/.exec(message)?.[1]
  if (character !== undefined) return within(Number(character) - 1, text)
  const [, line, column] = /(?:^|\s|")(\d+):(\d+):/.exec(message) ?? []
  if (line === undefined || column === undefined) return null
  const before = text.split('\n').slice(0, Number(line) - 1)
  return within(before.reduce((sum, { length }) => sum + length + 1, 0) + Number(column) - 1, text)
}

function within(position: number, text: string): number {
  return Math.max(0, Math.min(position, text.length))
}

/** The word at an offset, or the character where there is none. At the end it is what comes before it. */
export function wordAt(text: string, position: number): { from: number; to: number } {
  const from = Math.min(position, Math.max(0, text.length - 1))
  const word = /^[\w:]+/.exec(text.slice(from))?.[0].length ?? 1
  return { from, to: Math.min(text.length, from + word) }
}
