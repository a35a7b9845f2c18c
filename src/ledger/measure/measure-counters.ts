import { runCooperatively, type CooperativeTask } from '../../concurrency/cooperative.ts'
import type { Source } from '../../sources/source.ts'
import {
  type Bucket,
  endsOf,
  hour,
  type MeasuredBuckets,
  minute,
  type Span,
  withoutBreaks,
  emptyBucket,
} from '../bucket.ts'
import {
  queryCounters,
  type CountedSlo,
  type CounterAnswers,
  countersOf,
  failureOf,
  goodOf,
  seriesOf,
  type CounterSeries,
  valueAt,
} from '../counters/query-counters.ts'
import { coveredOver, increaseOver, leadQuantity, defaultLookbackSeconds } from '../counters/quantities.ts'
import { knownSamplings, learnSamplings, type Sampling } from '../counters/sampling.ts'
import { countSteps } from '../counters/steps.ts'
import { queryAtBreaks, type BreakAnswers } from './breaks.ts'
import { type GainAnswers, queryGains } from './gains.ts'

/** Answers that every minute needs. */
type MinuteAnswers = GainAnswers & { leads: CounterAnswers }

/** SLOs whose counters are queried together. `isEstimated`: their hours have enough samples for `increase`. */
type SamplingGroup = { slos: CountedSlo[]; lookbackSeconds: number; isEstimated: boolean }

/** Longest sample interval with which an hour has enough samples for `increase`. */
const estimatedIntervalSeconds = 300
/** Step of `countSteps` for longer intervals: it has at most one of their samples. */
const slowStepSeconds = 150

/**
 * Measures buckets of SLOs whose sides are sums of counters, all of them queried together; by SLO id. `sampledAtSeconds`: time
 * at which their sample interval is looked up, instead of the end of the span.
 */
export async function measureCounters(
  source: Source,
  slos: CountedSlo[],
  span: Span,
  sampledAtSeconds = span.endSeconds,
): Promise<Map<number, MeasuredBuckets>> {
  if (slos.length === 0 || span.endSeconds <= span.startSeconds) {
    return new Map(slos.map(({ sloId }) => [sloId, withoutBreaks([])]))
  }
  // Learning runs concurrently, because a slow query for one SLO would delay all.
  const samplings = knownSamplings(source, slos)
  const seconds = span.endSeconds - span.startSeconds
  const [learned, measured] = await Promise.all([
    learnSamplings(source, slos, sampledAtSeconds, seconds),
    measureSampled(source, slos, span, samplings),
  ])
  const hasChanged = ({ sloId }: CountedSlo) => {
    const [known, newest, result] = [samplings.get(sloId), learned.get(sloId), measured.get(sloId)]
    const isUnsure = result !== undefined && 'buckets' in result && result.firstBreakStart !== null
    const isNew = known?.intervalSeconds === null && newest?.intervalSeconds !== null
    return alikeKey(known) !== alikeKey(newest) || (isNew && isUnsure)
  }
  const remeasured = await measureSampled(source, slos.filter(hasChanged), span, learned)
  return new Map(
    [...measured, ...remeasured].map(([sloId, result]) => {
      const { intervalSeconds = null } = learned.get(sloId) ?? {}
      return [sloId, 'error' in result || intervalSeconds === null ? result : { ...result, intervalSeconds }]
    }),
  )
}

async function measureSampled(
  source: Source,
  slos: CountedSlo[],
  span: Span,
  samplings: Map<number, Sampling>,
): Promise<Map<number, MeasuredBuckets>> {
  const groups = Map.groupBy(slos, ({ sloId }) => alikeKey(samplings.get(sloId)))
  const measured = await Promise.all(
    [...groups.values()].map((members) => {
      const { lookbackSeconds = defaultLookbackSeconds, intervalSeconds = null } =
        samplings.get(members[0]?.sloId ?? 0) ?? {}
      const group = { slos: members, lookbackSeconds, isEstimated: isEstimated(intervalSeconds) }
      return span.resolution === minute
        ? measureMinutes(source, group, span, samplings)
        : measureLonger(source, group, span)
    }),
  )
  return new Map(measured.flatMap((results) => [...results]))
}

/** Key that is equal for SLOs that can be queried together. */
function alikeKey(sampling: Sampling | undefined): string {
  const { lookbackSeconds = defaultLookbackSeconds, intervalSeconds = null } = sampling ?? {}
  return `${lookbackSeconds} ${isEstimated(intervalSeconds)}`
}

function isEstimated(intervalSeconds: number | null): boolean {
  return intervalSeconds === null || intervalSeconds <= estimatedIntervalSeconds
}

/**
 * Measures minutes as the gain of the counters: the difference of two values, so that minutes add up to what was counted,
 * without extrapolation. If counters appeared, disappeared or were reset, the minute is counted sample by sample. A counter
 * that returns adds what it counted while it was away, as lead: a window that begins in between does not include it.
 */
async function measureMinutes(
  source: Source,
  { slos, lookbackSeconds }: SamplingGroup,
  span: Span,
  samplings: Map<number, Sampling>,
): Promise<Map<number, MeasuredBuckets>> {
  const grid = { startSeconds: span.startSeconds + minute, endSeconds: span.endSeconds, stepSeconds: minute }
  const counters = slos.flatMap(countersOf)
  const [{ gain, broken }, leads] = await Promise.all([
    queryGains(source, counters, span, lookbackSeconds),
    queryCounters(source, counters, leadQuantity(minute, lookbackSeconds), grid),
  ])
  const minuteAnswers = { gain, leads, broken }
  const unsure = new Map(slos.map((one) => [one.sloId, unsureEnds(one, span, minuteAnswers)]))
  const breaks = await queryAtBreaks(source, slos, unsure, samplings)
  const answers = [...Object.values(minuteAnswers), ...Object.values(breaks ?? {})]
  return resultsOf(slos, answers, (one) => minutesOf(one, span, minuteAnswers, breaks, unsure.get(one.sloId) ?? []))
}

/** Ends of the minutes in which a counter appeared, disappeared or was reset. */
function unsureEnds({ counters }: CountedSlo, span: Span, { broken }: MinuteAnswers): number[] {
  const answers = [...counters.counted, ...counters.total].flatMap((term) => seriesOf(term, broken) ?? [])
  return answers.length === 0 ? [] : endsOf(span).filter((end) => answers.some((series) => (series.get(end) ?? 0) > 0))
}

function minutesOf(
  { counters }: CountedSlo,
  span: Span,
  minuteAnswers: MinuteAnswers,
  breaks: BreakAnswers | null,
  unsure: number[],
): MeasuredBuckets {
  const unsureAt = new Set(unsure)
  const sampled = new Set<number>()
  const buckets = endsOf(span).map((end): Bucket => {
    const breaksAtEnd = unsureAt.has(end) ? breaks : null
    const gain = breaksAtEnd ? stepsOrGain(breaksAtEnd.gain, minuteAnswers.gain) : minuteAnswers.gain
    const leads = breaksAtEnd ? breaksAtEnd.leads : minuteAnswers.leads
    const total = valueAt(counters.total, gain, end)
    if (total === null) return emptyBucket(end - minute)
    // a lead, also of zero, is known only for a minute with a sample
    const isSampled = valueAt(counters.total, breaksAtEnd ? breaksAtEnd.gain : minuteAnswers.leads, end) !== null
    if (isSampled || total > 0) sampled.add(end - minute)
    const leadTotal = valueAt(counters.total, leads, end) ?? 0
    return {
      startSeconds: end - minute,
      good: goodOf(counters, valueAt(counters.counted, gain, end) ?? 0, total),
      total,
      coveredSeconds: minute,
      leadGood: goodOf(counters, valueAt(counters.counted, leads, end) ?? 0, leadTotal),
      leadTotal,
    }
  })
  const [first] = unsure
  return {
    buckets: withoutLookbackTail(buckets, ({ startSeconds }) => sampled.has(startSeconds)),
    firstBreakStart: first === undefined ? null : first - minute,
    lastBreakEnd: unsure.at(-1) ?? null,
  }
}

/** Adds zeros: a counter with a value at both ends of a minute, without a sample in it, has counted nothing. */
function stepsOrGain(steps: CounterAnswers, gain: CounterAnswers): CounterSeries {
  const get = (text: string) => (time: number) =>
    steps.values.get(text)?.get(time) ?? (gain.values.get(text)?.get(time) === undefined ? undefined : 0)
  return { values: { get: (text) => ({ get: get(text) }) } }
}

/** Adds zeros: a counter with any sample has counted nothing in the hours without one. */
function stepsOrNothing({ values, failed }: CounterAnswers): CounterAnswers {
  const filled = [...values].map(([text, series]) => [text, { get: (time: number) => series.get(time) ?? 0 }] as const)
  return { values: new Map(filled), failed }
}

/** Makes minutes without samples before a gap part of the gap: a source that saw no end of a series repeats its last value. */
function withoutLookbackTail(buckets: Bucket[], isSampled: (bucket: Bucket) => boolean): Bucket[] {
  let isGap = false
  const backwards = buckets.toReversed().map((bucket) => {
    isGap = bucket.coveredSeconds === 0 || (isGap && !isSampled(bucket))
    return isGap ? emptyBucket(bucket.startSeconds) : bucket
  })
  return backwards.toReversed()
}

/**
 * Measures hours and days as `increase` estimates them, hours of slow scrapes sample by sample, and the coverage of each bucket.
 */
async function measureLonger(
  source: Source,
  { slos, lookbackSeconds, isEstimated }: SamplingGroup,
  span: Span,
): Promise<Map<number, MeasuredBuckets>> {
  const { resolution, startSeconds, endSeconds } = span
  const grid = { startSeconds: startSeconds + resolution, endSeconds, stepSeconds: resolution }
  const coverageStepSeconds = resolution === hour ? 60 : 300
  const coverage = coveredOver(resolution, coverageStepSeconds, lookbackSeconds)
  const counters = slos.flatMap(countersOf)
  const totals = slos.flatMap(({ counters }) => counters.total.slice(0, 1)).map(({ counter }) => counter)
  const [events, covered] = await Promise.all([
    resolution === hour && !isEstimated
      ? countSteps(source, counters, span, { stepSeconds: slowStepSeconds, bucketSeconds: hour }).then(stepsOrNothing)
      : queryCounters(source, counters, increaseOver(resolution), grid),
    queryCounters(source, totals, coverage, grid),
  ])
  return resultsOf(slos, [events, covered], ({ counters }) => {
    const [first] = counters.total
    const buckets = endsOf(span).map((end): Bucket => {
      const seconds = Math.min(resolution, (first && seriesOf(first, covered)?.get(end)) ?? 0)
      const total = valueAt(counters.total, events, end)
      if (total === null || seconds === 0) return emptyBucket(end - resolution)
      const good = goodOf(counters, valueAt(counters.counted, events, end) ?? 0, total)
      return { ...emptyBucket(end - resolution), good, total, coveredSeconds: seconds }
    })
    return withoutBreaks(buckets)
  })
}

/** Buckets of each SLO, or the error; by SLO id. */
function resultsOf(
  slos: CountedSlo[],
  answers: CounterAnswers[],
  bucketsOf: (one: CountedSlo) => MeasuredBuckets,
): Promise<Map<number, MeasuredBuckets>> {
  return runCooperatively('measurements', makingResults(slos, answers, bucketsOf))
}

function* makingResults(
  slos: CountedSlo[],
  answers: CounterAnswers[],
  bucketsOf: (one: CountedSlo) => MeasuredBuckets,
): CooperativeTask<Map<number, MeasuredBuckets>> {
  const results = new Map<number, MeasuredBuckets>()
  for (const one of slos) {
    const error = failureOf(one.counters, answers)
    results.set(one.sloId, error ? { error } : bucketsOf(one))
    yield
  }
  return results
}
