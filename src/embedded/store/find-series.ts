import type { Yielder } from '../../concurrency/yielder.ts'
import type { PlainMatcher } from '../jobs/messages.ts'
import { labelOf } from '../../promql/labels.ts'
import type { Matcher } from '../../promql/matchers.ts'
import { literalsOf } from '../../promql/regex.ts'
import { postingsCount, eachPosting, type Postings, type SeriesIndex } from './series-index.ts'
import type { StoredSeries } from './series.ts'

/** Tests values with the matcher at index `matcher`: 1 for each that matches. Done in a worker, because regexes take time. */
export type ValueTester = (values: string[], matcher: number) => Promise<Uint8Array>

/** Values to be tested with the matcher at index `matcher`, which is a regex. */
type ValuesToTest = { values: string[]; matcher: number }

/** Labels with at most this many values are tested before the series are read. */
const fewValues = 2000

/** Postings of the values that a matcher leaves. */
type Candidates = { sets: Postings[]; size: number }

const [valuesPerBatch, charactersPerBatch, seriesPerBatch] = [1000, 65_536, 32]

/** Series that match every matcher, in any order. Yields to the event loop. */
export async function findSeries(
  index: SeriesIndex,
  organizationId: number,
  matchers: readonly PlainMatcher[],
  testValues: ValueTester,
  yielder: Yielder,
): Promise<StoredSeries[]> {
  const search = searching(index, organizationId, matchers)
  let step = search.next(noFits)
  while (step.done !== true) {
    const fits = step.value ? await testValues(step.value.values, step.value.matcher) : noFits
    if (yielder.isDue()) await yielder.next()
    step = search.next(fits)
  }
  return step.value ?? []
}

/**
 * Bounds of a search without yielding. `series`: number of series that the matchers without a regex leave. `patternSteps`: cost of
 * the regexes, pattern length times value length, at worst 50 ns for each.
 */
export type SearchBounds = { series: number; patternSteps: number }

/** `findSeries` without yielding. Undefined beyond the bounds. */
export function findFew(
  index: SeriesIndex,
  organizationId: number,
  matchers: readonly Matcher[],
  { series, patternSteps }: SearchBounds,
): StoredSeries[] | undefined {
  const plain = matchers.map(({ name, operator, value, fits }) => ({ name, operator, value, fitsEmpty: fits('') }))
  const search = searching(index, organizationId, plain, series)
  let steps = 0
  let fits = noFits
  for (;;) {
    const step = search.next(fits)
    if (step.done === true) return step.value
    if (!step.value) continue
    const { values, matcher } = step.value
    const { value: pattern, fits: isFitting } = matchers[matcher] ?? noMatcher
    for (const value of values) steps += pattern.length * (value.length + 1)
    if (steps > patternSteps) return undefined
    fits = new Uint8Array(values.length)
    for (const [at, value] of values.entries()) fits[at] = isFitting(value) ? 1 : 0
  }
}

const noFits = new Uint8Array()
const noMatcher: Pick<Matcher, 'value' | 'fits'> = { value: '', fits: () => false }

/**
 * Takes the smallest postings that one matcher leaves, and tests the other labels of these series. A regex is tested once for each
 * value: for all values of its label if they are few, and fewer than the series; otherwise only for those of the series that the other
 * matchers leave. Yields values to test, and takes 1 for each value that matches; yields undefined where it may be interrupted.
 * Returns undefined if the matchers without a regex leave more than `max` series.
 */
function* searching(
  index: SeriesIndex,
  organizationId: number,
  matchers: readonly PlainMatcher[],
  max = Infinity,
): Generator<ValuesToTest | undefined, StoredSeries[] | undefined, Uint8Array> {
  const tests: { name: string; fits: (value: string) => boolean }[] = []
  const patterns: { matcher: number; name: string; fitsEmpty: boolean }[] = []
  let best: Candidates | undefined

  function consider(name: string, values: Iterable<string>) {
    const byValue = index.byValue(organizationId, name)
    const sets = Array.from(values, (value) => byValue.get(value)).filter((postings) => postings !== undefined)
    const size = sets.reduce((sum, postings) => sum + postingsCount(postings), 0)
    if (!best || size < best.size) best = { sets, size }
  }

  for (const [matcher, { name, operator, value, fitsEmpty }] of matchers.entries()) {
    const literals = operator === '=' || operator === '!=' ? new Set([value]) : literalsOf(value)
    if (!literals) {
      patterns.push({ matcher, name, fitsEmpty })
      continue
    }
    const isPositive = operator === '=' || operator === '=~'
    tests.push({ name, fits: (text) => literals.has(text) === isPositive })
    if (isPositive && !fitsEmpty) consider(name, literals)
  }
  if ((best?.size ?? Infinity) > max) return undefined

  const later: typeof patterns = []
  const valuesOf = ({ name }: { name: string }) => index.byValue(organizationId, name)
  for (const pattern of patterns.toSorted((one, other) => valuesOf(one).size - valuesOf(other).size)) {
    const { name, fitsEmpty } = pattern
    const isEarly = best ? valuesOf(pattern).size < Math.min(best.size, fewValues) : !fitsEmpty
    if (isEarly) {
      const matchingValues = yield* matchingAmong(valuesOf(pattern).keys(), pattern)
      tests.push({ name, fits: (value) => matchingValues.has(value) })
      if (!fitsEmpty) consider(name, matchingValues)
    } else later.push(pattern)
  }

  let matching: StoredSeries[] = []
  let visited = 0
  for (const postings of best ? best.sets.values().map(eachPosting) : [index.all(organizationId)]) {
    for (const series of postings) {
      if (!series.isRemoved && tests.every(({ name, fits }) => fits(labelOf(series.labels, name))))
        matching.push(series)
      visited += 1
      if (visited % seriesPerBatch === 0) yield
    }
  }
  for (const pattern of later) {
    const byValue = new Map<string, StoredSeries[]>()
    for (const series of matching) {
      byValue.getOrInsertComputed(labelOf(series.labels, pattern.name), () => []).push(series)
      visited += 1
      if (visited % seriesPerBatch === 0) yield
    }
    const matchingValues = yield* matchingAmong(byValue.keys(), pattern)
    matching = []
    for (const [value, group] of byValue) {
      if (matchingValues.has(value)) for (const series of group) matching.push(series)
      visited += group.length
      if (visited % seriesPerBatch < group.length) yield
    }
  }
  return matching
}

/** Values that match, and an empty value if the pattern matches that. */
function* matchingAmong(
  values: Iterable<string>,
  { matcher, fitsEmpty }: { matcher: number; fitsEmpty: boolean },
): Generator<ValuesToTest | undefined, Set<string>, Uint8Array> {
  const matching = new Set(fitsEmpty ? [''] : [])
  for (const batch of batchesOf(values)) {
    const fits = yield { values: batch, matcher }
    for (const [at, value] of batch.entries()) if (fits[at] === 1) matching.add(value)
  }
  return matching
}

/** Values that are not empty, in batches that a worker tests in a short time. */
function* batchesOf(values: Iterable<string>): Generator<string[]> {
  let [batch, characters]: [string[], number] = [[], 0]
  for (const value of values) {
    if (value === '') continue
    batch.push(value)
    characters += value.length
    if (batch.length < valuesPerBatch && characters < charactersPerBatch) continue
    yield batch
    ;[batch, characters] = [[], 0]
  }
  if (batch.length > 0) yield batch
}
