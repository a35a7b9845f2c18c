import { runCooperatively, type CooperativeTask } from '../../concurrency/cooperative.ts'
import type { Counter } from '../../promql/analysis/counters/counter-sum.ts'
import type { Grid, Source } from '../../sources/source.ts'
import { ceilTo } from '../bucket.ts'
import { queryCounters, type CounterAnswers, type CounterValues } from './query-counters.ts'
import { maxGapSeconds, stepOf } from './quantities.ts'

const maxPoints = 600 // per query: 250 counters have 150,000 values

/**
 * Counts the events of counters sample by sample, in buckets of `bucketSeconds` that are keyed by their ends. The span lies
 * between two multiples of it. No series may have more than one sample in `stepSeconds`, a part of a bucket. Buckets without a
 * sample are left out.
 */
export async function countSteps(
  source: Source,
  counters: Counter[],
  span: { startSeconds: number; endSeconds: number },
  {
    stepSeconds,
    bucketSeconds,
    gapSeconds = maxGapSeconds,
  }: { stepSeconds: number; bucketSeconds: number; gapSeconds?: number },
): Promise<CounterAnswers> {
  const pieceSeconds = Math.max(1, Math.floor((maxPoints * stepSeconds) / bucketSeconds)) * bucketSeconds
  const sums = new Map<string, Map<number, number>>()
  const failed: CounterAnswers['failed'] = new Map()
  for (let startSeconds = span.startSeconds; startSeconds < span.endSeconds; startSeconds += pieceSeconds) {
    const endSeconds = Math.min(span.endSeconds, startSeconds + pieceSeconds)
    const grid = { startSeconds: startSeconds + stepSeconds, endSeconds, stepSeconds }
    const piece = await queryCounters(source, counters, stepOf(stepSeconds, gapSeconds), grid)
    for (const [text, error] of piece.failed) failed.set(text, error)
    await runCooperatively('measurements', adding(piece.values, grid, bucketSeconds, sums))
  }
  return { values: sums, failed }
}

function* adding(
  values: Map<string, CounterValues>,
  { startSeconds, endSeconds, stepSeconds }: Grid,
  bucketSeconds: number,
  into: Map<string, Map<number, number>>,
): CooperativeTask<void> {
  for (const [text, series] of values) {
    const sums = into.getOrInsertComputed(text, () => new Map<number, number>())
    for (let time = startSeconds; time <= endSeconds; time += stepSeconds) {
      const value = series.get(time)
      if (value === undefined) continue
      const end = ceilTo(time, bucketSeconds)
      sums.set(end, (sums.get(end) ?? 0) + value)
    }
    yield
  }
}
