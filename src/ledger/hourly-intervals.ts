import type { Counter } from '../promql/analysis/counters/counter-sum.ts'
import type { AppError } from '../errors.ts'
import type { Source } from '../sources/source.ts'
import { ceilTo, endsOf, floorTo, hour, type Span } from './bucket.ts'
import { type CounterAnswers, queryCounters } from './counters/query-counters.ts'
import { type Aggregation, hourlyCount, typicalCount } from './counters/quantities.ts'
import { learnIntervals, measureIntervals, type SampleIntervals } from './sample-intervals.ts'

/**
 * Sample intervals of a selector in a span. `ofBucket`: those of a bucket by its end. `isEmpty`: the span has no samples, nor has
 * the hour before it; false if that is not known.
 */
export type HourlyIntervals = { ofBucket(bucketEnd: number): SampleIntervals | null; isEmpty: boolean }

/** Samples per series in `seconds`: the fewest and the most of any series, by the ends of hours. */
type Counts = {
  seconds: number
  minCount(end: number): number | undefined
  maxCount(end: number): number | undefined
  isKnown: boolean
}

/** Longer intervals have too few samples in `typicalSeconds` to be distinguished; their samples are counted by the hour. */
const maxTypicalSeconds = 300
const typicalSeconds = 600
/** Tolerated deviation from the expected number of samples: below one sample, or 5 % of them. */
const sampleTolerance = 0.99
const shareTolerance = 0.05
const maxLearned = 6

/**
 * Learns the sample intervals behind selectors for each hour of a span; keys are the texts of the selectors. If the source did not
 * answer for a selector, its value is the error. A span of less than an hour has the intervals measured at `sampledAtSeconds`. In a
 * longer span these are compared with the number of samples of each hour, from the last hour back. Where they do not match, and no
 * intervals learned before do, they are measured again at the end of that hour, at most six times; after that, an hour without a
 * match has the intervals of the hour after it. The hours next to a change have the longer interval, so that no sample stands for
 * too little time.
 */
export async function learnHourlyIntervals(
  source: Source,
  selectors: readonly Counter[],
  span: Span,
  sampledAtSeconds = span.endSeconds,
): Promise<Map<string, HourlyIntervals | { error: AppError }>> {
  const { startSeconds, endSeconds } = span
  const latest = await learnIntervals(source, selectors, sampledAtSeconds)
  if (endSeconds - startSeconds < hour) {
    return new Map([...latest].map(([text, intervals]) => [text, { ofBucket: () => intervals, isEmpty: false }]))
  }
  const hours = {
    resolution: hour,
    startSeconds: floorTo(startSeconds, hour) - hour,
    endSeconds: floorTo(endSeconds, hour),
  }
  const distinct = [...new Map(selectors.map((selector) => [selector.text, selector])).values()]
  const isSlow = ({ text }: Counter) => (latest.get(text)?.longestSeconds ?? 0) > maxTypicalSeconds
  const counts = await Promise.all([
    countSamples(source, distinct.filter(isSlow), hours, hour),
    countSamples(
      source,
      distinct.filter((one) => !isSlow(one)),
      hours,
      typicalSeconds,
    ),
  ])
  const countsOf = new Map(counts.flatMap((some) => [...some]))
  const learned = distinct.map(async (selector) => {
    const count = countsOf.get(selector.text)
    const intervals = latest.get(selector.text) ?? null
    const result =
      count && 'seconds' in count ? await compareHours(source, selector, span, hours, count, intervals) : count
    return [selector.text, result ?? { ofBucket: () => intervals, isEmpty: false }] as const
  })
  return new Map(await Promise.all(learned))
}

async function compareHours(
  source: Source,
  selector: Counter,
  { endSeconds }: Span,
  hours: Span,
  counts: Counts,
  latest: SampleIntervals | null,
): Promise<HourlyIntervals> {
  const known = latest ? [latest] : []
  // the hour after the last whole one, if the span reaches into it, has the latest intervals
  const byEnd = new Map(endSeconds > hours.endSeconds ? [[hours.endSeconds + hour, latest]] : [])
  const ends = endsOf(hours)
  let current = latest
  let learnedCount = 0
  for (const end of ends.toReversed()) {
    let matching = bestOf(known, counts, end)
    if (matching === undefined && learnedCount < maxLearned) {
      learnedCount += 1
      matching = (await measureIntervals(source, [selector], end)).get(selector.text) ?? undefined
      if (matching) known.push(matching)
    }
    current = matching ?? current
    byEnd.set(end, current)
  }
  return {
    ofBucket(bucketEnd) {
      const end = ceilTo(bucketEnd, hour)
      return longestOf([end - hour, end, end + hour].flatMap((one) => byEnd.get(one) ?? []))
    },
    isEmpty:
      counts.isKnown && endSeconds === hours.endSeconds && ends.every((end) => counts.maxCount(end) === undefined),
  }
}

async function countSamples(
  source: Source,
  selectors: Counter[],
  { startSeconds, endSeconds }: Span,
  seconds: number,
): Promise<Map<string, Counts | { error: AppError }>> {
  const grid = { startSeconds: startSeconds + hour, endSeconds, stepSeconds: hour }
  const query = (by: Aggregation) =>
    queryCounters(source, selectors, seconds === hour ? hourlyCount(by) : typicalCount(by, seconds), grid)
  const [minCounts, maxCounts] = await Promise.all([query('min'), query('max')])
  return new Map(
    selectors.map(({ text }): [string, Counts | { error: AppError }] => {
      const errors = [minCounts, maxCounts].flatMap(({ failed }) => failed.get(text) ?? [])
      const error = errors.find(({ kind }) => kind === 'source_unavailable')
      if (error) return [text, { error }]
      const countAt = ({ values }: CounterAnswers) => {
        const series = values.get(text)
        return (end: number) => series?.get(end)
      }
      return [
        text,
        { seconds, minCount: countAt(minCounts), maxCount: countAt(maxCounts), isKnown: errors.length === 0 },
      ]
    }),
  )
}

/** Intervals that give about as many samples as an hour has, the nearest of several; any for an hour without samples. */
function bestOf(known: SampleIntervals[], counts: Counts, end: number): SampleIntervals | null | undefined {
  const [minCount, maxCount] = [counts.minCount(end), counts.maxCount(end)]
  if (minCount === undefined || maxCount === undefined) return known.at(-1) ?? null
  const deviation = (count: number, intervalSeconds: number) => {
    const expected = counts.seconds / intervalSeconds
    return Math.abs(count - expected) / Math.max(sampleTolerance, shareTolerance * expected)
  }
  const deviationOf = ({ shortestSeconds, longestSeconds }: SampleIntervals) =>
    Math.max(deviation(minCount, longestSeconds), deviation(maxCount, shortestSeconds))
  const [best] = known.toSorted((a, b) => deviationOf(a) - deviationOf(b))
  return best && deviationOf(best) <= 1 ? best : undefined
}

function longestOf(all: SampleIntervals[]): SampleIntervals | null {
  if (all.length === 0) return null
  const max = (field: keyof SampleIntervals) => Math.max(...all.map((one) => one[field]))
  return { shortestSeconds: max('shortestSeconds'), longestSeconds: max('longestSeconds') }
}
