import { askCounters, type CounterAnswers, type Series } from '../counters/ask-counters.ts'
import { counterText } from '../counters/families.ts'
import { coveredOver, gained, increaseOver, lead, present, type Quantity, unbroken } from '../counters/quantities.ts'
import type { AppError } from '../../errors.ts'
import type { SliPlan } from '../plan.ts'
import type { CounterTerm } from '../promql/counter-sum.ts'
import type { Source } from '../source.ts'
import type { MeasuredSlices } from './measure-ledger.ts'
import type { Slice, Span } from './slice.ts'

export type Counters = NonNullable<SliPlan['counters']>
export type Counted = { sloId: number; counters: Counters }
export type Increase = { counted: number; total: number | null }

const minute = 60

/** Slices of SLOs whose sides are sums of counters, all of them asked together; by SLO id. */
export async function measureCounters(
  source: Source,
  counted: Counted[],
  span: Span,
): Promise<Map<number, MeasuredSlices>> {
  if (counted.length === 0 || span.endSeconds <= span.startSeconds) {
    return new Map(counted.map(({ sloId }) => [sloId, { slices: [], unsureFrom: null }]))
  }
  const sides = counted.flatMap(({ counters }) => [...counters.counted, ...counters.total])
  const ask = (quantity: Quantity, startSeconds: number, terms = sides) =>
    askCounters(
      source,
      terms.map(({ counter }) => counter),
      quantity,
      { startSeconds, endSeconds: span.endSeconds, stepSeconds: span.resolution },
    )
  const firstEnd = span.startSeconds + span.resolution
  if (span.resolution === minute) {
    const [gain, leads, there, whole] = await Promise.all([
      ask(gained, firstEnd),
      ask(lead, firstEnd),
      ask(present, firstEnd - minute),
      ask(unbroken, firstEnd),
    ])
    return resultOf(counted, [gain, leads, there, whole], (one) => minutesOf(one, span, { gain, leads, there, whole }))
  }
  const totals = counted.flatMap(({ counters }) => counters.total.slice(0, 1))
  const [events, covered] = await Promise.all([
    ask(increaseOver(span.resolution), firstEnd),
    ask(coveredOver(span.resolution, span.resolution === 3600 ? 60 : 300), firstEnd, totals),
  ])
  return resultOf(counted, [events, covered], (one) => longSlicesOf(one, span, events, covered))
}

/** Events over the window that ends at `endSeconds`, by SLO id, or why there are none; a total of null is no data. */
export async function increasesOf(
  source: Source,
  counted: Counted[],
  windowSeconds: number,
  endSeconds: number,
): Promise<Map<number, Increase | { error: AppError }>> {
  const terms = counted.flatMap(({ counters }) => [...counters.counted, ...counters.total])
  const answers = await askCounters(
    source,
    terms.map(({ counter }) => counter),
    increaseOver(windowSeconds),
    { startSeconds: endSeconds, endSeconds, stepSeconds: minute },
  )
  return new Map(
    counted.map(({ sloId, counters }) => {
      const error = failureOf(counters, [answers])
      const total = valueAt(counters.total, answers, endSeconds)
      return [sloId, error ? { error } : { counted: valueAt(counters.counted, answers, endSeconds) ?? 0, total }]
    }),
  )
}

type Minutes = Record<'gain' | 'leads' | 'there' | 'whole', CounterAnswers>

function minutesOf({ counters }: Counted, span: Span, { gain, leads, there, whole }: Minutes): MeasuredSlices {
  const terms = [...counters.counted, ...counters.total]
  let unsureFrom: number | null = null
  const slices = endsOf(span).map((end): Slice => {
    const isSure = terms.every((term) => {
      const now = seriesOf(term, there)?.get(end) ?? 0
      const before = seriesOf(term, there)?.get(end - minute) ?? 0
      return now === before && now === (seriesOf(term, whole)?.get(end) ?? 0)
    })
    if (!isSure) unsureFrom ??= end - minute
    const total = valueAt(counters.total, gain, end)
    if (total === null) return uncovered(end - minute)
    const good = goodOf(counters, valueAt(counters.counted, gain, end) ?? 0, total)
    const leadTotal = valueAt(counters.total, leads, end) ?? 0
    const leadGood = goodOf(counters, valueAt(counters.counted, leads, end) ?? 0, leadTotal)
    return { startSeconds: end - minute, good, total, coveredSeconds: minute, leadGood, leadTotal }
  })
  return { slices, unsureFrom }
}

function longSlicesOf(
  { counters }: Counted,
  span: Span,
  events: CounterAnswers,
  covered: CounterAnswers,
): MeasuredSlices {
  const [first] = counters.total
  const slices = endsOf(span).map((end): Slice => {
    const startSeconds = end - span.resolution
    const total = valueAt(counters.total, events, end)
    const seconds = Math.min(span.resolution, (first && seriesOf(first, covered)?.get(end)) ?? 0)
    if (total === null || seconds === 0) return uncovered(startSeconds)
    const good = goodOf(counters, valueAt(counters.counted, events, end) ?? 0, total)
    return { startSeconds, good, total, coveredSeconds: seconds, leadGood: 0, leadTotal: 0 }
  })
  return { slices, unsureFrom: null }
}

function resultOf(
  counted: Counted[],
  answers: CounterAnswers[],
  slicesOf: (one: Counted) => MeasuredSlices,
): Map<number, MeasuredSlices> {
  return new Map(
    counted.map((one) => {
      const error = failureOf(one.counters, answers)
      return [one.sloId, error ? { error } : slicesOf(one)]
    }),
  )
}

function failureOf({ counted, total }: Counters, answers: CounterAnswers[]) {
  const texts = [...counted, ...total].map(({ counter }) => counterText(counter))
  for (const { failed } of answers) {
    for (const text of texts) {
      const error = failed.get(text)
      if (error) return error
    }
  }
  return null
}

/** What a side adds up to; null where a part of it is missing that has to be there. */
function valueAt(terms: CounterTerm[], answers: CounterAnswers, time: number): number | null {
  let sum = 0
  for (const term of terms) {
    const value = seriesOf(term, answers)?.get(time)
    if (value === undefined && !term.isOptional) return null
    sum += term.sign * (value ?? 0)
  }
  return sum
}

function seriesOf({ counter }: CounterTerm, answers: CounterAnswers): Series | undefined {
  return answers.values.get(counterText(counter))
}

function goodOf({ counts }: Counters, counted: number, total: number): number {
  return counts === 'good' ? counted : total - counted
}

export function uncovered(startSeconds: number): Slice {
  return { startSeconds, good: 0, total: 0, coveredSeconds: 0, leadGood: 0, leadTotal: 0 }
}

/** The ends of a span's slices. */
export function endsOf({ resolution, startSeconds, endSeconds }: Span): number[] {
  const count = Math.max(0, Math.floor((endSeconds - startSeconds) / resolution))
  return Array.from({ length: count }, (_, at) => startSeconds + (at + 1) * resolution)
}
