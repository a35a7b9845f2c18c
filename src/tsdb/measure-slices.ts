import { type Asker, settle } from './ask.ts'
import { type Measured, noData, noTraffic, notANumber, severalSeries, type WindowOptions } from './measured.ts'
import type { SliPlan } from './plan.ts'
import { isFilled, mean } from './reading.ts'
import { agree, eventsOf, type TwoSides, wholeOfSides } from './shares.ts'
import { type RangeSeries, sampleNumber } from './source.ts'

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
    plan.sides ? ask.range(side, plan.sides[side].expression(windowSeconds), grid).then(sumSlices) : new Map()
  const [series, counted, total] = await settle([
    ask.range('sli', expression, grid),
    sideSlices('counted'),
    sideSlices('total'),
  ] as const)

  const wholes = series.map(finiteSlices).filter((slices) => slices.size > 0)
  const covered = new Set([...wholes, total].flatMap((slices) => [...slices.keys()]))
  const coverageRatio = covered.size / count
  const base = { method: plan.method, expression, counts: null, coverageRatio, notes: [] }
  if (plan.sides) {
    const ofSides = wholeSlices(plan.sides, { counted, total })
    const result = reproduce(ofSides, wholes) ? summarize([ofSides]) : null
    if (result) return { ...base, result, counts: countEvents(plan.sides, { counted, total }, windowSeconds / count) }
  }
  const result = summarize(wholes)
  if (result) return { ...base, result, notes: wholes.length > 1 ? [severalSeries(wholes.length)] : [] }
  if (total.size > 0 && [...total.values()].every((value) => value === 0)) return { ...base, result: noTraffic }
  const infinite = series
    .flatMap(({ values }) => values)
    .find(([, value]) => Math.abs(sampleNumber(value)) === Infinity)
  return { ...base, result: infinite ? notANumber(infinite[1]) : noData }
}

/** The mean of each series' mean, and the largest single value. */
function summarize(series: Slices[]): { value: number; largest: number } | null {
  const means = series
    .map((slices) => [...slices.values()])
    .filter(isFilled)
    .map(mean)
  if (!isFilled(means)) return null
  const largest = series.flatMap((slices) => [...slices.values()]).reduce((most, value) => Math.max(most, value))
  return { value: mean(means), largest }
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

export function finiteSlices({ values }: RangeSeries): Slices {
  return new Map(
    values.map(([time, value]) => [time, sampleNumber(value)] as const).filter(([, value]) => Number.isFinite(value)),
  )
}

export function sumSlices(series: RangeSeries[]): Slices {
  const sums: Slices = new Map()
  for (const slices of series.map(finiteSlices)) {
    for (const [time, value] of slices) sums.set(time, (sums.get(time) ?? 0) + value)
  }
  return sums
}

/** The plain mean over series, as for a whole without sides. */
export function meanSlices(series: Slices[]): Slices {
  const counts: Slices = new Map()
  const sums: Slices = new Map()
  for (const [time, value] of series.flatMap((slices) => [...slices])) {
    counts.set(time, (counts.get(time) ?? 0) + 1)
    sums.set(time, (sums.get(time) ?? 0) + value)
  }
  return new Map([...sums].map(([time, sum]) => [time, sum / (counts.get(time) ?? 1)]))
}
