import { askCounters, type CounterAnswers } from '../counters/ask-counters.ts'
import { coveredOver, increaseOver } from '../counters/quantities.ts'
import type { AppError } from '../../errors.ts'
import type { Source } from '../../sources/source.ts'
import {
  type Counted,
  countersOf,
  endsOf,
  failureOf,
  goodOf,
  resultOf,
  seriesOf,
  sure,
  uncovered,
  valueAt,
} from './counted.ts'
import { measureMinutes } from './measure-minutes.ts'
import type { Bucket, Span, MeasuredBuckets } from '../bucket.ts'

/** Events over a window; a total of null: no data. */
export type Increase = { counted: number; total: number | null }

const minute = 60

/** Buckets of SLOs whose sides are sums of counters, all of them asked together; by SLO id. */
export async function measureCounters(
  source: Source,
  counted: Counted[],
  span: Span,
): Promise<Map<number, MeasuredBuckets>> {
  if (counted.length === 0 || span.endSeconds <= span.startSeconds) {
    return new Map(counted.map(({ sloId }) => [sloId, sure([])]))
  }
  if (span.resolution === minute) return measureMinutes(source, counted, span)
  const firstEnd = span.startSeconds + span.resolution
  const grid = { startSeconds: firstEnd, endSeconds: span.endSeconds, stepSeconds: span.resolution }
  const coverage = coveredOver(span.resolution, span.resolution === 3600 ? 60 : 300)
  const totals = counted.flatMap(({ counters }) => counters.total.slice(0, 1))
  const [events, covered] = await Promise.all([
    askCounters(source, counted.flatMap(countersOf), increaseOver(span.resolution), grid),
    askCounters(
      source,
      totals.map(({ counter }) => counter),
      coverage,
      grid,
    ),
  ])
  return resultOf(counted, [events, covered], (one) => longBucketsOf(one, span, events, covered))
}

/** Events over the window that ends at `endSeconds`, by SLO id, or why there are none. */
export async function increasesOf(
  source: Source,
  counted: Counted[],
  windowSeconds: number,
  endSeconds: number,
): Promise<Map<number, Increase | { error: AppError }>> {
  const grid = { startSeconds: endSeconds, endSeconds, stepSeconds: minute }
  const answers = await askCounters(source, counted.flatMap(countersOf), increaseOver(windowSeconds), grid)
  return new Map(
    counted.map(({ sloId, counters }) => {
      const error = failureOf(counters, [answers])
      const total = valueAt(counters.total, answers, endSeconds)
      return [sloId, error ? { error } : { counted: valueAt(counters.counted, answers, endSeconds) ?? 0, total }]
    }),
  )
}

function longBucketsOf(
  { counters }: Counted,
  span: Span,
  events: CounterAnswers,
  covered: CounterAnswers,
): MeasuredBuckets {
  const [first] = counters.total
  const buckets = endsOf(span).map((end): Bucket => {
    const startSeconds = end - span.resolution
    const total = valueAt(counters.total, events, end)
    const seconds = Math.min(span.resolution, (first && seriesOf(first, covered)?.get(end)) ?? 0)
    if (total === null || seconds === 0) return uncovered(startSeconds)
    const good = goodOf(counters, valueAt(counters.counted, events, end) ?? 0, total)
    return { startSeconds, good, total, coveredSeconds: seconds, leadGood: 0, leadTotal: 0 }
  })
  return sure(buckets)
}
