import { runCooperatively, type CooperativeTask } from '../../concurrency/cooperative.ts'
import { AppError, isDatabaseDamaged } from '../../errors.ts'
import type { Counter, CounterTerm } from '../../promql/analysis/counters/counter-sum.ts'
import { runCounter } from '../../promql/analysis/counters/raw-counters.ts'
import type { SliPlan } from '../../sli/plan/plan.ts'
import { queryRange, type Grid, type RangeSeries, type Source } from '../../sources/source.ts'
import { type Family, familiesOf, memberFinder, selectorOf } from './families.ts'
import { defaultLookbackSeconds, increaseOver, levelQuantity, type Quantity, riseOver } from './quantities.ts'

/** Both sides of an SLI as sums of counters. */
export type CounterSides = NonNullable<SliPlan['counters']>

/** An SLO whose sides are sums of counters. */
export type CountedSlo = { sloId: number; counters: CounterSides }

/** Values by time, in Unix seconds. */
export type CounterValues = { get(timeSeconds: number): number | undefined }

/** Answers by the text of the counter; `failed`: the source did not answer. A counter without any series is in neither map. */
export type CounterAnswers = { values: Map<string, CounterValues>; failed: Map<string, AppError> }

/** Values of counters by the text of the counter: of one answer, or of several combined. */
export type CounterSeries = { values: { get(text: string): CounterValues | undefined } }

/** Events over a window; `total` null: no data. */
export type Increase = { counted: number; total: number | null }

/** VictoriaMetrics refuses longer expressions by default. */
const maxExpression = 16_384

/** Refused expressions, by hash of source name and expression: how often each is still halved before it is sent again. */
const refused = new Map<bigint | number, number>()
const halvedAfterRefusal = 30
const maxRefused = 1000

/**
 * Queries a quantity of many counters over a grid, in as few queries as their selectors allow. A query is halved if it is too
 * long, refused, or hits damaged samples. A refused query is halved immediately the next 30 times. A query that fails, or is
 * answered in part, fails for its own counters only.
 */
export function queryCounters(
  source: Source,
  counters: Counter[],
  quantity: Quantity,
  grid: Grid,
): Promise<CounterAnswers> {
  return queryFamilies(source, familiesOf(counters), quantity, grid)
}

/** Queries a quantity like `queryCounters`, of families that are grouped already. */
export async function queryFamilies(
  source: Source,
  families: Family[],
  quantity: Quantity,
  grid: Grid,
): Promise<CounterAnswers> {
  const answers: CounterAnswers = { values: new Map(), failed: new Map() }
  const queryHalves = async ({ members, ...family }: Family): Promise<void> => {
    const half = Math.floor(members.length / 2)
    await Promise.all(
      [members.slice(0, half), members.slice(half)].map((part) => queryFamily({ ...family, members: part })),
    )
  }
  const queryFamily = async (family: Family): Promise<void> => {
    const canHalve = family.members.length > 1
    const expression = expressionOf(family, quantity)
    const isTooMuch = expression.length > maxExpression || isStillRefused(source, expression)
    if (canHalve && isTooMuch) return queryHalves(family)
    try {
      const { data, isPartial } = await queryRange(source, expression, grid)
      if (isPartial) throw partialAnswer()
      await runCooperatively('measurements', reading(data, memberFinder(family), answers.values))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const isRefused = error.kind === 'source_refused'
      if (canHalve && isRefused) noteRefused(source, expression)
      if (canHalve && (isRefused || isDatabaseDamaged(error))) return queryHalves(family)
      for (const { text } of family.members) answers.failed.set(text, error)
    }
  }
  await Promise.all(families.map(queryFamily))
  return answers
}

function noteRefused(source: Source, expression: string): void {
  const [oldest] = refused.keys()
  if (oldest !== undefined && refused.size >= maxRefused) refused.delete(oldest)
  refused.set(keyOf(source, expression), halvedAfterRefusal)
}

function isStillRefused(source: Source, expression: string): boolean {
  if (refused.size === 0) return false
  const key = keyOf(source, expression)
  const times = refused.get(key) ?? 0
  if (times > 1) refused.set(key, times - 1)
  else refused.delete(key)
  return times > 0
}

function keyOf({ name }: Source, expression: string) {
  return Bun.hash(`${name} ${expression}`)
}

/** Events over the window that ends at `endSeconds`, as `increase` estimates them, or the error; by SLO id. */
export async function queryIncreases(
  source: Source,
  slos: CountedSlo[],
  windowSeconds: number,
  endSeconds: number,
): Promise<Map<number, Increase | { error: AppError }>> {
  const counters = slos.flatMap(countersOf)
  const answers = await queryCounters(source, counters, increaseOver(windowSeconds), gridAt(endSeconds))
  return increasesOf(slos, answers, endSeconds)
}

/** Age from which `increase` extrapolates by no more than a thousandth, at a sample a minute. */
const youngSeconds = 86_400

/**
 * Events over the window like `queryIncreases`, but without extrapolation for counters of heartbeats that began in it, less than a
 * day before its end. They have a sample for each run: over the first two `increase` would add half of what they counted, or more.
 */
export async function queryOwnIncreases(
  source: Source,
  slos: CountedSlo[],
  windowSeconds: number,
  endSeconds: number,
): Promise<Map<number, Increase | { error: AppError }>> {
  const counters = slos.flatMap(countersOf)
  const runs = counters.filter(({ metric }) => runCounter.test(metric))
  if (runs.length === 0) return queryIncreases(source, slos, windowSeconds, endSeconds)
  const earlierGrid = gridAt(endSeconds - Math.min(windowSeconds, youngSeconds))
  const levels = await queryCounters(source, runs, levelQuantity(defaultLookbackSeconds), earlierGrid)
  const isYoung = ({ metric, text }: Counter) =>
    runCounter.test(metric) && !levels.failed.has(text) && !levels.values.has(text)
  const grid = gridAt(endSeconds)
  const others = counters.filter((one) => !isYoung(one))
  const [ofOthers, ofYoung] = await Promise.all([
    queryCounters(source, others, increaseOver(windowSeconds), grid),
    queryCounters(source, counters.filter(isYoung), riseOver(windowSeconds), grid),
  ])
  const answers = {
    values: new Map([...ofOthers.values, ...ofYoung.values]),
    failed: new Map([...ofOthers.failed, ...ofYoung.failed]),
  }
  return increasesOf(slos, answers, endSeconds)
}

function gridAt(seconds: number): Grid {
  return { startSeconds: seconds, endSeconds: seconds, stepSeconds: 60 }
}

function increasesOf(
  slos: CountedSlo[],
  answers: CounterAnswers,
  endSeconds: number,
): Map<number, Increase | { error: AppError }> {
  return new Map(
    slos.map(({ sloId, counters }) => {
      const error = failureOf(counters, [answers])
      const total = valueAt(counters.total, answers, endSeconds)
      return [sloId, error ? { error } : { counted: valueAt(counters.counted, answers, endSeconds) ?? 0, total }]
    }),
  )
}

/** All counters of both sides. */
export function countersOf({ counters }: CountedSlo): Counter[] {
  return [...counters.counted, ...counters.total].map(({ counter }) => counter)
}

/** Error of a counter that the source did not answer for; null: it answered for all. */
export function failureOf({ counted, total }: CounterSides, answers: CounterAnswers[]): AppError | null {
  const failing = answers.filter(({ failed }) => failed.size > 0)
  for (const { failed } of failing) {
    for (const { counter } of [...counted, ...total]) {
      const error = failed.get(counter.text)
      if (error) return error
    }
  }
  return null
}

/** Sum of a side; null if a term that is not optional has no value. */
export function valueAt(terms: CounterTerm[], answers: CounterSeries, time: number): number | null {
  let sum = 0
  for (const term of terms) {
    const value = seriesOf(term, answers)?.get(time)
    if (value === undefined && !term.isOptional) return null
    sum += term.sign * (value ?? 0)
  }
  return sum
}

/** Answer of the source for one counter; undefined: none. */
export function seriesOf({ counter }: CounterTerm, answers: CounterSeries): CounterValues | undefined {
  return answers.values.get(counter.text)
}

/** Converts the events of the counted side, which may be the bad ones, to good events, or good events to those of that side. */
export function goodOf({ counts }: Pick<CounterSides, 'counts'>, counted: number, total: number): number {
  return counts === 'good' ? counted : total - counted
}

/** Error for a partial answer: the missing part may hold any number of events, so it does not count as a full answer. */
export function partialAnswer(): AppError {
  return new AppError('source_unavailable', 'Metrics source answered in part', {
    details: 'it could not reach some of its stores',
  })
}

function* reading(
  data: RangeSeries[],
  textOf: ReturnType<typeof memberFinder>,
  into: CounterAnswers['values'],
): CooperativeTask<void> {
  for (const { metric, values } of data) {
    const text = textOf(metric)
    if (text !== undefined) into.set(text, finiteValues(values))
    yield
  }
}

function expressionOf(family: Family, quantity: Quantity): string {
  const selector = selectorOf(family)
  const grouping = family.labels.length > 0 ? ` by (${family.labels.join(', ')})` : ''
  return quantity({
    aggregate: (by, expression) => `${by}${grouping} (${expression})`,
    now: selector,
    before: (seconds) => `${selector} offset ${seconds}s`,
    over: (seconds) => `${selector}[${seconds}s]`,
    within: (seconds) => `${selector}[${seconds * 1000 - 1}ms]`,
    last: (seconds, agoSeconds) => {
      const offset = agoSeconds === 0 ? '' : ` offset ${agoSeconds * 1000}ms`
      return `last_over_time(${selector}[${seconds * 1000}ms]${offset})`
    },
  })
}

const fewPoints = 6

function finiteValues(points: RangeSeries['values']): CounterValues {
  if (points.length <= fewPoints) return new FewPoints(points)
  const series = new Map<number, number>()
  for (const [time, text] of points) {
    const value = Number(text)
    if (Number.isFinite(value)) series.set(time, value)
  }
  return series
}

/** Series of the few minutes that each evaluation queries, without the cost of a map. */
class FewPoints {
  readonly #points: RangeSeries['values']

  constructor(points: RangeSeries['values']) {
    this.#points = points
  }

  get(timeSeconds: number): number | undefined {
    for (const [time, text] of this.#points) {
      if (time !== timeSeconds) continue
      const value = Number(text)
      if (Number.isFinite(value)) return value
    }
    return undefined
  }
}
