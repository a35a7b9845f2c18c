import { AppError } from '../../errors.ts'

/** Limits of one query. `expired`: true once its time is up. */
export type Limits = { maxSamples: number; maxSeries: number; maxPoints?: number; expired: () => boolean }

/** Counts the cost of a query. Throws `too_large` or `too_slow` beyond its limits. */
export type Budget = {
  /** Series found by a selector, with all their samples. */
  series(count: number): void
  /** Samples read or computed. */
  samples(count: number): void
  /** Points of the answer. */
  points(count: number): void
  /** Iterations of a loop that stores nothing. */
  steps(count: number): void
}

/** Each point is an array of 64 bytes until it has been sent. */
const defaultMaxPoints = 10_000_000

const stepsBetweenLooks = 50_000

export function budgetOf({ maxSamples, maxSeries, maxPoints = defaultMaxPoints, expired }: Limits): Budget {
  let [series, samples, points, steps] = [0, 0, 0, 0]
  const look = () => {
    if (expired()) throw tooSlow()
  }
  const tooLarge = (what: string) =>
    new AppError('too_large', 'Query is too large', { details: `it needs more than ${what}` })
  const budget: Budget = {
    series(count) {
      look()
      series += count
      if (series > maxSeries) throw tooLarge(`${maxSeries} series`)
    },
    samples(count) {
      samples += count
      if (samples > maxSamples) throw tooLarge(`${maxSamples} samples`)
      budget.steps(count)
    },
    points(count) {
      points += count
      if (points > maxPoints) throw tooLarge(`${maxPoints} points in its answer`)
    },
    steps(count) {
      steps += count
      if (steps < stepsBetweenLooks) return
      steps = 0
      look()
    },
  }
  return budget
}

export const tooSlow = () => new AppError('too_slow', 'Query took too long')
