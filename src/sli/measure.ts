import { AppError } from '../errors.ts'
import {
  allSettledOrThrow,
  type QueryRunner,
  isFilled,
  largest,
  mean,
  type InstantReading,
  readInstantNumbers,
  sumInstant,
} from '../sources/query-session.ts'
import type { SliPlan } from './plan/plan.ts'
import { measureMoments } from './measure-moments.ts'
import {
  isNearlyEqual,
  eventsOf,
  type Measurement,
  noCommonLabels,
  noData,
  notANumber,
  noTraffic,
  severalSeries,
  type SideSums,
  type TwoSides,
  valueOfSides,
} from './sli.ts'

/**
 * Window `(end - window, end]`, and what is measured in addition to the value. `isReproduced`: the sides can stand for the
 * whole, which is then queried only if they have no value.
 */
type WindowOptions = {
  windowSeconds: number
  endSeconds: number
  withCounts: boolean
  withCoverage: boolean
  isReproduced?: boolean
}

/** Measures a plan over a window. Rule: docs/slo-math.md, "How a window is applied" and "Two sides". */
export async function measure(runner: QueryRunner, plan: SliPlan, options: WindowOptions): Promise<Measurement> {
  if (plan.isRawQuantity) return notARatio(plan, options)
  const { stepSeconds } = plan
  if (stepSeconds === null) return measureInstant(runner, plan, options)
  return measureMoments(runner, plan, { ...options, stepSeconds })
}

function notARatio(plan: SliPlan, { windowSeconds }: WindowOptions): Measurement {
  const message = plan.notes.join(' ') || 'The query is a quantity, not a ratio.'
  return {
    result: { reason: 'not_a_ratio', message },
    method: plan.method,
    expression: plan.expression(windowSeconds),
    counts: null,
    coverageRatio: null,
    notes: [],
  }
}

/** Measures by an instant query at the end of the window, whose ranges are the window, and queries the sides if needed. */
async function measureInstant(runner: QueryRunner, plan: SliPlan, options: WindowOptions): Promise<Measurement> {
  const { windowSeconds, endSeconds, withCounts, withCoverage, isReproduced } = options
  const expression = plan.expression(windowSeconds)
  if (isReproduced && plan.sides) {
    const sums = await queryBothSides(runner, plan.sides, options)
    const value = sums && valueOfSides(plan.sides, sums)
    const result = value !== null ? { value, largest: value } : sums?.total === 0 && !sums.counted ? noTraffic : null
    const counts = sums && eventsOf(plan.sides, sums, windowSeconds)
    if (result) return { result, method: plan.method, expression, counts, coverageRatio: null, notes: [] }
  }
  const [overWindow, parallelSums, coverageRatio] = await allSettledOrThrow([
    runner.instant('sli', expression, endSeconds).then(readInstantNumbers),
    withCounts ? querySides(runner, plan, options) : null,
    withCoverage ? queryCoverage(runner, plan, options) : null,
  ] as const)
  const base = { method: plan.method, expression, counts: null, coverageRatio, notes: [] }
  if (overWindow.kind === 'not_a_number') return { ...base, result: notANumber(overWindow.description) }

  const isSingle = overWindow.kind === 'numbers' && overWindow.values.length === 1
  const sums = parallelSums ?? (isSingle ? null : await querySides(runner, plan, options))
  if (plan.sides && sums) {
    const value = valueOfSides(plan.sides, sums)
    const counts = eventsOf(plan.sides, sums, windowSeconds)
    if (value !== null && sidesRepresentWhole(overWindow, value, sums))
      return { ...base, result: { value, largest: value }, counts }
    if (value !== null && overWindow.kind === 'numbers' && plan.sides.isGrouped) {
      return { ...base, result: { value, largest: value }, counts, notes: [groupsLeftOut] }
    }
    if (overWindow.kind === 'empty' && sums.total === 0) return { ...base, result: noTraffic, counts }
  }
  if (overWindow.kind === 'numbers') {
    return {
      ...base,
      result: resultOf(overWindow.values),
      notes: isSingle ? [] : [severalSeries(overWindow.values.length)],
    }
  }
  if (plan.method === 'samples' && overWindow.kind === 'empty') {
    // A single NaN makes the mean of all samples NaN; moments without a number do not count.
    const moments: SliPlan = { ...plan, method: 'mean', expression: () => plan.stored }
    return { ...(await measureMoments(runner, moments, { windowSeconds, endSeconds, stepSeconds: 60 })), coverageRatio }
  }
  if (plan.method === 'widen') {
    const stored = readInstantNumbers(await runner.instant('as_stored', plan.stored, endSeconds))
    if (stored.kind === 'numbers') {
      return { ...base, result: resultOf(stored.values), method: 'as_stored', expression: plan.stored }
    }
  }
  return { ...base, result: sums?.total && sums.counted !== null ? noCommonLabels : noData }
}

function resultOf(values: [number, ...number[]]) {
  return { value: mean(values), largest: largest(values) }
}

/**
 * True if the sides can stand for the whole. A single series must have their value; several are parts of their sums. An empty
 * whole is explained only by an empty counted side.
 */
function sidesRepresentWhole(whole: InstantReading, value: number, sums: SideSums): boolean {
  if (whole.kind !== 'numbers') return sums.counted === null
  return whole.values.length > 1 || isNearlyEqual(whole.values[0], value)
}

async function querySides(
  runner: QueryRunner,
  plan: SliPlan,
  { windowSeconds, endSeconds }: WindowOptions,
): Promise<SideSums | null> {
  if (!plan.sides) return null
  const [counted, total] = await allSettledOrThrow([
    runner.instant('counted', plan.sides.counted.expression(windowSeconds), endSeconds).then(sumInstant),
    runner.instant('total', plan.sides.total.expression(windowSeconds), endSeconds).then(sumInstant),
  ] as const)
  return { counted, total }
}

const sideLabel = 'nines_side'

/**
 * Queries both sides at once, for half of the source's work. Null if one of them is no number, or if the source rejects a query
 * of twice the size or its functions.
 */
async function queryBothSides(
  runner: QueryRunner,
  sides: TwoSides,
  { windowSeconds, endSeconds }: WindowOptions,
): Promise<SideSums | null> {
  const labelled = (side: 'counted' | 'total') =>
    `label_replace(${sides[side].expression(windowSeconds)}, "${sideLabel}", "${side}", "", "")`
  const expression = `${labelled('counted')} or ${labelled('total')}`
  const data = await runner.instant('sides', expression, endSeconds).catch(nullIfRefused)
  if (data?.resultType !== 'vector') return null
  const sums: SideSums = { counted: null, total: null }
  for (const { metric, value } of data.result) {
    const [side, sum] = [metric[sideLabel], Number(value?.[1])]
    if ((side !== 'counted' && side !== 'total') || !Number.isFinite(sum)) return null
    sums[side] = sum
  }
  return sums
}

function nullIfRefused(error: unknown): null {
  if (error instanceof AppError && error.kind === 'source_refused') return null
  throw error
}

const coverageSteps = 720

/** Share of the window's steps in which the total (or the whole) has a value. Rule: docs/slo-math.md, "Coverage". */
async function queryCoverage(
  runner: QueryRunner,
  plan: SliPlan,
  { windowSeconds, endSeconds }: WindowOptions,
): Promise<number> {
  const stepSeconds = Math.max(60, Math.round(windowSeconds / coverageSteps))
  const inside = plan.coverageExpression(Math.max(stepSeconds, 300))
  const expression = `count_over_time((${inside})[${windowSeconds}s:${stepSeconds}s])`
  const reading = readInstantNumbers(await runner.instant('coverage', expression, endSeconds))
  const counts = reading.kind === 'numbers' ? reading.values : []
  return isFilled(counts) ? Math.min(1, largest(counts) / (windowSeconds / stepSeconds)) : 0
}

/** Note on a measurement of two grouped sides. */
export const groupsLeftOut =
  'Some series of the total have none in what is counted, and would be left out: it is measured as the quotient of the sums. ' +
  'Put sum(…) around both sides.'
