import type { Span } from './nodes.ts'

/** What a glance at an expression shows, readable or not, in time that grows with its length alone. */
export type Scan = {
  /** Its string literals and comments. */
  quoted: Span[]
  /** Where brackets first nest deeper than the limit; null where they do not. */
  tooDeepAt: number | null
  /** Those of arithmetic, and signs. */
  operators: number
  /** How many signs follow a `^`. */
  signedPowers: number
}

// One in backticks goes on over lines, and only counts where it is closed; any other ends with its line at the latest.
const pieces =
  /"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?|`[^`]*`|#[^\n]*|[({[]|[)}\]]|\^(?=(\s*(?:#[^\n]*\n\s*)*[-+])?)|[-+*/%]/g

/** `maxBrackets`: how deep brackets may nest. */
export function scanPromql(text: string, maxBrackets: number): Scan {
  const quoted: Span[] = []
  let depth = 0
  let tooDeepAt: number | null = null
  let operators = 0
  let signedPowers = 0
  for (const { 0: piece, 1: signed, index } of text.matchAll(pieces)) {
    if ('-+*/%^'.includes(piece)) {
      operators += 1
      if (signed) signedPowers += 1
    } else if ('({['.includes(piece)) {
      depth += 1
      if (depth > maxBrackets) tooDeepAt ??= index
    } else if (')}]'.includes(piece)) depth -= 1
    else quoted.push({ from: index, to: index + piece.length })
  }
  return { quoted, tooDeepAt, operators, signedPowers }
}
