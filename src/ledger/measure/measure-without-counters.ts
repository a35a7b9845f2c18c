import { AppError } from '../../errors.ts'
import { type HourlyIntervals, learnHourlyIntervals } from '../hourly-intervals.ts'
import { hasClosedRanges } from '../sample-intervals.ts'
import { partialAnswer } from '../counters/query-counters.ts'
import { familyText } from '../counters/families.ts'
import {
  finiteValues,
  meanOverSeries,
  subqueryStepSeconds,
  overSubquery,
  sumOverSeries,
  type TimedValues,
} from '../../sli/series.ts'
import { type SamplesPlan, type Sampling, sumLabel } from '../../sli/plan/samples.ts'
import type { PlannedSlo, SliPlan } from '../../sli/plan/plan.ts'
import type { EventKind } from '../../promql/analysis/side-kind.ts'
import { eventScale, type SliUnit, sliOf, type TwoSides, unitOfPlan } from '../../sli/sli.ts'
import { queryRange, type RangeSeries, type Source } from '../../sources/source.ts'
import {
  type Bucket,
  day,
  endsOf,
  floorTo,
  hour,
  type MeasuredBuckets,
  minute,
  type Span,
  sumBuckets,
  withoutBreaks,
  emptyBucket,
} from '../bucket.ts'

/** Range for queries that leave the range to nines. */
const ownRangeSeconds = 300

/** Maximum points of each series in one query, 10 days of minutes: a source does not answer for more in time. */
const maxPoints = 14_400

/**
 * Measures SLOs whose query is no pair of counter sums, by SLO id: in events if both sides of a query count events, otherwise in
 * good and total seconds. Samples of a selector are summed; any other query is read once a minute. Sample intervals of selectors that
 * differ only in label values are queried together. A span without samples is not queried further. `sampledAtSeconds`: as in
 * `measureLedger`.
 */
export async function measureWithoutCounters(
  source: Source,
  planned: readonly PlannedSlo[],
  span: Span,
  sampledAtSeconds?: number,
): Promise<Map<number, MeasuredBuckets>> {
  const groups = Map.groupBy(planned, ({ slo, plan }) => (plan.samples ? familyText(plan.samples.selector) : slo.id))
  const measured = [...groups.values()].map((group) => measureGroup(source, group, span, sampledAtSeconds))
  return new Map((await Promise.all(measured)).flat())
}

async function measureGroup(
  source: Source,
  group: PlannedSlo[],
  span: Span,
  sampledAtSeconds?: number,
): Promise<[sloId: number, MeasuredBuckets][]> {
  const buckets = new Map<number, Bucket[]>(group.map(({ slo }) => [slo.id, []]))
  const errors = new Map<number, AppError>()
  for (const part of partsOf(span, minute)) {
    const remaining = group.filter(({ slo }) => !errors.has(slo.id))
    const samplingOf = await learnSampling(source, remaining, part, sampledAtSeconds)
    const results = remaining.map(async (one) => {
      try {
        buckets.get(one.slo.id)?.push(...(await measurePart(source, one, part, samplingOf)))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        errors.set(one.slo.id, error)
      }
    })
    await Promise.all(results)
  }
  return [...buckets].map(([id, some]) => {
    const error = errors.get(id)
    return [id, error ? { error } : withoutBreaks(some)]
  })
}

/** Measures one SLO like `measureWithoutCounters`. */
export async function measureOneWithoutCounters(
  source: Source,
  planned: PlannedSlo,
  span: Span,
  sampledAtSeconds?: number,
): Promise<MeasuredBuckets> {
  const measured = await measureWithoutCounters(source, [planned], span, sampledAtSeconds)
  return measured.get(planned.slo.id) ?? withoutBreaks([])
}

/** Splits a span into spans of at most `maxPoints` steps. */
function partsOf(span: Span, stepSeconds: number): Span[] {
  const partSeconds = floorTo(maxPoints * stepSeconds, span.resolution)
  const parts: Span[] = []
  for (let startSeconds = span.startSeconds; startSeconds < span.endSeconds; startSeconds += partSeconds) {
    parts.push({ ...span, startSeconds, endSeconds: Math.min(span.endSeconds, startSeconds + partSeconds) })
  }
  return parts
}

/**
 * Sampling of a selector in a span. `isClosed`: ranges of the source include a sample at their very start. Throws the error of the source,
 * if it did not answer.
 */
type SamplingOf = (samples: SamplesPlan) => HourlyIntervals & Pick<Sampling, 'isClosed'>

async function learnSampling(
  source: Source,
  planned: readonly PlannedSlo[],
  span: Span,
  sampledAtSeconds?: number,
): Promise<SamplingOf> {
  const selectors = planned.flatMap(({ plan }) => (plan.samples && !eventKindOf(plan) ? [plan.samples.selector] : []))
  const closing = selectors.length > 0 ? hasClosedRanges(source, span.endSeconds) : Promise.resolve(false)
  const [intervals, closed] = await Promise.all([
    learnHourlyIntervals(source, selectors, span, sampledAtSeconds),
    closing.then(
      (isClosed) => ({ isClosed }),
      (error: unknown) => ({ error }),
    ),
  ])
  return ({ selector: { text } }) => {
    const learned = intervals.get(text) ?? { ofBucket: () => null, isEmpty: false }
    if ('error' in closed) throw closed.error
    if ('error' in learned) throw learned.error
    return { ...learned, ...closed }
  }
}

/** Sums a day of seconds from its hours: if the sample interval changes, the error is smaller by the hour. */
async function measurePart(source: Source, planned: PlannedSlo, part: Span, samplingOf: SamplingOf): Promise<Bucket[]> {
  if (part.resolution !== day || eventKindOf(planned.plan)) return measureSpan(source, planned, part, samplingOf)
  const hours = await measureSpan(source, planned, { ...part, resolution: hour }, samplingOf)
  return endsOf(part).map((end) => sumBuckets(hours, end - day, day))
}

async function measureSpan(
  source: Source,
  { slo, plan }: PlannedSlo,
  span: Span,
  samplingOf: SamplingOf,
): Promise<Bucket[]> {
  const query = rangeQuery(source, span)
  const kind = eventKindOf(plan)
  if (plan.sides && kind) return eventBuckets(query, plan.sides, kind, span)
  const { samples } = plan
  if (!samples) return valueBuckets(query, { slo, plan }, span)
  const { ofBucket: intervalsAt, isEmpty, isClosed } = samplingOf(samples)
  if (isEmpty) return endsOf(span).map((end) => emptyBucket(end - span.resolution))
  const unknown = { shortestSeconds: null, longestSeconds: null }
  const ends = Map.groupBy(endsOf(span), (end) => JSON.stringify(intervalsAt(end) ?? unknown))
  const measured = [...ends].map(async ([intervals, some]) => {
    const sampling: Sampling = { ...JSON.parse(intervals), isClosed }
    const [first = span.endSeconds, last = first] = [some[0], some.at(-1)]
    const part = { ...span, startSeconds: first - span.resolution, endSeconds: last }
    const buckets: Bucket[] = []
    for (const one of partsOf(part, samples.subqueryStep(span.resolution, sampling)))
      buckets.push(...(await sampleBuckets(rangeQuery(source, one), { slo, plan }, { samples, sampling }, one)))
    const own = new Set(some)
    return buckets.filter(({ startSeconds }) => own.has(startSeconds + span.resolution))
  })
  return (await Promise.all(measured)).flat().toSorted((a, b) => a.startSeconds - b.startSeconds)
}

type RangeQuery = (expression: string) => Promise<RangeSeries[]>

function rangeQuery(source: Source, { resolution, startSeconds, endSeconds }: Span): RangeQuery {
  const grid = { startSeconds: startSeconds + resolution, endSeconds, stepSeconds: resolution }
  return async (expression) => {
    const { data, isPartial } = await queryRange(source, expression, grid)
    if (isPartial) throw partialAnswer()
    return data
  }
}

/** Kind of events of both sides; null if they differ, or if their ranges do not follow the window. */
export function eventKindOf({ sides, method }: SliPlan): EventKind | null {
  if (!sides || (method !== 'widen' && method !== 'placeholder')) return null
  return sides.counted.kind === sides.total.kind ? sides.total.kind : null
}

async function eventBuckets(
  query: RangeQuery,
  { counts, counted, total }: TwoSides,
  kind: EventKind,
  span: Span,
): Promise<Bucket[]> {
  // A minute is too short for a range: the events of five minutes are spread evenly over them.
  const rangeSeconds = span.resolution === minute ? ownRangeSeconds : span.resolution
  const scale = eventScale(kind, span.resolution, rangeSeconds)
  const [countedValues, totalValues] = await Promise.all([
    query(counted.expression(rangeSeconds)).then(sumOverSeries),
    query(total.expression(rangeSeconds)).then(sumOverSeries),
  ])
  return endsOf(span).map((end): Bucket => {
    const startSeconds = end - span.resolution
    const all = totalValues.get(end)
    if (all === undefined) return emptyBucket(startSeconds)
    const countedEvents = (countedValues.get(end) ?? 0) * scale
    const events = all * scale
    const good = counts === 'good' ? countedEvents : events - countedEvents
    return { startSeconds, good, total: events, coveredSeconds: span.resolution, leadGood: 0, leadTotal: 0 }
  })
}

/** Buckets as sums over their samples, so that they add up, whatever their length. */
async function sampleBuckets(
  query: RangeQuery,
  { slo, plan }: PlannedSlo,
  { samples, sampling }: { samples: SamplesPlan; sampling: Sampling },
  span: Span,
): Promise<Bucket[]> {
  const { resolution } = span
  let sums = await querySums(query, samples.coveredSums(resolution, sampling, false))
  if (sums.total.size > sums.good.size) sums = await querySums(query, samples.coveredSums(resolution, sampling, true)) // has NaN
  const unit = unitOfPlan(plan, slo, [])
  return endsOf(span).map((end): Bucket => {
    const startSeconds = end - resolution
    const [good, total] = [sums.good.get(end), sums.total.get(end)]
    const value = good === undefined || !total ? undefined : samples.constant + (samples.factor * good) / total
    const ratio = ratioOf(value, unit, plan)
    const coveredSeconds = Math.min(resolution, Math.round(total ?? 0))
    if (ratio === null || !total || coveredSeconds === 0) return emptyBucket(startSeconds)
    return { startSeconds, good: ratio * total, total, coveredSeconds, leadGood: 0, leadTotal: 0 }
  })
}

type Sums = Record<'good' | 'total', TimedValues>

async function querySums(query: RangeQuery, expression: string): Promise<Sums> {
  const series = await query(expression)
  const values = await finiteValues(series)
  const sumOf = (part: keyof Sums) => values[series.findIndex(({ metric }) => metric[sumLabel] === part)] ?? new Map()
  return { good: sumOf('good'), total: sumOf('total') }
}

/** Reads a query that is no sum over samples once a minute; longer buckets are the mean of these moments. */
async function valueBuckets(query: RangeQuery, { slo, plan }: PlannedSlo, span: Span): Promise<Bucket[]> {
  const { resolution } = span
  const expression = plan.method === 'widen' ? plan.stored : plan.expression(ownRangeSeconds)
  const asStored = plan.isScalar ? `vector(${expression}\n)` : expression
  const [values, counts] = await Promise.all([
    query(resolution === minute ? asStored : overSubquery(asStored, 'avg_over_time', resolution)).then(meanOf),
    resolution === minute ? null : query(overSubquery(asStored, 'count_over_time', resolution)).then(meanOf),
  ])
  const unit = unitOfPlan(plan, slo, [])
  return endsOf(span).map((end): Bucket => {
    const startSeconds = end - resolution
    const ratio = ratioOf(values.get(end), unit, plan)
    const seconds = counts ? Math.min(resolution, Math.round((counts.get(end) ?? 0) * subqueryStepSeconds)) : minute
    if (ratio === null || seconds === 0) return emptyBucket(startSeconds)
    return { startSeconds, good: ratio * seconds, total: seconds, coveredSeconds: seconds, leadGood: 0, leadTotal: 0 }
  })
}

function ratioOf(value: number | undefined, unit: SliUnit | null, plan: SliPlan): number | null {
  if (value === undefined || (unit === null && value !== 0)) return null // 0 is 0 in either unit
  const sli = sliOf({ result: { value, largest: value } }, unit, plan.sides?.counts === 'bad')
  return 'percent' in sli ? sli.percent / 100 : null
}

async function meanOf(series: RangeSeries[]): Promise<TimedValues> {
  return meanOverSeries(await finiteValues(series))
}
