import { type Matcher, RE2JS, RE2JSSyntaxException } from 're2js'
import { AppError } from '../errors.ts'
import { perText } from './per-text.ts'

/** The error of a pattern that is refused, made of why. */
export type Refusal = (why: string) => AppError

/** `literalsOf`, kept for the last patterns: a query that measures an SLO names the same long list many times. */
const keptLiteralsOf = perText((pattern) => literalsOf(pattern), { maxTexts: 16, maxCharacters: 16_384 })

/** Whether an RE2 pattern matches the whole of a text, as Prometheus asks of a label. */
export function fullMatch(pattern: string, refusal: Refusal): (text: string) => boolean {
  const literals = keptLiteralsOf(pattern)
  if (literals) return (text) => literals.has(text)
  const regex = compiled(pattern, refusal)
  return (text) => regex.testExact(text)
}

/** What a template (`$1`, `${name}`, `$$`, as Go expands them) makes of a text that matches as a whole; null: it does not. */
export function replacing(pattern: string, refusal: Refusal): (text: string, template: string) => string | null {
  const regex = compiled(pattern, refusal)
  return (text, template) => {
    const match = regex.matcher(text)
    return match.matches() ? expand(template, match, regex.namedGroups()) : null
  }
}

/**
 * Whether an RE2 pattern matches anywhere in a text, in time linear in its length whatever the pattern: throws `too_slow`
 * for one whose states on this text do not fit into the 8 MB that RE2 has for them.
 */
export function searching(pattern: string, refusal: Refusal): (text: string) => boolean {
  const regex = compiled(pattern, refusal, 0)
  // It would make room and go on, then without an automaton: up to 25 ns for each character and instruction.
  regex.re2().dfa.clearCache = () => {
    throw new AppError('too_slow', 'the pattern needs too many steps on this text')
  }
  return (text) => regex.test(text)
}

/** In what Prometheus matches with labels, a dot is also a line break. */
function compiled(pattern: string, refusal: Refusal, flags = RE2JS.DOTALL): RE2JS {
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
 * RE2 writes out what is repeated a number of times, up to a million instructions. Whatever a group holds, it is not more
 * than all of the pattern; what stands behind `)`, also of flags, and behind `\E` may repeat a group.
 */
function refuseLarge(pattern: string, refusal: Refusal) {
  const cost = /\\p/i.test(pattern) ? 5 : 1 // a class of Unicode is hundreds of ranges
  let [size, times] = [pattern.length, cost]
  for (const [, group, min, max = ''] of pattern.matchAll(/(\)|\\E)?\{(\d+)(?:,(\d*))?\}/g)) {
    const count = Math.max(1, Number(min), Number(max))
    if (group === undefined) size += count * cost
    else times *= count
  }
  if (size * times > (pattern.length + 100) * 20) throw refusal('its repeats make it too large')
}

/** The texts of a pattern like `a|b\.c|d` or `(a|b)`, as dashboards send: a set of them is far faster. Else null. */
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
