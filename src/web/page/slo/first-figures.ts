import type { Checks } from '../api/types.ts'
import { formatMoment } from '../format.ts'

const minuteMs = 60_000
const maxKept = 20 // of a probe; the first is not known if it has as many
const soonMs = 30_000 // an evaluation takes that long at most

/** Checks of the probes that an SLO reads. */
export type KnownChecks = Pick<Checks, 'next_at' | 'checks'>

/** First check of an SLO without figures; undefined: none has run, or it is not known. */
export function firstCheck({ checks }: KnownChecks): KnownChecks['checks'][number] | undefined {
  return checks.length < maxKept ? checks.at(-1) : undefined
}

/** Time of the first figures: the first whole minute after the first check; null: not known. */
function firstFiguresMs(of: KnownChecks): number | null {
  const at = firstCheck(of)?.at ?? (of.checks.length === 0 ? of.next_at : null)
  return at === null ? null : (Math.floor(Date.parse(at) / minuteMs) + 1) * minuteMs
}

/** When the first figures come, as far as the checks of an SLO say: `at 05:39`, `in a moment`, `soon`. */
export function firstFiguresWords(of: KnownChecks | undefined, nowMs: number): string {
  const atMs = of ? firstFiguresMs(of) : null
  if (atMs === null || nowMs >= atMs + soonMs) return 'soon'
  return nowMs < atMs ? `at ${formatMoment(atMs, nowMs)}` : 'in a moment'
}
