import { AppError } from '../../errors.ts'
import { partialAnswer } from '../counters/ask-counters.ts'
import { finiteValues, meanOverSeries, sumOverSeries, type TimedValues } from '../../sli/series.ts'
import type { PlannedSlo, SliPlan } from '../../sli/plan/plan.ts'
import type { EventKind } from '../../promql/analysis/side-kind.ts'
import { eventScale, type SliUnit, sliOf, type TwoSides, unitOfPlan } from '../../sli/sli.ts'
import { askRange, type RangeSeries, type Source } from '../../sources/source.ts'
import { type Bucket, endsOf, type MeasuredBuckets, minute, type Span, sure, uncovered } from '../bucket.ts'

/** The range a query has where it leaves it to us. */
const ownRangeSeconds = 300

/** Buckets of an SLO whose query is no pair of counter sums: events where its sides count some, else time times value. */
export async function measureOther(source: Source, { slo, plan }: PlannedSlo, span: Span): Promise<MeasuredBuckets> {
  const { resolution, startSeconds, endSeconds } = span
  const grid = { startSeconds: startSeconds + resolution, endSeconds, stepSeconds: resolution }
  if (grid.endSeconds < grid.startSeconds) return sure([])
  const ask = async (expression: string): Promise<RangeSeries[]> => {
    const { data, partial } = await askRange(source, expression, grid)
    if (partial) throw partialAnswer()
    return data
  }
  try {
    const kind = eventKindOf(plan)
    const buckets =
      plan.sides && kind
        ? await eventBuckets(ask, plan.sides, kind, span)
        : await valueBuckets(ask, { slo, plan }, span)
    return sure(buckets)
  } catch (error) {
    if (error instanceof AppError) return { error }
    throw error
  }
}

type Ask = (expression: string) => Promise<RangeSeries[]>

/** What both sides of buckets count, where it is the same and the window makes their ranges. */
export function eventKindOf({ sides, method }: SliPlan): EventKind | null {
  if (!sides || (method !== 'widen' && method !== 'placeholder')) return null
  return sides.counted.kind === sides.total.kind ? sides.total.kind : null
}

async function eventBuckets(
  ask: Ask,
  { counts, counted, total }: TwoSides,
  kind: EventKind,
  span: Span,
): Promise<Bucket[]> {
  // A minute is too short for a range: what happened in five is spread evenly over them.
  const rangeSeconds = span.resolution === minute ? ownRangeSeconds : span.resolution
  const scale = eventScale(kind, span.resolution, rangeSeconds)
  const [ofCounted, ofTotal] = await Promise.all([
    ask(counted.expression(rangeSeconds)).then(sumOverSeries),
    ask(total.expression(rangeSeconds)).then(sumOverSeries),
  ])
  return endsOf(span).map((end): Bucket => {
    const startSeconds = end - span.resolution
    const all = ofTotal.get(end)
    if (all === undefined) return uncovered(startSeconds)
    const some = (ofCounted.get(end) ?? 0) * scale
    const events = all * scale
    const good = counts === 'good' ? some : events - some
    return { startSeconds, good, total: events, coveredSeconds: span.resolution, leadGood: 0, leadTotal: 0 }
  })
}

async function valueBuckets(ask: Ask, { slo, plan }: PlannedSlo, span: Span): Promise<Bucket[]> {
  const whole = plan.method === 'widen' ? plan.stored : plan.expression(ownRangeSeconds)
  const asStored = plan.isScalar ? `vector(${whole}\n)` : whole
  const [values, covered] = await Promise.all([
    ask(span.resolution === minute ? asStored : over(asStored, 'avg_over_time', span.resolution)).then(meanOf),
    span.resolution === minute ? null : ask(over(asStored, 'count_over_time', span.resolution)).then(meanOf),
  ])
  const unit = unitOfPlan(plan, slo, [])
  return endsOf(span).map((end): Bucket => {
    const startSeconds = end - span.resolution
    const ratio = ratioOf(values.get(end), unit, plan)
    const stepSeconds = stepOf(span.resolution)
    const seconds = covered ? Math.min(span.resolution, Math.round((covered.get(end) ?? 0) * stepSeconds)) : minute
    if (ratio === null || seconds === 0) return uncovered(startSeconds)
    return { startSeconds, good: ratio * seconds, total: seconds, coveredSeconds: seconds, leadGood: 0, leadTotal: 0 }
  })
}

/** Of the moments with a number: a single 0/0 would else make all of them NaN. */
function over(expression: string, name: string, seconds: number): string {
  return `${name}(((${expression}\n) < Inf)[${seconds}s:${stepOf(seconds)}s])`
}

function stepOf(seconds: number): number {
  return seconds <= 3600 ? minute : 300
}

function ratioOf(value: number | undefined, unit: SliUnit | null, plan: SliPlan): number | null {
  if (value === undefined || (unit === null && value !== 0)) return null // 0 is 0 in either
  const sli = sliOf({ result: { value, largest: value } }, unit, plan.sides?.counts === 'bad')
  return 'percent' in sli ? sli.percent / 100 : null
}

async function meanOf(series: RangeSeries[]): Promise<TimedValues> {
  return meanOverSeries(await finiteValues(series))
}
