import { allSettledOrThrow, type QueryRunner, largest, mean } from '../sources/query-session.ts'
import type { RangeSeries } from '../sources/source.ts'
import type { SliPlan } from './plan/plan.ts'
import {
  countTimes,
  findInfinite,
  finiteValues,
  subqueryStepSeconds,
  overSubquery,
  sidesReproduce,
  type SideSeries,
  summarize,
  sumOverSeries,
  weightedMeans,
  valuesOfSides,
} from './series.ts'
import { eventsOf, type Measurement, noData, notANumber, noTraffic, severalSeries, type TwoSides } from './sli.ts'

type Options = { windowSeconds: number; endSeconds: number; stepSeconds: number }

const hourSeconds = 3600

/** Longest range query of hours: old versions of VictoriaMetrics reject subqueries of more than 30,000 points in total. */
const maxHours = 480

/** Longest window that is queried minute by minute: for 30 days that would be 43,200 points per series. */
const maxPointsSeconds = 7 * 86_400

/** Measures the mean over the moments of a window. Rule: docs/slo-math.md, "How a window is applied". */
export async function measureMoments(runner: QueryRunner, plan: SliPlan, options: Options): Promise<Measurement> {
  const isByHours = options.windowSeconds > maxPointsSeconds && !plan.sides
  return (isByHours ? await measureHours(runner, plan, options) : null) ?? measureRange(runner, plan, options)
}

/**
 * Measures the mean over the minutes of a long window from the means of its hours, which are a sixtieth of the points. Null if the
 * source returns no number.
 */
async function measureHours(
  runner: QueryRunner,
  plan: SliPlan,
  { windowSeconds, endSeconds }: Options,
): Promise<Measurement | null> {
  const expression = plan.expression(windowSeconds)
  const vector = plan.isScalar ? `vector(${expression}\n)` : expression
  const hours = windowSeconds / hourSeconds
  const startSeconds = endSeconds - (hours - 1) * hourSeconds
  const queryAll = async (part: 'sli' | 'coverage', name: string) => {
    const series: RangeSeries[] = []
    for (let from = startSeconds; from <= endSeconds; from += maxHours * hourSeconds) {
      const to = Math.min(endSeconds, from + (maxHours - 1) * hourSeconds)
      const grid = { startSeconds: from, endSeconds: to, stepSeconds: hourSeconds }
      series.push(...(await runner.range(part, overSubquery(vector, name, hourSeconds), grid)))
    }
    return series
  }
  const [means, counts] = await allSettledOrThrow([
    queryAll('sli', 'avg_over_time'),
    queryAll('coverage', 'count_over_time'),
  ] as const)
  const weighted = await weightedMeans(means, counts)
  if (!weighted) return null
  return {
    result: { value: mean(weighted.means), largest: weighted.largest },
    method: plan.method,
    expression,
    counts: null,
    coverageRatio: Math.min(1, (largest(weighted.weights) * subqueryStepSeconds) / windowSeconds),
    notes: weighted.means.length > 1 ? [severalSeries(weighted.means.length)] : [],
  }
}

/** Measures the mean over the steps of the window; each step covers the time before it. Steps without a value do not count. */
async function measureRange(
  runner: QueryRunner,
  plan: SliPlan,
  { windowSeconds, endSeconds, stepSeconds }: Options,
): Promise<Measurement> {
  const count = Math.max(1, Math.floor(windowSeconds / stepSeconds))
  const grid = { startSeconds: endSeconds - (count - 1) * stepSeconds, endSeconds, stepSeconds }
  const expression = plan.expression(windowSeconds)
  const querySide = (side: 'counted' | 'total') =>
    plan.sides ? runner.range(side, plan.sides[side].expression(windowSeconds), grid).then(sumOverSeries) : new Map()
  const [series, counted, total] = await allSettledOrThrow([
    runner.range('sli', expression, grid),
    querySide('counted'),
    querySide('total'),
  ] as const)

  const seriesValues = (await finiteValues(series)).filter((values) => values.size > 0)
  const coverageRatio = (await countTimes([...seriesValues, total])) / count
  const base = { method: plan.method, expression, counts: null, coverageRatio, notes: [] }
  if (plan.sides) {
    const valuesFromSides = valuesOfSides(plan.sides, { counted, total })
    const result =
      plan.sides.isGrouped || sidesReproduce(valuesFromSides, seriesValues) ? await summarize([valuesFromSides]) : null
    if (result) return { ...base, result, counts: countEvents(plan.sides, { counted, total }, windowSeconds / count) }
  }
  const result = await summarize(seriesValues)
  if (result) return { ...base, result, notes: seriesValues.length > 1 ? [severalSeries(seriesValues.length)] : [] }
  if (total.size > 0 && [...total.values()].every((value) => value === 0)) return { ...base, result: noTraffic }
  const infinite = await findInfinite(series)
  return { ...base, result: infinite === null ? noData : notANumber(infinite) }
}

/** Events of the window if both sides are rates. Null for counts, which cannot be added up because their ranges may overlap. */
function countEvents(sides: TwoSides, { counted, total }: SideSeries, stepSeconds: number): Measurement['counts'] {
  if (sides.counted.kind !== 'per_second' || sides.total.kind !== 'per_second') return null
  const sums = { counted: 0, total: 0 }
  for (const [time, all] of total) {
    sums.total += all
    sums.counted += counted.get(time) ?? 0
  }
  return eventsOf(sides, sums, stepSeconds)
}
