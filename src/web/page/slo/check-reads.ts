import type { Checks } from '../api/types.ts'
import { now } from '../clock.ts'

const afterRunMs = 1500 // until the result of a check can be read
const minWaitMs = 2000

/** Milliseconds until the next check of an SLO has its result; undefined: there is no next check. */
export function msUntilNextCheck({ next_at: next }: Checks): number | undefined {
  return next === null ? undefined : Math.max(minWaitMs, Date.parse(next) + afterRunMs - now())
}
