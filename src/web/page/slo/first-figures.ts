import type { Checks } from '../api/types.ts'
import { formatMoment } from '../format.ts'

const minuteMs = 60_000
/** Maximum number of checks that the API gives, of one probe and in all: a list of that length may lack older ones. */
const [maxOfProbe, maxOfAll] = [20, 100]
/** Maximum time that an evaluation takes. */
const maxEvaluationMs = 30_000

/** Checks of the probes that an SLO reads. */
export type KnownChecks = Pick<Checks, 'next_at' | 'checks'>

/** First check of an SLO without figures; undefined: none has run, or it is not known. */
export function firstCheck({ checks }: KnownChecks): KnownChecks['checks'][number] | undefined {
  const ofProbes = Map.groupBy(checks, ({ probe }) => probe)
  const isComplete = checks.length < maxOfAll && ofProbes.values().every(({ length }) => length < maxOfProbe)
  return isComplete ? checks.at(-1) : undefined
}

/** Time of the first figures: the first whole minute after the first check; null: not known. */
function firstFiguresMs(of: KnownChecks): number | null {
  const at = firstCheck(of)?.at ?? (of.checks.length === 0 ? of.next_at : null)
  return at === null ? null : (Math.floor(Date.parse(at) / minuteMs) + 1) * minuteMs
}

/** When the first figures come, as far as the checks of an SLO say: `at 05:39`, `in a moment`, `soon`. */
export function firstFiguresWords(of: KnownChecks | undefined, nowMs: number): string {
  const atMs = of ? firstFiguresMs(of) : null
  if (atMs === null || nowMs >= atMs + maxEvaluationMs) return 'soon'
  return nowMs < atMs ? `at ${formatMoment(atMs, nowMs)}` : 'in a moment'
}
