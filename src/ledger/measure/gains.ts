import type { Counter } from '../../promql/analysis/counters/counter-sum.ts'
import type { Source } from '../../sources/source.ts'
import { endsOf, minute, type Span } from '../bucket.ts'
import { type CounterAnswers, queryFamilies, type Series } from '../counters/ask-counters.ts'
import { type Family, familiesOf } from '../counters/families.ts'
import { breakQuantity, gainQuantity, levelQuantity, possibleBreakQuantity } from '../counters/quantities.ts'

/** `gain`: events of minutes; `broken`: number of counters that appeared, disappeared or were reset in a minute, if any. */
export type GainAnswers = Record<'gain' | 'broken', CounterAnswers>

/** Longest span of which the levels are asked first, such as an evaluation measures: a longer one seldom is without a break. */
const maxLevelMinutes = 5

/** Smaller differences of two levels, relative to them, are how a source rounded their sums. */
const roundingShare = 1e-14

/**
 * Queries the gains and the breaks of counters in the minutes of a span. In a short span they come from the levels of the
 * counters, where none may have a break: matching each counter with its value a minute ago costs the source twice as much. A
 * family of counters waits for no other.
 */
export async function queryGains(
  source: Source,
  counters: Counter[],
  span: Span,
  lookbackSeconds: number,
): Promise<GainAnswers> {
  const families = familiesOf(counters)
  const isShort = endsOf(span).length <= maxLevelMinutes
  if (!isShort) return matchedGains(source, families, span, lookbackSeconds)
  const answers = await Promise.all(families.map((family) => gainsOfLevels(source, family, span, lookbackSeconds)))
  return { gain: joined(answers.map(({ gain }) => gain)), broken: joined(answers.map(({ broken }) => broken)) }
}

async function matchedGains(
  source: Source,
  families: Family[],
  span: Span,
  lookbackSeconds: number,
): Promise<GainAnswers> {
  const grid = gridOf(span)
  const [gain, broken] = await Promise.all([
    queryFamilies(source, families, gainQuantity(lookbackSeconds), grid),
    queryFamilies(source, families, breakQuantity(lookbackSeconds), grid),
  ])
  return { gain, broken }
}

async function gainsOfLevels(
  source: Source,
  family: Family,
  span: Span,
  lookbackSeconds: number,
): Promise<GainAnswers> {
  const grid = gridOf(span)
  const [levels, possible] = await Promise.all([
    queryFamilies(source, [family], levelQuantity(lookbackSeconds), { ...grid, startSeconds: span.startSeconds }),
    queryFamilies(source, [family], possibleBreakQuantity(lookbackSeconds), grid),
  ])
  const ends = [span.startSeconds, ...endsOf(span)]
  const isWhole = (level: Series) => ends.every((end) => level.get(end) !== undefined) // neither missing nor NaN
  const steady = [...levels.values].filter(([text, level]) => !possible.values.has(text) && isWhole(level))
  const known = new Map(steady.map(([text, level]) => [text, { get: (end: number) => gainOf(level, end) }]))
  const mayBreak = ({ text }: Family['members'][number]) =>
    !known.has(text) && (levels.values.has(text) || possible.values.has(text))
  const members = family.members.filter(mayBreak)
  const matched = await matchedGains(source, members.length > 0 ? [{ ...family, members }] : [], span, lookbackSeconds)
  return {
    gain: joined([{ values: known, failed: levels.failed }, matched.gain]),
    broken: joined([{ values: new Map(), failed: possible.failed }, matched.broken]),
  }
}

function gainOf(level: Series, end: number): number | undefined {
  const [now, before] = [level.get(end), level.get(end - minute)]
  if (now === undefined || before === undefined) return undefined
  return now - before > roundingShare * now ? now - before : 0
}

function gridOf({ startSeconds, endSeconds }: Span) {
  return { startSeconds: startSeconds + minute, endSeconds, stepSeconds: minute }
}

/** Joins answers for different counters. */
function joined(answers: CounterAnswers[]): CounterAnswers {
  return {
    values: new Map(answers.flatMap(({ values }) => [...values])),
    failed: new Map(answers.flatMap(({ failed }) => [...failed])),
  }
}
