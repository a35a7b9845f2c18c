import { AppError } from '../../errors.ts'

/** What one query may cost. `expired`: whether its time has run out. */
export type Limits = { maxSamples: number; maxSeries: number; maxPoints?: number; expired: () => boolean }

/** Counts what a query costs and throws `too_large` or `too_slow` once it is more than its limits allow. */
export type Budget = {
  /** Series that a selector found, with all their samples. */
  series(count: number): void
  /** Samples read or made. */
  samples(count: number): void
  /** Points of the answer. */
  points(count: number): void
  /** Steps of a loop that keeps nothing. */
  steps(count: number): void
}

/** Each is an array of its own, 64 bytes, until it has been sent. */
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
