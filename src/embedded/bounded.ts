import type { Matcher } from './promql/matchers.ts'
import { tooSlow } from './promql/budget.ts'

/** The same matchers, which throw `too_slow` once `expired`: patterns take their time, and there may be many values. */
export function bounded(matchers: readonly Matcher[], expired: () => boolean): Matcher[] {
  return matchers.map((one) => ({
    ...one,
    fits(value) {
      if (expired()) throw tooSlow()
      return one.fits(value)
    },
  }))
}
