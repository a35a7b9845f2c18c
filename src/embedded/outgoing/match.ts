import { labelOf, metricName } from '../../promql/labels.ts'
import { parsePromql } from '../../promql/check.ts'
import { type Matcher, matchersOf } from '../../promql/matchers.ts'
import { AppError } from '../../errors.ts'
import type { StoredSeries } from '../store/series.ts'

/** True for a series that one of the selectors chooses. */
export type IsSent = (series: StoredSeries) => boolean

/** A metric name, and matchers in braces; braces and commas within quotes do not count. */
const selectorPattern = /(?:[^\s,{}"'`]+)?(?:\{(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|[^"'`}])*\})?/y

/**
 * Reads selectors that are separated by commas or white space, such as `{job="a"}, up`; without any, all series are chosen.
 * Throws an `Error` that says what is wrong.
 */
export function readMatch(text: string): IsSent {
  const all = [...selectorsIn(text)].map(readSelector)
  if (all.length === 0) return () => true
  const known = new WeakMap<StoredSeries, boolean>()
  const chooses = ({ labels }: StoredSeries) =>
    all.some((matchers) => matchers.every(({ name, fits }) => fits(labelOf(labels, name))))
  return (series) => known.getOrInsertComputed(series, chooses)
}

function* selectorsIn(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    if (/[\s,]/.test(text.charAt(at))) {
      at += 1
      continue
    }
    selectorPattern.lastIndex = at
    const found = selectorPattern.exec(text)?.[0] ?? ''
    if (found === '') throw new Error(`must be selectors such as {job="a"}, not “${text.slice(at)}”`)
    yield found
    at += found.length
  }
}

function readSelector(text: string): Matcher[] {
  const expr = parse(text)
  if (expr.kind !== 'selector') throw new Error(`must be selectors such as {job="a"}, not “${text}”`)
  const matchers = matchersOf(expr)
  if (matchers.length === 0)
    throw new Error(`must have a matcher in each selector, for all series {${metricName}=~".+"}`)
  return matchers
}

function parse(text: string) {
  try {
    return parsePromql(text)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new Error(`${error.details ?? error.message} in “${text}”`, { cause: error })
  }
}
