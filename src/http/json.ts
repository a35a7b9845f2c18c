/** How deep JSON from outside may nest: more than any of ours does, and far from what exhausts a stack. */
export const maxNesting = 64

/** JSON that nests deeper than `maxNesting`. */
export class NestingError extends Error {}

type Reviver = (name: string, value: unknown) => unknown

/** `JSON.parse` for text from outside; throws `NestingError` before anything is built, and `SyntaxError`. */
export function parseJson(text: string, reviver?: Reviver): unknown {
  if (nestsDeeperThan(text, maxNesting)) throw new NestingError(`wanted at most ${maxNesting} levels of nesting`)
  return JSON.parse(text, reviver)
}

/** Whether brackets outside of strings nest deeper than that. Stops at the first that does; the text need not be JSON. */
export function nestsDeeperThan(text: string, levels: number): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (char === quote) {
      for (at += 1; at < text.length && text.charCodeAt(at) !== quote; at += 1) {
        if (text.charCodeAt(at) === backslash) at += 1
      }
    } else if (char === openBrace || char === openBracket) {
      depth += 1
      if (depth > levels) return true
    } else if (char === closeBrace || char === closeBracket) depth -= 1
  }
  return false
}

const quote = 0x22
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
