import type { Yielder } from '../../concurrency/yielder.ts'
import type { PlainMatcher } from '../jobs/messages.ts'
import { type Labels, labelOf } from '../../promql/labels.ts'
import type { Matcher } from '../../promql/matchers.ts'
import { literalsOf } from '../../promql/regex.ts'
import { postingsCount, eachPosting, type Postings, type SeriesIndex } from './series-index.ts'
import { SeriesList } from './series-list.ts'
import type { Series } from './series.ts'

/** Tests values with the matcher at index `matcher`: 1 for each that matches. Done in a worker, because regexes take time. */
export type Fitting = (values: string[], matcher: number) => Promise<Uint8Array>

type Test = { name: string; fits: (value: string) => boolean }

/** Labels with at most this many values are tested whatever the other matchers leave. */
const fewValues = 2000
const [valuesPerBatch, charactersPerBatch] = [1000, 65_536]

/** Series that match every matcher, in any order. Yields to the event loop. */
export async function findSeries(
  index: SeriesIndex,
  organizationId: number,
  matchers: readonly PlainMatcher[],
  fitting: Fitting,
  turn: Yielder,
): Promise<Series[]> {
  const tests: Test[] = []
  const later: { matcher: number; name: string; fitsEmpty: boolean }[] = []
  let best: { sets: Postings[]; size: number } | undefined

  function consider(sets: Postings[]) {
    const size = sets.reduce((sum, same) => sum + postingsCount(same), 0)
    if (!best || size < best.size) best = { sets, size }
  }

  async function fittingAmong(values: Iterable<string>, matcher: number): Promise<Set<string>> {
    const found = new Set<string>()
    let [piece, characters]: [string[], number] = [[], 0]
    const ask = async () => {
      const fits = await fitting(piece, matcher)
      for (const [at, value] of piece.entries()) if (fits[at] === 1) found.add(value)
      ;[piece, characters] = [[], 0]
    }
    for (const value of values) {
      if (value === '') continue
      piece.push(value)
      characters += value.length
      if (piece.length >= valuesPerBatch || characters >= charactersPerBatch) await ask()
      if (turn.isDone()) await turn.next()
    }
    if (piece.length > 0) await ask()
    return found
  }

  async function test(
    values: Iterable<string>,
    matcher: number,
    { name, fitsEmpty }: Pick<PlainMatcher, 'name' | 'fitsEmpty'>,
  ) {
    const fitting = await fittingAmong(values, matcher)
    tests.push({ name, fits: (value) => (value === '' ? fitsEmpty : fitting.has(value)) })
    return fitting
  }

  for (const [matcher, { name, operator, value, fitsEmpty }] of matchers.entries()) {
    const byValue = index.byValue(organizationId, name)
    const literals = operator === '=' || operator === '!=' ? new Set([value]) : literalsOf(value)
    if (literals) {
      const isPositive = operator === '=' || operator === '=~'
      tests.push({ name, fits: (text) => literals.has(text) === isPositive })
      if (isPositive && !fitsEmpty) consider([...literals].flatMap((text) => byValue.get(text) ?? []))
    } else if (byValue.size <= fewValues) {
      const fits = await test(byValue.keys(), matcher, { name, fitsEmpty })
      if (!fitsEmpty) consider([...fits].flatMap((text) => byValue.get(text) ?? []))
    } else {
      later.push({ matcher, name, fitsEmpty })
    }
  }
  const first = best ? -1 : later.findIndex(({ fitsEmpty }) => !fitsEmpty)
  for (const { matcher, name, fitsEmpty } of first < 0 ? [] : later.splice(first, 1)) {
    const byValue = index.byValue(organizationId, name)
    const fits = await test(byValue.keys(), matcher, { name, fitsEmpty })
    consider([...fits].flatMap((text) => byValue.get(text) ?? []))
  }

  let found: Series[] = []
  for (const some of best ? best.sets.values().map(eachPosting) : [index.all(organizationId)]) {
    for (const series of some) {
      if (fitsAll(tests, series.labels) && !series.removed) found.push(series)
      if (turn.isDone()) await turn.next()
    }
  }
  for (const { matcher, name, fitsEmpty } of later) {
    const values = new Set<string>()
    for (const { labels } of found) {
      values.add(labelOf(labels, name))
      if (turn.isDone()) await turn.next()
    }
    const fits = await fittingAmong(values, matcher)
    if (fitsEmpty) fits.add('')
    const [before, left]: [Series[], Series[]] = [found, []]
    for (const series of before) {
      if (fits.has(labelOf(series.labels, name))) left.push(series)
      if (turn.isDone()) await turn.next()
    }
    found = left
  }
  return found
}

/** Maximum cost of regexes without yielding: pattern length times value length, at worst 50 ns for each unit. */
const maxPatternSteps = 50_000

/** `findSeries` without yielding. Undefined if no `=` matcher leaves at most `max` series, or if regexes may take long. */
export function findFew(
  index: SeriesIndex,
  organizationId: number,
  matchers: readonly Matcher[],
  max: number,
): Series[] | undefined {
  const [candidates] = matchers
    .filter(({ operator, value }) => operator === '=' && value !== '')
    .map(({ name, value }) => index.byValue(organizationId, name).get(value) ?? new SeriesList())
    .toSorted((one, other) => postingsCount(one) - postingsCount(other))
  if (!candidates || postingsCount(candidates) > max) return undefined
  let found = [...eachPosting(candidates)]
  let steps = 0
  for (const { name, operator, value: pattern, fits } of matchers) {
    if (!operator.endsWith('~')) {
      found = found.filter(({ labels }) => fits(labelOf(labels, name)))
      continue
    }
    const bySame = Map.groupBy(found, ({ labels }) => labelOf(labels, name))
    for (const value of bySame.keys()) steps += pattern.length * (value.length + 1)
    if (steps > maxPatternSteps) return undefined
    found = [...bySame].flatMap(([value, some]) => (fits(value) ? some : []))
  }
  return found
}

function fitsAll(tests: readonly Test[], labels: Labels): boolean {
  return tests.every(({ name, fits }) => fits(labelOf(labels, name)))
}
