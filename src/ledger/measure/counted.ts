import type { AppError } from '../../errors.ts'
import type { CounterAnswers, Series } from '../counters/ask-counters.ts'
import type { SliPlan } from '../../sli/plan/plan.ts'
import type { Counter, CounterTerm } from '../../promql/analysis/counters/counter-sum.ts'
import type { Bucket, Span, MeasuredBuckets } from '../bucket.ts'

export type Counters = NonNullable<SliPlan['counters']>

/** An SLO whose sides are sums of counters. */
export type Counted = { sloId: number; counters: Counters }

/** All counters of both sides. */
export function countersOf({ counters }: Counted): Counter[] {
  return [...counters.counted, ...counters.total].map(({ counter }) => counter)
}

/** What each SLO's buckets are, or why there are none; by SLO id. */
export function resultOf(
  counted: Counted[],
  answers: CounterAnswers[],
  bucketsOf: (one: Counted) => MeasuredBuckets,
): Map<number, MeasuredBuckets> {
  return new Map(
    counted.map((one) => {
      const error = failureOf(one.counters, answers)
      return [one.sloId, error ? { error } : bucketsOf(one)]
    }),
  )
}

/** Why the source gave no answer for one of the counters; null: it gave all. */
export function failureOf({ counted, total }: Counters, answers: CounterAnswers[]): AppError | null {
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

/** What the source said of one counter; undefined: nothing. */
export function seriesOf({ counter }: CounterTerm, answers: CounterAnswers): Series | undefined {
  return answers.values.get(counter.text)
}

/** The good events of a side that counts the good or the bad ones. */
export function goodOf({ counts }: Counters, counted: number, total: number): number {
  return counts === 'good' ? counted : total - counted
}

/** The bucket of a time for which the source had nothing. */
export function uncovered(startSeconds: number): Bucket {
  return { startSeconds, good: 0, total: 0, coveredSeconds: 0, leadGood: 0, leadTotal: 0 }
}

/** The ends of a span's buckets. */
export function endsOf({ resolution, startSeconds, endSeconds }: Span): number[] {
  const count = Math.max(0, Math.floor((endSeconds - startSeconds) / resolution))
  return Array.from({ length: count }, (_, at) => startSeconds + (at + 1) * resolution)
}

/** Buckets in which no counter came, went or began again. */
export function sure(buckets: Bucket[]): MeasuredBuckets {
  return { buckets, unsureFrom: null, unsureUntil: null }
}
