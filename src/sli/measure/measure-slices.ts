import { inTurns, type Steps } from '../../concurrency/steps.ts'
import { type Asker, settle } from '../../sources/ask.ts'
import { type Measured, noData, noTraffic, notANumber, severalSeries, type WindowOptions } from './measured.ts'
import type { SliPlan } from '../plan/plan.ts'
import { isFilled, mean } from '../../sources/reading.ts'
import { agree, eventsOf, type TwoSides, wholeOfSides } from './shares.ts'
import { type RangeSeries, sampleNumber } from '../../sources/source.ts'

/** Finite values by time (Unix seconds). */
export type Slices = Map<number, number>
type SideSlices = { counted: Slices; total: Slices }

type Options = WindowOptions & { stepSeconds: number }

/** The mean over the window's slices, each standing for the time up to it. Slices without a value do not count. */
export async function measureSlices(ask: Asker, plan: SliPlan, options: Options): Promise<Measured> {
  const { windowSeconds, endSeconds, stepSeconds } = options
  const count = Math.max(1, Math.floor(windowSeconds / stepSeconds))
  const grid = { startSeconds: endSeconds - (count - 1) * stepSeconds, endSeconds, stepSeconds }
  const expression = plan.expression(windowSeconds)
  const sideSlices = (side: 'counted' | 'total') =>
    plan.sides ? ask.range(side, plan.sides[side].expression(windowSeconds), grid).then(summed) : new Map()
  const [series, counted, total] = await settle([
    ask.range('sli', expression, grid),
    sideSlices('counted'),
    sideSlices('total'),
  ] as const)

  const wholes = (await finiteSlices(series)).filter((slices) => slices.size > 0)
  const coverageRatio = (await inTurns(measurements, countingTimes([...wholes, total]))) / count
  const base = { method: plan.method, expression, counts: null, coverageRatio, notes: [] }
  if (plan.sides) {
    const ofSides = wholeSlices(plan.sides, { counted, total })
    const result = plan.sides.isGrouped || reproduce(ofSides, wholes) ? await summarize([ofSides]) : null
    if (result) return { ...base, result, counts: countEvents(plan.sides, { counted, total }, windowSeconds / count) }
  }
  const result = await summarize(wholes)
  if (result) return { ...base, result, notes: wholes.length > 1 ? [severalSeries(wholes.length)] : [] }
  if (total.size > 0 && [...total.values()].every((value) => value === 0)) return { ...base, result: noTraffic }
  const infinite = await inTurns(measurements, findingInfinite(series))
  return { ...base, result: infinite === null ? noData : notANumber(infinite) }
}

/** The group of what is counted up from answers of sources: these may be long. */
const measurements = 'measurements'

/** The mean of each series' mean, and the largest single value. */
async function summarize(series: Slices[]): Promise<{ value: number; largest: number } | null> {
  const [means, largest] = await inTurns(measurements, averaging(series))
  return isFilled(means) ? { value: mean(means), largest } : null
}

function* averaging(series: Slices[]): Steps<[means: number[], largest: number]> {
  const means: number[] = []
  let largest = -Infinity
  for (const slices of series) {
    const values = [...slices.values()]
    if (isFilled(values)) means.push(mean(values))
    for (const value of values) largest = Math.max(largest, value)
    yield
  }
  return [means, largest]
}

function* countingTimes(series: Slices[]): Steps<number> {
  const times = new Set<number>()
  for (const slices of series) {
    for (const time of slices.keys()) times.add(time)
    yield
  }
  return times.size
}

function* findingInfinite(series: RangeSeries[]): Steps<string | null> {
  for (const { values } of series) {
    const found = values.find(([, value]) => Math.abs(sampleNumber(value)) === Infinity)
    if (found) return found[1]
    yield
  }
  return null
}

/** What the sides say at each slice; so a slice in which nothing failed, or nothing went well, is not missed. */
export function wholeSlices(sides: TwoSides, { counted, total }: SideSlices): Slices {
  const slices: Slices = new Map()
  for (const [time, all] of total) {
    const value = wholeOfSides(sides, { counted: counted.get(time) ?? null, total: all })
    if (value !== null) slices.set(time, value)
  }
  return slices
}

/** One series must say at every slice what the sides say; several are parts of their sums. */
export function reproduce(ofSides: Slices, [whole, ...others]: Slices[]): boolean {
  if (!whole || others.length > 0) return true
  return [...whole].every(([time, value]) => agree(value, ofSides.get(time) ?? value))
}

/** Rates, each over the length of its slice; counts over ranges of their own may overlap, and are not added up. */
function countEvents(sides: TwoSides, { counted, total }: SideSlices, sliceSeconds: number): Measured['counts'] {
  if (sides.counted.kind !== 'per_second' || sides.total.kind !== 'per_second') return null
  const sums = { counted: 0, total: 0 }
  for (const [time, all] of total) {
    sums.total += all
    sums.counted += counted.get(time) ?? 0
  }
  return eventsOf(sides, sums, sliceSeconds)
}

/** Of each series. */
export async function finiteSlices(series: readonly RangeSeries[]): Promise<Slices[]> {
  return inTurns(measurements, reading(series))
}

/** The sums over all series. */
export async function summed(series: readonly RangeSeries[]): Promise<Slices> {
  return inTurns(measurements, summing(series))
}

/** The plain mean over series, as for a whole without sides. */
export async function meanSlices(series: readonly Slices[]): Promise<Slices> {
  return inTurns(measurements, meaning(series))
}

function* reading(series: readonly RangeSeries[]): Steps<Slices[]> {
  const all: Slices[] = []
  for (const { values } of series) {
    const slices: Slices = new Map()
    for (const [time, text] of values) {
      const value = sampleNumber(text)
      if (Number.isFinite(value)) slices.set(time, value)
    }
    all.push(slices)
    yield
  }
  return all
}

function* summing(series: readonly RangeSeries[]): Steps<Slices> {
  const sums: Slices = new Map()
  for (const slices of yield* reading(series)) {
    for (const [time, value] of slices) sums.set(time, (sums.get(time) ?? 0) + value)
    yield
  }
  return sums
}

function* meaning(series: readonly Slices[]): Steps<Slices> {
  const counts: Slices = new Map()
  const sums: Slices = new Map()
  for (const slices of series) {
    for (const [time, value] of slices) {
      counts.set(time, (counts.get(time) ?? 0) + 1)
      sums.set(time, (sums.get(time) ?? 0) + value)
    }
    yield
  }
  return new Map([...sums].map(([time, sum]) => [time, sum / (counts.get(time) ?? 1)]))
}
