import { labelsKey } from '../promql/labels.ts'
import { runCooperatively, type CooperativeTask } from '../concurrency/cooperative.ts'
import { isFilled, mean } from '../sources/query-session.ts'
import { type RangeSeries, sampleNumber } from '../sources/source.ts'
import { finiteFilter } from './plan/samples.ts'
import { isNearlyEqual, type TwoSides, valueOfSides } from './sli.ts'

/** Finite values by time (Unix seconds). */
export type TimedValues = Map<number, number>

/** Sums of both sides of a ratio by time: `counted` events, good or bad ones by the `counts` of the plan, and `total` events. */
export type SideSeries = { counted: TimedValues; total: TimedValues }

/** Calls `work` for each item and yields to other work in between: answers of sources may be long. */
export async function forEachCooperatively<T>(list: readonly T[], work: (one: T) => void): Promise<void> {
  await runCooperatively('measurements', oneByOne(list, work))
}

function* oneByOne<T>(list: readonly T[], work: (one: T) => void): CooperativeTask<void> {
  for (const one of list) {
    work(one)
    yield
  }
}

/** Finite values of each series. */
export async function finiteValues(series: readonly RangeSeries[]): Promise<TimedValues[]> {
  const all: TimedValues[] = []
  await forEachCooperatively(series, ({ values }) => {
    const finite: TimedValues = new Map()
    for (const [time, text] of values) {
      const value = sampleNumber(text)
      if (Number.isFinite(value)) finite.set(time, value)
    }
    all.push(finite)
  })
  return all
}

/** Sums over all series, by time. */
export async function sumOverSeries(series: readonly RangeSeries[]): Promise<TimedValues> {
  const sums: TimedValues = new Map()
  await forEachCooperatively(await finiteValues(series), (values) => {
    for (const [time, value] of values) sums.set(time, (sums.get(time) ?? 0) + value)
  })
  return sums
}

/** Unweighted mean over the series, by time: the SLI of an expression without sides. */
export async function meanOverSeries(series: readonly TimedValues[]): Promise<TimedValues> {
  const counts: TimedValues = new Map()
  const sums: TimedValues = new Map()
  await forEachCooperatively(series, (values) => {
    for (const [time, value] of values) {
      counts.set(time, (counts.get(time) ?? 0) + 1)
      sums.set(time, (sums.get(time) ?? 0) + value)
    }
  })
  return new Map([...sums].map(([time, sum]) => [time, sum / (counts.get(time) ?? 1)]))
}

/** Mean of the means of the series, and the largest single value; null without values. */
export async function summarize(series: readonly TimedValues[]): Promise<{ value: number; largest: number } | null> {
  const means: number[] = []
  let largest = -Infinity
  await forEachCooperatively(series, (timed) => {
    const values = [...timed.values()]
    if (isFilled(values)) means.push(mean(values))
    for (const value of values) largest = Math.max(largest, value)
  })
  return isFilled(means) ? { value: mean(means), largest } : null
}

/** Step of subqueries. */
export const subqueryStepSeconds = 60

/**
 * Applies a function to the values of an expression, one per minute. Values that are NaN or infinite are left out: a single 0/0
 * would make the result NaN.
 */
export function overSubquery(expression: string, name: string, seconds: number): string {
  return `${name}(((${expression}\n) ${finiteFilter})[${seconds}s:${subqueryStepSeconds}s])`
}

type WeightedMeans = { means: [number, ...number[]]; weights: [number, ...number[]]; largest: number }

/** Weighted mean of each series, and the sum of its weights; null without values. A series may come in several parts. */
export async function weightedMeans(
  means: readonly RangeSeries[],
  weights: readonly RangeSeries[],
): Promise<WeightedMeans | null> {
  const weightsOf = new Map<string, TimedValues>()
  const finite = await finiteValues(weights)
  weights.forEach(({ metric }, index) => {
    const all = weightsOf.getOrInsertComputed(labelsKey(metric), () => new Map())
    for (const [time, weight] of finite[index] ?? []) all.set(time, weight)
  })
  const values = await finiteValues(means)
  const sumsBySeries = new Map<string, { sum: number; weight: number }>()
  let max = -Infinity
  means.forEach(({ metric }, index) => {
    const key = labelsKey(metric)
    const all = sumsBySeries.getOrInsertComputed(key, () => ({ sum: 0, weight: 0 }))
    for (const [time, value] of values[index] ?? []) {
      const weight = weightsOf.get(key)?.get(time) ?? 0
      all.sum += value * weight
      all.weight += weight
      max = Math.max(max, value)
    }
  })
  const weighted = [...sumsBySeries.values()].filter(({ weight }) => weight > 0)
  const [seriesMeans, sums] = [weighted.map(({ sum, weight }) => sum / weight), weighted.map(({ weight }) => weight)]
  return isFilled(seriesMeans) && isFilled(sums) ? { means: seriesMeans, weights: sums, largest: max } : null
}

/** Number of distinct times at which any series has a value. */
export async function countTimes(series: readonly TimedValues[]): Promise<number> {
  const times = new Set<number>()
  await forEachCooperatively(series, (values) => {
    for (const time of values.keys()) times.add(time)
  })
  return times.size
}

/** Text of an infinite sample; null if there is none. */
export async function findInfinite(series: readonly RangeSeries[]): Promise<string | null> {
  let infinite: string | null = null
  await forEachCooperatively(series, ({ values }) => {
    infinite ??= values.find(([, value]) => Math.abs(sampleNumber(value)) === Infinity)?.[1] ?? null
  })
  return infinite
}

/** Value of the expression at each step, computed from its sides, also where nothing failed or nothing was good. */
export function valuesOfSides(sides: TwoSides, { counted, total }: SideSeries): TimedValues {
  const values: TimedValues = new Map()
  for (const [time, all] of total) {
    const value = valueOfSides(sides, { counted: counted.get(time) ?? null, total: all })
    if (value !== null) values.set(time, value)
  }
  return values
}

/** True if the values from the sides agree with the expression's single series at every step. Several series are not compared. */
export function sidesReproduce(valuesFromSides: TimedValues, [whole, ...others]: TimedValues[]): boolean {
  if (!whole || others.length > 0) return true
  return [...whole].every(([time, value]) => isNearlyEqual(value, valuesFromSides.get(time) ?? value))
}
