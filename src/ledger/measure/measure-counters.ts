import type { CounterTerm } from '../../promql/analysis/counters/counter-sum.ts'
import type { Source } from '../../sources/source.ts'
import { type Bucket, endsOf, hour, type MeasuredBuckets, minute, type Span, sure, uncovered } from '../bucket.ts'
import {
  askCounters,
  type CountedSlo,
  type CounterAnswers,
  countersOf,
  failureOf,
  goodOf,
  seriesOf,
  valueAt,
} from '../counters/ask-counters.ts'
import {
  broken,
  countedSinceReset,
  coveredOver,
  gained,
  gainedAcross,
  increaseOver,
  leadAcross,
  leadOf,
  type Quantity,
} from '../counters/quantities.ts'

/** What is queried for every minute, and besides for those in which counters came, went or began again. */
type MinuteAnswers = Record<'gain' | 'leads' | 'broken', CounterAnswers>
type BreakAnswers = Record<'gain' | 'leads' | 'again', CounterAnswers>

/** Buckets of SLOs whose sides are sums of counters, all of them queried together; by SLO id. */
export async function measureCounters(
  source: Source,
  slos: CountedSlo[],
  span: Span,
): Promise<Map<number, MeasuredBuckets>> {
  if (slos.length === 0 || span.endSeconds <= span.startSeconds) {
    return new Map(slos.map(({ sloId }) => [sloId, sure([])]))
  }
  return span.resolution === minute ? measureMinutes(source, slos, span) : measureLonger(source, slos, span)
}

/**
 * Minutes as what the counters gained in each: the difference of two values, so that minutes add up to what was counted,
 * without any estimate. A counter that comes back brings what it counted while it was away, as lead: a window that begins
 * in between does not have it. One that began again brings what it has counted since.
 */
async function measureMinutes(source: Source, slos: CountedSlo[], span: Span): Promise<Map<number, MeasuredBuckets>> {
  const grid = { startSeconds: span.startSeconds + minute, endSeconds: span.endSeconds, stepSeconds: minute }
  const counters = slos.flatMap(countersOf)
  const ask = (quantity: Quantity) => askCounters(source, counters, quantity, grid)
  const [gain, leads, ofBroken] = await Promise.all([ask(gained), ask(leadOf(minute)), ask(broken)])
  const usual = { gain, leads, broken: ofBroken }
  const unsure = new Map(slos.map((one) => [one.sloId, unsureEnds(one, span, usual)]))
  const breaks = await askAtBreaks(source, slos, unsure)
  const answers = [...Object.values(usual), ...Object.values(breaks ?? {})]
  return resultsOf(slos, answers, (one) => minutesOf(one, span, usual, breaks, unsure.get(one.sloId) ?? []))
}

/** The ends of the minutes in which not every counter was there all the time, and grew. */
function unsureEnds({ counters }: CountedSlo, span: Span, { broken }: MinuteAnswers): number[] {
  const answers = [...counters.counted, ...counters.total].flatMap((term) => seriesOf(term, broken) ?? [])
  return answers.length === 0 ? [] : endsOf(span).filter((end) => answers.some((series) => (series.get(end) ?? 0) > 0))
}

async function askAtBreaks(
  source: Source,
  slos: CountedSlo[],
  unsure: Map<number, number[]>,
): Promise<BreakAnswers | null> {
  const ends = [...unsure.values()].flat()
  if (ends.length === 0) return null
  const startSeconds = ends.reduce((first, end) => Math.min(first, end))
  const endSeconds = ends.reduce((last, end) => Math.max(last, end))
  const counters = slos.filter(({ sloId }) => unsure.get(sloId)?.length).flatMap(countersOf)
  const ask = (quantity: Quantity) =>
    askCounters(source, counters, quantity, { startSeconds, endSeconds, stepSeconds: minute })
  const [gain, leads, again] = await Promise.all([ask(gainedAcross), ask(leadAcross), ask(countedSinceReset)])
  return { gain, leads, again }
}

function minutesOf(
  { counters }: CountedSlo,
  span: Span,
  usual: MinuteAnswers,
  breaks: BreakAnswers | null,
  unsure: number[],
): MeasuredBuckets {
  const unsureAt = new Set(unsure)
  const buckets = endsOf(span).map((end): Bucket => {
    const more = unsureAt.has(end) ? breaks : null
    const gainOf = (terms: CounterTerm[]) => {
      if (!more) return valueAt(terms, usual.gain, end)
      const gain = valueAt(terms, more.gain, end)
      return gain === null ? null : gain + sinceResets(terms, more.again, end)
    }
    const total = gainOf(counters.total)
    if (total === null) return uncovered(end - minute)
    const leads = more ? more.leads : usual.leads
    const leadTotal = valueAt(counters.total, leads, end) ?? 0
    return {
      startSeconds: end - minute,
      good: goodOf(counters, gainOf(counters.counted) ?? 0, total),
      total,
      coveredSeconds: minute,
      leadGood: goodOf(counters, valueAt(counters.counted, leads, end) ?? 0, leadTotal),
      leadTotal,
    }
  })
  const isSampled = ({ startSeconds }: Bucket) => valueAt(counters.total, usual.leads, startSeconds + minute) !== null
  const [first] = unsure
  return {
    buckets: withoutEchoes(buckets, isSampled),
    unsureFrom: first === undefined ? null : first - minute,
    unsureUntil: unsure.at(-1) ?? null,
  }
}

function sinceResets(terms: CounterTerm[], again: CounterAnswers, time: number): number {
  return terms.reduce((sum, term) => sum + term.sign * (seriesOf(term, again)?.get(time) ?? 0), 0)
}

/** Where nobody saw a counter go, its last value is still given for minutes: these, before a gap, are part of the gap. */
function withoutEchoes(buckets: Bucket[], isSampled: (bucket: Bucket) => boolean): Bucket[] {
  let isGap = false
  const backwards = buckets.toReversed().map((bucket) => {
    isGap = bucket.coveredSeconds === 0 || (isGap && !isSampled(bucket))
    return isGap ? uncovered(bucket.startSeconds) : bucket
  })
  return backwards.toReversed()
}

/** Hours and days as `increase` estimates them, and how much of each was covered. */
async function measureLonger(source: Source, slos: CountedSlo[], span: Span): Promise<Map<number, MeasuredBuckets>> {
  const { resolution, startSeconds, endSeconds } = span
  const grid = { startSeconds: startSeconds + resolution, endSeconds, stepSeconds: resolution }
  const coverage = coveredOver(resolution, resolution === hour ? 60 : 300)
  const totals = slos.flatMap(({ counters }) => counters.total.slice(0, 1)).map(({ counter }) => counter)
  const [events, covered] = await Promise.all([
    askCounters(source, slos.flatMap(countersOf), increaseOver(resolution), grid),
    askCounters(source, totals, coverage, grid),
  ])
  return resultsOf(slos, [events, covered], ({ counters }) => {
    const [first] = counters.total
    const buckets = endsOf(span).map((end): Bucket => {
      const total = valueAt(counters.total, events, end)
      const seconds = Math.min(resolution, (first && seriesOf(first, covered)?.get(end)) ?? 0)
      if (total === null || seconds === 0) return uncovered(end - resolution)
      const good = goodOf(counters, valueAt(counters.counted, events, end) ?? 0, total)
      return { ...uncovered(end - resolution), good, total, coveredSeconds: seconds }
    })
    return sure(buckets)
  })
}

/** The buckets of each SLO, or why there are none; by SLO id. */
function resultsOf(
  slos: CountedSlo[],
  answers: CounterAnswers[],
  bucketsOf: (one: CountedSlo) => MeasuredBuckets,
): Map<number, MeasuredBuckets> {
  return new Map(
    slos.map((one) => {
      const error = failureOf(one.counters, answers)
      return [one.sloId, error ? { error } : bucketsOf(one)]
    }),
  )
}
