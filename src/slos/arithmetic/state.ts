import { isBeyondChance, type TierSeverity } from './burn-rates.ts'

/** States of an SLO: how it is now, from its newest data. Rule: docs/slo-math.md, "State". */
export const sloStates = [
  'down',
  'burning_fast',
  'burning',
  'recovering',
  'maintenance',
  'spent',
  'unknown',
  'measuring',
  'ok',
] as const
export type SloState = (typeof sloStates)[number]

/** Newest data of an SLO: the last 5 minutes, or the last two intervals of its samples if those are longer. */
export type RecentBurn = {
  seconds: number
  /** Burn rate; null: not known, or no traffic. */
  rate: number | null
  /** All events and failed ones; null for an SLI that counts time. */
  events: number | null
  badEvents: number | null
  isBeyondChance: boolean
  /** False if none of this time was measured. */
  isCovered: boolean
}

export type StateInput = {
  /** State that was stored last. */
  before: SloState
  /** Reason why nothing new is known: the source did not answer, or has no data; null: there is new data. */
  unknownReason: string | null
  /** True while the first figures of a new or changed SLO are still expected. */
  isNew: boolean
  /** Result of the SLO's checks; null: not known, or it has no checks. */
  isDown: boolean | null
  /** Severities of the tiers that fire and that no faster alert inhibits. */
  firing: readonly TierSeverity[]
  recent: RecentBurn | null
  /** True if `recent` reached the burn rate of the fastest page tier, beyond chance, in two consecutive evaluations. */
  isBurningFast: boolean
  /** True while `recent` reaches back into an outage or incident that has ended. */
  isAfterOutage: boolean
  hasIncident: boolean
  /** Events that `recent` would have at the traffic before the incident; null: not known, the SLI counts time, or there is no incident. */
  usualEvents: number | null
  isSpent: boolean
}

/** Share of the usual traffic below which a service is not assumed to have recovered. */
const minTrafficShare = 0.1

/** First state whose condition is met, and its reason. Without new data, an open incident and its alerts do not change. */
export function stateOf(input: StateInput): { state: SloState; reason: string | null } {
  const { before, unknownReason, isNew, isDown, firing, recent, hasIncident, isSpent } = input
  if (isDown) return { state: 'down', reason: null }
  if (unknownReason !== null) return { state: isNew ? 'measuring' : 'unknown', reason: unknownReason }
  if (firing.includes('page') || input.isBurningFast) return { state: 'burning_fast', reason: null }
  if (firing.includes('ticket')) return { state: 'burning', reason: null }
  const rate = recent?.rate ?? null
  if (hasIncident) {
    if (isDown === false) return { state: 'recovering', reason: null }
    if (hasNoTraffic(input)) return { state: 'unknown', reason: 'no_traffic' }
    if (rate !== null && rate <= 1) return { state: 'recovering', reason: null }
    return { state: isOfIncident(before) ? before : 'burning_fast', reason: null }
  }
  if (before === 'burning_fast' && rate !== null && rate > 1 && !input.isAfterOutage)
    return { state: 'burning_fast', reason: null }
  return { state: isSpent ? 'spent' : 'ok', reason: null }
}

function hasNoTraffic({ recent, usualEvents }: StateInput): boolean {
  if (!recent || recent.rate === null) return true
  return usualEvents !== null && recent.events !== null && recent.events < minTrafficShare * usualEvents
}

function isOfIncident(state: SloState): boolean {
  return state === 'burning_fast' || state === 'burning' || state === 'recovering'
}

/** Good and all events, or seconds, of the minute that begins at `startSeconds`. */
type Minute = { startSeconds: number; good: number; total: number }

const maxPauseSeconds = 300
const recentMinutes = 10
const strongShare = 0.2

/**
 * Start and end, in Unix seconds, of the newest run of minutes with more failures than the target allows; null: there is none. The run
 * may have pauses of up to 5 minutes. Minutes with less than a fifth of the failure ratio of the worst of the last ten do not belong
 * to it. The minute before the run and the one after it belong to it if they have more failures than chance explains, because the
 * run began or ended within them. `minutes`: sorted by time.
 */
export function lastFailingRun(
  minutes: readonly Minute[],
  targetPercent: number,
): { beganSeconds: number; endedSeconds: number } | null {
  const share = ({ good, total }: Minute) => (total > 0 ? Math.max(0, total - good) / total : 0)
  const worst = minutes.slice(-recentMinutes).reduce((max, one) => Math.max(max, share(one)), 0)
  const limit = Math.max(1 - targetPercent / 100, strongShare * worst)
  const failing = minutes.filter((one) => share(one) > limit).map(({ startSeconds }) => startSeconds)
  const last = failing.at(-1)
  if (last === undefined) return null
  const first = failing.findLastIndex((start, at) => start - (failing[at - 1] ?? -Infinity) > maxPauseSeconds + 60)
  const began = failing[first] ?? last
  const isPart = (start: number) =>
    minutes.some(
      ({ startSeconds, good, total }) =>
        startSeconds === start && isBeyondChance(total - good, (1 - targetPercent / 100) * total),
    )
  return { beganSeconds: isPart(began - 60) ? began - 60 : began, endedSeconds: last + (isPart(last + 60) ? 120 : 60) }
}
