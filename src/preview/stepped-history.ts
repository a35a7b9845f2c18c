import { allSettledOrThrow, type QueryRunner } from '../sources/query-session.ts'
import type { Grid } from '../sources/source.ts'
import { addUpSteps, coveredFrom, type RunningSums } from '../slos/arithmetic/running-sums.ts'
import type { WindowSum } from '../slos/arithmetic/window-sum.ts'
import {
  finiteValues,
  forEachCooperatively,
  meanOverSeries,
  sidesReproduce,
  sumOverSeries,
  type TimedValues,
  valuesOfSides,
} from '../sli/series.ts'
import type { SliPlan } from '../sli/plan/plan.ts'
import { eventScale, type Measurement, type SliUnit, sliOf, type TwoSides } from '../sli/sli.ts'
import { hour, minute } from '../ledger/bucket.ts'

/** History of a definition in steps of one length, and the running sums of the steps. */
export type SteppedHistory = RunningSums & {
  /** Start of the first step with data; null: there is none. */
  coveredFromSeconds: number | null
  /**
   * Start of the first step in which the counted side has series, if the total began more than an hour earlier; null: it did not, or
   * the counted side has none.
   */
  countedFromSeconds: number | null
  /** True if `good` and `total` of its sums are events, not seconds. */
  countsEvents: boolean
  /** Sums of each step, oldest first; `total` and its bad part have 6 digits. */
  steps: readonly WindowSum[]
}

type HistoryOptions = {
  plan: SliPlan
  own: Measurement
  unit: SliUnit | null
  startSeconds: number
  endSeconds: number
}

const weekSeconds = 7 * 86_400

/** Shortest range of a rate. Shorter steps get an equal share of the events in it. */
const minRangeSeconds = 300

/**
 * Measures an SLO step by step in one to three range queries, with steps as long as `finestStep` says, or an hour if those have
 * no data because the series are rarely scraped. The sums show when something failed, but miss what happened around gaps in the
 * data; the budget is measured over the window itself.
 */
export async function measureHistory(
  runner: QueryRunner,
  windowSeconds: number,
  options: HistoryOptions,
): Promise<SteppedHistory> {
  const history = await measureSteps(runner, options, finestStep(options.plan, windowSeconds))
  return history.coveredFromSeconds === null ? measureSteps(runner, options, hour) : history
}

/**
 * Finds the begin of the first minute with data, in the first step of a history that has some; null: none has. Sends no
 * query if the history has data from its begin on.
 */
export async function findFirstMinute(
  runner: QueryRunner,
  plan: SliPlan,
  { coveredFromSeconds, startSeconds, stepSeconds }: SteppedHistory,
): Promise<number | null> {
  if (coveredFromSeconds === null || coveredFromSeconds === startSeconds || stepSeconds === minute)
    return coveredFromSeconds
  const expression = plan.expression(plan.method === 'samples' ? minute : minRangeSeconds)
  const grid = {
    startSeconds: coveredFromSeconds + minute,
    endSeconds: coveredFromSeconds + stepSeconds,
    stepSeconds: minute,
  }
  const first = firstTime(await meanOverSeries(await finiteValues(await runner.range('sli', expression, grid))))
  return Number.isFinite(first) ? first - minute : coveredFromSeconds
}

/**
 * Length of the steps of a history: a minute for a window below 12 hours, whose tiers have short windows below five minutes, or of up
 * to a week if steps measure moments; else five.
 */
export function finestStep(plan: SliPlan, windowSeconds: number): number {
  const isFine = measuresMoments(plan) && windowSeconds <= weekSeconds
  return windowSeconds < 12 * hour || isFine ? 60 : 300
}

/** True if a step has values of moments, or sums of samples, and not rates over a range. */
export function measuresMoments({ stepSeconds, method }: SliPlan): boolean {
  return stepSeconds !== null || method === 'samples'
}

async function measureSteps(
  runner: QueryRunner,
  options: HistoryOptions,
  stepSeconds: number,
): Promise<SteppedHistory> {
  const { plan, own, unit, startSeconds, endSeconds } = options
  const grid = { startSeconds: startSeconds + stepSeconds, endSeconds, stepSeconds }
  const rangeSeconds = plan.method === 'samples' ? stepSeconds : Math.max(stepSeconds, minRangeSeconds)
  const alignToGrid = (values: TimedValues) => onGrid(values, grid)
  const isAsStored = own.method === 'as_stored'
  const sides = isAsStored ? null : plan.sides
  const [series, counted, total] = await allSettledOrThrow([
    runner.range('sli', isAsStored ? plan.stored : plan.expression(rangeSeconds), grid),
    sides
      ? runner.range('counted', sides.counted.expression(rangeSeconds), grid).then(sumOverSeries).then(alignToGrid)
      : new Map(),
    sides
      ? runner.range('total', sides.total.expression(rangeSeconds), grid).then(sumOverSeries).then(alignToGrid)
      : new Map(),
  ] as const)
  const wholes: TimedValues[] = []
  await forEachCooperatively(await finiteValues(series), (values) => wholes.push(alignToGrid(values)))
  const valuesFromSides = sides && valuesOfSides(sides, { counted, total })
  const isFromSides = valuesFromSides !== null && (sides?.isGrouped || sidesReproduce(valuesFromSides, wholes))
  const measuresRates = plan.stepSeconds === null
  const scales = sides && isFromSides && measuresRates ? eventScales(sides, stepSeconds, rangeSeconds) : null
  const values = isFromSides ? valuesFromSides : await meanOverSeries(wholes)

  const sumAt = (time: number): WindowSum => {
    const totalValue: number | undefined = isFromSides ? total.get(time) : undefined
    if (scales && totalValue !== undefined) {
      const countedEvents = (counted.get(time) ?? 0) * scales.counted
      const totalEvents = totalValue * scales.total
      return roundedStep(
        totalEvents,
        sides?.counts === 'good' ? totalEvents - countedEvents : countedEvents,
        stepSeconds,
      )
    }
    // no events are counted: without traffic the step is measured, otherwise its time counts by the SLI
    if (totalValue === 0) return { good: 0, total: 0, coveredSeconds: stepSeconds }
    const value = values.get(time)
    const sli = value === undefined ? null : sliOf({ result: { value, largest: value } }, unit, sides?.counts === 'bad')
    if (sli === null || !('percent' in sli)) return { good: 0, total: 0, coveredSeconds: 0 }
    return roundedStep(stepSeconds, (1 - sli.percent / 100) * stepSeconds, stepSeconds)
  }
  const span = { startSeconds, endSeconds, stepSeconds }
  const steps = stepTimes(span).map(sumAt)
  const sums = addUpSteps(steps, span)
  const [firstCounted, firstTotal] = [firstTime(counted), firstTime(total)]
  return {
    ...sums,
    steps,
    coveredFromSeconds: coveredFrom(sums),
    countsEvents: scales !== null,
    countedFromSeconds:
      Number.isFinite(firstCounted) && firstCounted > firstTotal + hour ? firstCounted - stepSeconds : null,
  }
}

/** First time with a value; Infinity: there is none. */
function firstTime(values: TimedValues): number {
  let first = Infinity
  for (const time of values.keys()) first = Math.min(first, time)
  return first
}

/** Largest share of a step's total that is taken for a rounding error of binary fractions. */
const maxRoundingError = 1e-9

/** Rounds a step to 6 digits, so that clients compute the same from the steps they are sent. */
function roundedStep(total: number, bad: number, coveredSeconds: number): WindowSum {
  const sixDigits = (value: number) => Number(value.toPrecision(6))
  const all = sixDigits(total)
  const roundedBad = bad <= total * maxRoundingError ? 0 : Math.min(all, sixDigits(bad))
  return { good: all - roundedBad, total: all, coveredSeconds }
}

function stepTimes({ startSeconds, endSeconds, stepSeconds }: Grid): number[] {
  const count = Math.max(0, Math.floor((endSeconds - startSeconds) / stepSeconds))
  return Array.from({ length: count }, (_, at) => startSeconds + (at + 1) * stepSeconds)
}

/** Moves points to their places on the grid: VictoriaMetrics moves points of long answers back to multiples of the step. */
function onGrid(values: TimedValues, { startSeconds, stepSeconds }: Grid): TimedValues {
  const gridTime = (time: number) => startSeconds + Math.ceil((time - startSeconds) / stepSeconds) * stepSeconds
  return new Map([...values].map(([time, value]) => [gridTime(time), value]))
}

/** Factors from a side's value to the events of a step; null if a side does not count any. */
function eventScales({ counted, total }: TwoSides, stepSeconds: number, rangeSeconds: number) {
  if (!counted.kind || !total.kind) return null
  return {
    counted: eventScale(counted.kind, stepSeconds, rangeSeconds),
    total: eventScale(total.kind, stepSeconds, rangeSeconds),
  }
}
