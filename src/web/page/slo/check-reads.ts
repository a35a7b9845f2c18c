import type { Checks } from '../api/types.ts'
import { now } from '../clock.ts'

const afterRunMs = 1500
const minMs = 2000

/** Time until the next check of an SLO has its result; undefined: there is none. */
export function untilNextCheck({ next_at: next }: Checks): number | undefined {
  return next === null ? undefined : Math.max(minMs, Date.parse(next) + afterRunMs - now())
}
