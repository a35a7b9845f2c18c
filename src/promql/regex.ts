import { type Matcher, RE2JS, RE2JSSyntaxException } from 're2js'
import { AppError } from '../errors.ts'
import { memoizeByText } from './memoize-text.ts'

/** Creates the error for a rejected pattern; `why` is the reason. */
export type RefusalFactory = (why: string) => AppError

/** `literalsOf`, memoized: a query that measures an SLO repeats the same long pattern many times. */
const memoizedLiteralsOf = memoizeByText((pattern) => literalsOf(pattern), { maxTexts: 16, maxCharacters: 16_384 })

/** Compiles an RE2 pattern to a test that matches the whole text, as Prometheus does for labels. */
export function fullMatch(pattern: string, refusal: RefusalFactory): (text: string) => boolean {
  const literals = memoizedLiteralsOf(pattern)
  if (literals) return (text) => literals.has(text)
  const regex = compilePattern(pattern, refusal)
  return (text) => regex.testExact(text)
}

/** Function that expands a template (`$1`, `${name}`, `$$`, as in Go) for a text that matches as a whole; null for others. */
export function compileReplacement(
  pattern: string,
  refusal: RefusalFactory,
): (text: string, template: string) => string | null {
  const regex = compilePattern(pattern, refusal)
  return (text, template) => {
    const match = regex.matcher(text)
    return match.matches() ? expand(template, match, regex.namedGroups()) : null
  }
}

/**
 * Compiles an RE2 pattern to a test that matches anywhere in a text, in time linear in its length for any pattern. The test
 * throws `too_slow` if its states for a text exceed the 8 MB that RE2 has for them.
 */
export function compileSearch(pattern: string, refusal: RefusalFactory): (text: string) => boolean {
  const regex = compilePattern(pattern, refusal, 0)
  // RE2 would clear its cache and continue without an automaton, at up to 25 ns per character and instruction.
  regex.re2().dfa.clearCache = () => {
    throw new AppError('too_slow', 'the pattern needs too many steps on this text')
  }
  return (text) => regex.test(text)
}

/** Compiles a pattern. By default a dot also matches a line break, as in Prometheus' label matchers. */
function compilePattern(pattern: string, refusal: RefusalFactory, flags = RE2JS.DOTALL): RE2JS {
  refuseLarge(pattern, refusal)
  try {
    return RE2JS.compile(pattern, flags)
  } catch (error) {
    throw error instanceof RE2JSSyntaxException ? refusal(reasonOf(error, pattern)) : error
  }
}

function reasonOf(error: RE2JSSyntaxException, pattern: string): string {
  const part = error.getPattern()
  return part === null || part.replace('(?s)', '') === pattern
    ? error.getDescription()
    : `${error.getDescription()}: ${part}`
}

/**
 * Rejects patterns that are too large: RE2 expands counted repeats, up to a million instructions. A count after `)` (also of
 * flags) or after `\E` may repeat a group, which is taken to be as large as the whole pattern.
 */
function refuseLarge(pattern: string, refusal: RefusalFactory) {
  const cost = /\\p/i.test(pattern) ? 5 : 1 // a Unicode class has hundreds of ranges
  let [size, times] = [pattern.length, cost]
  for (const [, group, min, max = ''] of pattern.matchAll(/(\)|\\E)?\{(\d+)(?:,(\d*))?\}/g)) {
    const count = Math.max(1, Number(min), Number(max))
    if (group === undefined) size += count * cost
    else times *= count
  }
  // up to 20 times the length of the pattern, and more for short ones
  if (size * times > (pattern.length + 100) * 20) throw refusal('its repeats make it too large')
}

/** Literal texts of a pattern like `a|b\.c|d` or `(a|b)`, as dashboards send, for a far faster set lookup; otherwise null. */
export function literalsOf(pattern: string): Set<string> | null {
  const inside = /^\((.*)\)$/s.exec(pattern)?.[1] ?? pattern
  const isLiteral = /^(?:[^\\^$.*+?()[\]{}]|\\[^\w\\|\s\x80-\uffff])*$/.test(inside)
  return isLiteral ? new Set(inside.replaceAll('\\', '').split('|')) : null
}

function expand(template: string, match: Matcher, named: Record<string, number>): string {
  return template.replaceAll(
    /\$(?:\$|([\p{L}\p{Nd}_]+)|\{([\p{L}\p{Nd}_]+)\})/gu,
    (all, bare?: string, braced?: string) => {
      if (all === '$$') return '$'
      const name = bare ?? braced ?? ''
      const group = /^(?:0|[1-9]\d*)$/.test(name) ? Number(name) : (named[name] ?? Infinity)
      return group <= match.groupCount() ? (match.group(group) ?? '') : ''
    },
  )
}
