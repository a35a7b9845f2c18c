import { AppError } from '../../errors.ts'

/** Limits of one query. `maxPoints`: of its result, 10 million if absent. `expired`: true once its time is up. */
export type Limits = { maxSamples: number; maxSeries: number; maxPoints?: number; expired: () => boolean }

/** Cost of a query so far. Throws `too_large` once a limit is exceeded, and `too_slow` at the first check after the time is up. */
export type Budget = {
  /** Adds series that a selector found; their samples are added separately. */
  addSeries(count: number): void
  /** Adds samples read or computed. */
  addSamples(count: number): void
  /** Adds points of the result. */
  addPoints(count: number): void
  /** Adds iterations of a loop that stores nothing: they count towards no limit, but make it check the time. */
  addSteps(count: number): void
}

const defaultMaxPoints = 10_000_000

/** Steps after which the time is checked. */
const stepsBetweenChecks = 50_000

export function createBudget({ maxSamples, maxSeries, maxPoints = defaultMaxPoints, expired }: Limits): Budget {
  let [series, samples, points, stepsSinceCheck] = [0, 0, 0, 0]
  const assertTime = () => {
    if (expired()) throw tooSlow()
  }
  const tooLarge = (limit: string) =>
    new AppError('too_large', 'Query is too large', { details: `it needs more than ${limit}` })
  const budget: Budget = {
    addSeries(count) {
      assertTime()
      series += count
      if (series > maxSeries) throw tooLarge(`${maxSeries} series`)
    },
    addSamples(count) {
      samples += count
      if (samples > maxSamples) throw tooLarge(`${maxSamples} samples`)
      budget.addSteps(count)
    },
    addPoints(count) {
      points += count
      if (points > maxPoints) throw tooLarge(`${maxPoints} points in its answer`)
    },
    addSteps(count) {
      stepsSinceCheck += count
      if (stepsSinceCheck < stepsBetweenChecks) return
      stepsSinceCheck = 0
      assertTime()
    },
  }
  return budget
}

export const tooSlow = () => new AppError('too_slow', 'Query took too long')
