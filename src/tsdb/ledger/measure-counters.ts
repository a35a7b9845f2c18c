import { askCounters, type CounterAnswers, type Series } from '../counters/ask-counters.ts'
import { coveredOver, increaseOver } from '../counters/quantities.ts'
import type { AppError } from '../../errors.ts'
import type { SliPlan } from '../plan.ts'
import type { Counter, CounterTerm } from '../promql/counter-sum.ts'
import type { Source } from '../source.ts'
import type { MeasuredSlices } from './measure-ledger.ts'
import { measureMinutes } from './measure-minutes.ts'
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
  return resultOf(counted, [events, covered], (one) => longSlicesOf(one, span, events, covered))
}

/** Events over the window that ends at `endSeconds`, by SLO id, or why there are none; a total of null is no data. */
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

/** All counters of both sides. */
export function countersOf({ counters }: Counted): Counter[] {
  return [...counters.counted, ...counters.total].map(({ counter }) => counter)
}

export function resultOf(
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

export function failureOf({ counted, total }: Counters, answers: CounterAnswers[]) {
  if (answers.every(({ failed }) => failed.size === 0)) return null
  const texts = [...counted, ...total].map(({ counter }) => counter.text)
  for (const { failed } of answers) {
    for (const text of texts) {
      const error = failed.get(text)
      if (error) return error
    }
  }
  return null
}

/** What a side adds up to; null where a part of it is missing that has to be there. */
export function valueAt(terms: CounterTerm[], answers: CounterAnswers, time: number): number | null {
  let sum = 0
  for (const term of terms) {
    const value = seriesOf(term, answers)?.get(time)
    if (value === undefined && !term.isOptional) return null
    sum += term.sign * (value ?? 0)
  }
  return sum
}

export function seriesOf({ counter }: CounterTerm, answers: CounterAnswers): Series | undefined {
  return answers.values.get(counter.text)
}

export function goodOf({ counts }: Counters, counted: number, total: number): number {
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
