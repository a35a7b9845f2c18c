import { memoizeByObject } from '../../promql/tree.ts'
import type { Counter } from '../../promql/analysis/counters/counter-sum.ts'
import { unquoted } from '../../promql/literals.ts'
import { printMatcher } from '../../promql/print.ts'

/** Counters that differ only in the values of equality matchers: one query, grouped by those labels, answers for all. */
export type Family = { metric: string; fixed: string[]; labels: string[]; members: Member[] }

/** `values`: values of the family's labels, in their order. */
type Member = { text: string; values: string[] }

const maxMembers = 250
const maxValueCharacters = 8000 // sources refuse queries of 16 kB and more

/** Text that is equal for all counters of one family. */
export function familyText(counter: Counter): string {
  return readFamily(counter).key
}

/** Most recent groupings, keyed by their first counter. */
const recentGroupings = new Map<Counter, { counters: Counter[]; families: Family[] }>()
const maxGroupings = 200 // a chunk of 250 SLOs needs one or two

/** Groups counters into families that fit into one query each; equal counters are queried once. */
export function familiesOf(counters: Counter[]): Family[] {
  const [first] = counters
  if (!first) return []
  const recent = recentGroupings.get(first)
  if (recent?.counters.length === counters.length && recent.counters.every((one, at) => one === counters[at])) {
    return recent.families
  }
  const families = group(counters)
  const [oldest] = recentGroupings.keys()
  if (oldest && recentGroupings.size >= maxGroupings) recentGroupings.delete(oldest)
  recentGroupings.set(first, { counters, families })
  return families
}

function group(counters: Counter[]): Family[] {
  const families = new Map<string, Family>()
  const distinctCounters = new Map(counters.map((counter) => [counter.text, counter]))
  for (const [text, counter] of distinctCounters) {
    const { metric, fixed, labels, key, values } = readFamily(counter)
    const family = families.get(key) ?? { metric, fixed, labels, members: [] }
    family.members.push({ text, values })
    families.set(key, family)
  }
  return [...families.values()].flatMap(splitByLabel).flatMap(splitByLength)
}

/** Label name without quotes, other than `__name__`. */
const plainLabel = /^(?!__name__$)\w/

const hasEscapes = /^["'].*\\/s

/**
 * Reads the family of a counter. Labels that equal a value usable in a pattern vary between members; all other matchers are
 * fixed.
 */
const readFamily = memoizeByObject(({ metric, matchers }: Counter) => {
  const equal = new Map<string, string>()
  const fixed: string[] = []
  for (const matcher of matchers) {
    const { label, operator } = matcher
    const value = hasEscapes.test(matcher.value) ? null : unquoted(matcher.value)
    if (operator === '=' && label && plainLabel.test(label) && value && !equal.has(label)) equal.set(label, value)
    else fixed.push(printMatcher(matcher))
  }
  const labels = [...equal.keys()].toSorted()
  const family = { metric, fixed: fixed.toSorted(), labels }
  return {
    ...family,
    key: JSON.stringify(Object.values(family)),
    values: labels.map((label) => equal.get(label) ?? ''),
  }
})

/** Selector of all members; if two labels vary, it may match other series, too. */
export const selectorOf = memoizeByObject(({ metric, fixed, labels, members }: Family): string => {
  const labelMatchers = labels.map((label, at) => {
    const values = distinct(members, at)
    const [only] = values
    return values.length === 1
      ? `${label}=${quote(only ?? '')}`
      : `${label}=~${quote(values.map(escapeRegex).join('|'))}`
  })
  return `${metric}{${[...fixed, ...labelMatchers].join(',')}}`
})

/** Creates a function that finds the text of the member with the labels of a result; undefined: no member has them. */
export const memberFinder = memoizeByObject(({ labels, members }: Family) => {
  const keyOf = (values: string[]) => values.join('\u0000')
  const texts = new Map(members.map(({ text, values }) => [keyOf(values), text]))
  return (metric: Record<string, string>): string | undefined =>
    texts.get(keyOf(labels.map((label) => metric[label] ?? '')))
})

/**
 * Splits a family by the label with the fewest values until its query selects at most twice as many series as it has members.
 */
function splitByLabel(family: Family): Family[] {
  const counts = family.labels.map((_, at) => distinct(family.members, at).length)
  const product = counts.reduce((all, count) => all * count, 1)
  if (product <= 2 * family.members.length) return [family]
  const min = Math.min(...counts.filter((count) => count > 1))
  const at = counts.indexOf(min)
  const parts = Map.groupBy(family.members, ({ values }) => values[at])
  return [...parts.values()].flatMap((members) => splitByLabel({ ...family, members }))
}

function splitByLength(family: Family): Family[] {
  const parts: Family[] = []
  let members: Member[] = []
  let length = 0
  for (const member of family.members) {
    const memberLength = member.values.join('').length + 2 * member.values.length
    if (members.length === maxMembers || (members.length > 0 && length + memberLength > maxValueCharacters)) {
      parts.push({ ...family, members })
      members = []
      length = 0
    }
    members.push(member)
    length += memberLength
  }
  return [...parts, { ...family, members }]
}

function distinct(members: Member[], at: number): string[] {
  return [...new Set(members.map(({ values }) => values[at] ?? ''))]
}

function quote(text: string): string {
  return JSON.stringify(text) // Go understands JSON's escapes
}

function escapeRegex(value: string): string {
  return value.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')
}
