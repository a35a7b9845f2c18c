import type { Counter } from '../promql/analysis/counters/counter-sum.ts'
import type { Source } from '../sources/source.ts'
import { ceilTo, endsOf, floorTo, hour, type Span } from './bucket.ts'
import { queryCounters } from './counters/ask-counters.ts'
import { hourlyCount, type Quantity, typicalCount } from './counters/quantities.ts'
import { learnIntervals, measureIntervals, type SampleIntervals } from './sample-intervals.ts'

/** Samples per series in `seconds`: the fewest and the most of any series, by the ends of hours. */
type Counts = { seconds: number; fewest(end: number): number | undefined; most(end: number): number | undefined }

/** Intervals above this have too few samples in ten minutes; the samples of an hour distinguish them. */
const maxTypicalSeconds = 300
const typicalSeconds = 600
/** Deviations from the expected number of samples that mean no other interval: below one sample, or 5 % of them. */
const sampleTolerance = 0.99
const shareTolerance = 0.05
const maxLearned = 6

/**
 * Learns the sample intervals behind a selector for each hour of a span; the result finds those of a bucket by its end. Spans of
 * less than an hour have those of `sampledAtSeconds`, which others are compared with first. Where the samples of an hour are more or fewer than these intervals give, they are
 * learned again at the end of that hour, at most six times in a span; more changes get the interval that fits best. The hours
 * next to a change have the longer interval, with which no sample stands for too little.
 */
export async function learnHourlyIntervals(
  source: Source,
  selector: Counter,
  span: Span,
  sampledAtSeconds = span.endSeconds,
): Promise<(bucketEnd: number) => SampleIntervals | null> {
  const { startSeconds, endSeconds } = span
  const latest = (await learnIntervals(source, [selector], sampledAtSeconds)).get(selector.text) ?? null
  if (endSeconds - startSeconds < hour) return () => latest
  const hours = {
    resolution: hour,
    startSeconds: floorTo(startSeconds, hour) - hour,
    endSeconds: floorTo(endSeconds, hour),
  }
  const counts = await countSamples(source, selector, hours, latest)
  const known = latest ? [latest] : []
  const byEnd = new Map(endSeconds > hours.endSeconds ? [[hours.endSeconds + hour, latest]] : [])
  let current = latest
  let learned = 0
  for (const end of endsOf(hours).toReversed()) {
    let fitting = bestOf(known, counts, end)
    if (fitting === undefined && learned < maxLearned) {
      learned += 1
      fitting = (await measureIntervals(source, [selector], end)).get(selector.text) ?? undefined
      if (fitting) known.push(fitting)
    }
    current = fitting ?? current
    byEnd.set(end, current)
  }
  return (bucketEnd) => {
    const end = ceilTo(bucketEnd, hour)
    return longestOf([end - hour, end, end + hour].flatMap((one) => byEnd.get(one) ?? []))
  }
}

async function countSamples(
  source: Source,
  selector: Counter,
  { startSeconds, endSeconds }: Span,
  latest: SampleIntervals | null,
): Promise<Counts> {
  const isSlow = latest !== null && latest.longestSeconds > maxTypicalSeconds
  const grid = { startSeconds: startSeconds + hour, endSeconds, stepSeconds: hour }
  const ask = async (by: Quantity['by']) => {
    const quantity = isSlow ? hourlyCount(by) : typicalCount(by, typicalSeconds)
    const { values, failed } = await queryCounters(source, [selector], quantity, grid)
    const error = failed.get(selector.text)
    if (error?.kind === 'source_unavailable') throw error
    return (end: number) => values.get(selector.text)?.get(end)
  }
  const [fewest, most] = await Promise.all([ask('min'), ask('max')])
  return { seconds: isSlow ? hour : typicalSeconds, fewest, most }
}

/** Intervals that give about as many samples as an hour has, the nearest of several; any for an hour without samples. */
function bestOf(known: SampleIntervals[], counts: Counts, end: number): SampleIntervals | null | undefined {
  const [fewest, most] = [counts.fewest(end), counts.most(end)]
  if (fewest === undefined || most === undefined) return known.at(-1) ?? null
  const deviation = (count: number, intervalSeconds: number) => {
    const expected = counts.seconds / intervalSeconds
    return Math.abs(count - expected) / Math.max(sampleTolerance, shareTolerance * expected)
  }
  const deviationOf = ({ shortestSeconds, longestSeconds }: SampleIntervals) =>
    Math.max(deviation(fewest, longestSeconds), deviation(most, shortestSeconds))
  const [best] = known.toSorted((a, b) => deviationOf(a) - deviationOf(b))
  return best && deviationOf(best) <= 1 ? best : undefined
}

function longestOf(all: SampleIntervals[]): SampleIntervals | null {
  if (all.length === 0) return null
  const max = (of: keyof SampleIntervals) => Math.max(...all.map((one) => one[of]))
  return { shortestSeconds: max('shortestSeconds'), longestSeconds: max('longestSeconds') }
}
