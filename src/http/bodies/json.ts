/** Maximum nesting of JSON from outside: more than any valid body has, and far below what exhausts a stack. */
export const maxNesting = 64

/** Default maximum of JSON values; cache entries and OTLP raise it. Checking 1 MB of values would take long. */
const defaultMaxValues = 20_000

/** JSON that exceeds a bound above; the message names the bound. */
export class JsonBoundsError extends Error {}

type Options = { reviver?: ((name: string, value: unknown) => unknown) | undefined; maxValues?: number | undefined }

/** Parses JSON from outside. Throws `JsonBoundsError` before anything is built, or `SyntaxError`. */
export function parseJson(text: string, { reviver, maxValues = defaultMaxValues }: Options = {}): unknown {
  const bound = exceeded(text, maxNesting, maxValues)
  if (bound === 'nesting') throw new JsonBoundsError(`must have at most ${maxNesting} levels of nesting`)
  if (bound === 'values') throw new JsonBoundsError(`must have at most ${maxValues} values`)
  return JSON.parse(text, reviver)
}

/** True if brackets outside of strings nest deeper than `levels`. Stops at the first such bracket; the text need not be JSON. */
export function nestsDeeperThan(text: string, levels: number): boolean {
  return exceeded(text, levels, Infinity) === 'nesting'
}

/** First bound that is exceeded. Counts values by their commas and opening brackets, without parsing. */
function exceeded(text: string, levels: number, values: number): 'nesting' | 'values' | null {
  let depth = 0
  let count = 0
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (char === quote) {
      for (at += 1; at < text.length && text.charCodeAt(at) !== quote; at += 1) {
        if (text.charCodeAt(at) === backslash) at += 1
      }
    } else if (char === openBrace || char === openBracket) {
      depth += 1
      count += 1
      if (depth > levels) return 'nesting'
    } else if (char === comma) count += 1
    else if (char === closeBrace || char === closeBracket) depth -= 1
    if (count > values) return 'values'
  }
  return null
}

const quote = 0x22
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const comma = 0x2c
