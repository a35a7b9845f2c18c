import { askCounters, type CounterAnswers } from '../counters/ask-counters.ts'
import {
  countedAnew,
  gained,
  gainedAcross,
  leadAcross,
  leadOf,
  present,
  type Quantity,
  unbroken,
} from '../counters/quantities.ts'
import type { CounterTerm } from '../../promql/analysis/counters/counter-sum.ts'
import type { Source } from '../../sources/source.ts'
import { type Counted, countersOf, endsOf, goodOf, resultOf, seriesOf, uncovered, valueAt } from './counted.ts'
import type { Bucket, Span, MeasuredBuckets } from '../bucket.ts'

const minute = 60

/** What is asked of every minute, and besides of those in which counters came, went or began again. */
type Told = Record<'gain' | 'leads' | 'there' | 'whole', CounterAnswers>
type ToldBesides = Record<'gain' | 'leads' | 'again', CounterAnswers>

/**
 * Minutes as what the counters gained in each: the difference of two values, so that minutes add up to what was counted,
 * without any estimate. A counter that comes back brings what it counted while it was away, as lead: a window that begins
 * in between does not have it. One that began again brings what it has counted since.
 */
export async function measureMinutes(
  source: Source,
  counted: Counted[],
  span: Span,
): Promise<Map<number, MeasuredBuckets>> {
  const grid = { startSeconds: span.startSeconds + minute, endSeconds: span.endSeconds, stepSeconds: minute }
  const counters = counted.flatMap(countersOf)
  const ask = (quantity: Quantity, startSeconds = grid.startSeconds) =>
    askCounters(source, counters, quantity, { ...grid, startSeconds })
  const [gain, leads, there, whole] = await Promise.all([
    ask(gained),
    ask(leadOf(minute)),
    ask(present, span.startSeconds),
    ask(unbroken),
  ])
  const told = { gain, leads, there, whole }
  const unsure = new Map(counted.map((one) => [one.sloId, unsureEnds(one, span, told)]))
  const besides = await askBesides(source, counted, unsure)
  const answers = besides ? [...Object.values(told), ...Object.values(besides)] : Object.values(told)
  return resultOf(counted, answers, (one) => minutesOf(one, span, told, besides, unsure.get(one.sloId) ?? []))
}

/** The ends of the minutes in which not every counter was there all the time, and grew. */
function unsureEnds({ counters }: Counted, span: Span, { there, whole }: Told): number[] {
  const terms = [...counters.counted, ...counters.total]
  const at = (term: CounterTerm, answers: CounterAnswers, time: number) => seriesOf(term, answers)?.get(time) ?? 0
  return endsOf(span).filter((end) =>
    terms.some((term) => {
      const now = at(term, there, end)
      return now !== at(term, there, end - minute) || now !== at(term, whole, end)
    }),
  )
}

async function askBesides(
  source: Source,
  counted: Counted[],
  unsure: Map<number, number[]>,
): Promise<ToldBesides | null> {
  const ends = [...unsure.values()].flat()
  if (ends.length === 0) return null
  const startSeconds = ends.reduce((least, end) => Math.min(least, end))
  const endSeconds = ends.reduce((most, end) => Math.max(most, end))
  const counters = counted.filter(({ sloId }) => unsure.get(sloId)?.length).flatMap(countersOf)
  const ask = (quantity: Quantity) =>
    askCounters(source, counters, quantity, { startSeconds, endSeconds, stepSeconds: minute })
  const [gain, leads, again] = await Promise.all([ask(gainedAcross), ask(leadAcross), ask(countedAnew)])
  return { gain, leads, again }
}

function minutesOf(
  { counters }: Counted,
  span: Span,
  told: Told,
  besides: ToldBesides | null,
  unsure: number[],
): MeasuredBuckets {
  const unsureAt = new Set(unsure)
  const buckets = endsOf(span).map((end): Bucket => {
    const more = unsureAt.has(end) ? besides : null
    const gainOf = (terms: CounterTerm[]) => {
      if (!more) return valueAt(terms, told.gain, end)
      const gain = valueAt(terms, more.gain, end)
      return gain === null ? null : gain + againAt(terms, more.again, end)
    }
    const total = gainOf(counters.total)
    if (total === null) return uncovered(end - minute)
    const leads = more ? more.leads : told.leads
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
  const isSampled = ({ startSeconds }: Bucket) => valueAt(counters.total, told.leads, startSeconds + minute) !== null
  const [first] = unsure
  const last = unsure.at(-1)
  return {
    buckets: withoutEchoes(buckets, isSampled),
    unsureFrom: first === undefined ? null : first - minute,
    unsureUntil: last ?? null,
  }
}

/** Where nobody saw a counter go, its last value is still told for minutes: these, before a gap, are part of the gap. */
function withoutEchoes(buckets: Bucket[], isSampled: (bucket: Bucket) => boolean): Bucket[] {
  let isGap = false
  const backwards = buckets.toReversed().map((bucket) => {
    isGap = bucket.coveredSeconds === 0 || (isGap && !isSampled(bucket))
    return isGap ? uncovered(bucket.startSeconds) : bucket
  })
  return backwards.toReversed()
}

function againAt(terms: CounterTerm[], again: CounterAnswers, time: number): number {
  return terms.reduce((sum, term) => sum + term.sign * (seriesOf(term, again)?.get(time) ?? 0), 0)
}
