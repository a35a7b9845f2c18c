import type { Counter } from '../../promql/analysis/counters/counter-sum.ts'
import type { Source } from '../../sources/source.ts'
import { endsOf, minute, type Span } from '../bucket.ts'
import { type CounterAnswers, queryFamilies, type CounterValues } from '../counters/query-counters.ts'
import { type Family, familiesOf } from '../counters/families.ts'
import { breakQuantity, gainQuantity, levelQuantity, possibleBreakQuantity } from '../counters/quantities.ts'

/** `gain`: events of minutes; `broken`: number of counters that appeared, disappeared or were reset in a minute, if any. */
export type GainAnswers = Record<'gain' | 'broken', CounterAnswers>

/** Longest span, such as an evaluation measures, for which the levels are queried first: a longer one is seldom without a break. */
const maxLevelMinutes = 5

/** Relative difference of two levels that rounding of their sums can cause. */
const roundingShare = 1e-14

/**
 * Queries the gains and the breaks of counters in the minutes of a span. In a short span, the gains of counters that cannot have a
 * break are differences of their levels: matching each counter with its value a minute ago costs the source twice as much. A
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
  const answers: GainAnswers = {
    gain: { values: new Map(), failed: new Map() },
    broken: { values: new Map(), failed: new Map() },
  }
  await Promise.all(families.map((family) => addGainsOfLevels(source, family, span, lookbackSeconds, answers)))
  return answers
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

async function addGainsOfLevels(
  source: Source,
  family: Family,
  span: Span,
  lookbackSeconds: number,
  { gain, broken }: GainAnswers,
): Promise<void> {
  const grid = gridOf(span)
  const levelGrid = { ...grid, startSeconds: span.startSeconds }
  const levels = await queryFamilies(source, [family], levelQuantity(lookbackSeconds), levelGrid)
  add(levels.failed, gain.failed)
  if (levels.failed.size === family.members.length) return // a source that hangs is not waited for twice
  // After the levels: otherwise a counter that appears in between is in the levels and no break, and its whole value is a gain.
  const possible = await queryFamilies(source, [family], possibleBreakQuantity(lookbackSeconds), grid)
  const ends = [span.startSeconds, ...endsOf(span)]
  const members: Family['members'] = []
  for (const member of family.members) {
    const { text } = member
    const level = levels.values.get(text)
    const isWhole = level && ends.every((end) => level.get(end) !== undefined) // neither missing nor NaN
    if (isWhole && !possible.values.has(text)) gain.values.set(text, new Gains(level))
    else if (level || possible.values.has(text)) members.push(member)
  }
  add(possible.failed, broken.failed)
  if (members.length === 0) return
  const matched = await matchedGains(source, [{ ...family, members }], span, lookbackSeconds)
  add(matched.gain.values, gain.values)
  add(matched.gain.failed, gain.failed)
  add(matched.broken.values, broken.values)
  add(matched.broken.failed, broken.failed)
}

/** Gains of the minutes between the points of a level. */
class Gains {
  readonly #level: CounterValues

  constructor(level: CounterValues) {
    this.#level = level
  }

  get(end: number): number | undefined {
    const [level, previous] = [this.#level.get(end), this.#level.get(end - minute)]
    if (level === undefined || previous === undefined) return undefined
    return level - previous > roundingShare * level ? level - previous : 0
  }
}

function add<T>(some: Map<string, T>, into: Map<string, T>): void {
  for (const [text, one] of some) into.set(text, one)
}

function gridOf({ startSeconds, endSeconds }: Span) {
  return { startSeconds: startSeconds + minute, endSeconds, stepSeconds: minute }
}
