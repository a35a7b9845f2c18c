import type { TimeWindow } from '../db/tables.ts'
import { windowSeconds } from './windows.ts'

/**
 * Fires when the budget burns faster than `factor` over the long and the short window: at that pace `budgetPercent` of the
 * budget is gone within the long one. `refused`: why it can never fire, whatever happens. Table: peers.md, 4.1.
 */
export type Tier = {
  severity: 'page' | 'ticket'
  longSeconds: number
  shortSeconds: number
  factor: number
  budgetPercent: number
  refused: string | null
}

/** A tier as it was read, in the JSON of `slo_states.burn_rates`. `null`: not known. */
export type BurnRate = {
  severity: 'page' | 'ticket'
  long_seconds: number
  short_seconds: number
  factor: number
  long: number | null
  short: number | null
  firing: boolean | null
}

type Row = Pick<Tier, 'severity' | 'longSeconds' | 'shortSeconds' | 'budgetPercent'>

const rows: Row[] = [
  { severity: 'page', longSeconds: 3600, shortSeconds: 300, budgetPercent: 2 },
  { severity: 'page', longSeconds: 6 * 3600, shortSeconds: 1800, budgetPercent: 5 },
  { severity: 'ticket', longSeconds: 24 * 3600, shortSeconds: 2 * 3600, budgetPercent: 10 },
  { severity: 'ticket', longSeconds: 72 * 3600, shortSeconds: 6 * 3600, budgetPercent: 10 },
]
const shortestForRows = 7 * 86_400

/**
 * The tiers of an SLO, the fastest first. A row that would fire while the budget lasts longer than its window (a factor
 * below 1) is left out; windows below 7d have one pair of their own, a 12th and a 144th of the window.
 */
export function burnRateTiers(window: TimeWindow, targetPercent: number): Tier[] {
  const ownSeconds = windowSeconds(window)
  const ownPair: Row = {
    severity: 'page',
    longSeconds: ownSeconds / 12,
    shortSeconds: Math.max(60, ownSeconds / 144),
    budgetPercent: 25,
  }
  return (ownSeconds < shortestForRows ? [ownPair] : rows)
    .map((row) => ({ ...row, factor: (row.budgetPercent * ownSeconds) / (100 * row.longSeconds) }))
    .filter(({ factor }) => factor >= 1)
    .map((tier) => ({ ...tier, refused: whyNever(tier.factor, targetPercent) }))
}

function whyNever(factor: number, targetPercent: number): string | null {
  if (targetPercent === 100) return 'a target of 100 leaves no budget that could burn'
  const most = burnRate(0, targetPercent)
  if (factor < most) return null
  return `with a target of ${targetPercent} the budget burns at most ${most} times as fast as it may, even when everything fails`
}

/**
 * How many times faster than the target allows the budget burns, to 6 digits: at 1 it lasts exactly its window. A target of
 * 100 leaves no budget: without a failure the rate is 0, else infinite (`null` in JSON), and its tiers are all refused.
 */
export function burnRate(sliRatio: number, targetPercent: number): number {
  if (sliRatio === 1) return 0
  return sixDigits((100 - 100 * sliRatio) / (100 - targetPercent))
}

/** The burn rate of what a window of the ledger holds: nothing burns without traffic; `null` where too little is known. */
export function burnRateOfWindow(
  { ratio, reason }: { ratio: number | null; reason: string | null },
  targetPercent: number,
): number | null {
  if (ratio !== null) return burnRate(ratio, targetPercent)
  return reason === 'no_traffic' ? 0 : null
}

/** Both rates above the factor; `null` when either is unknown: the alert then stays as it is. A refused tier never fires. */
export function readTier(tier: Tier, longRate: number | null, shortRate: number | null): boolean | null {
  if (tier.refused !== null) return false
  if (longRate === null || shortRate === null) return null
  return longRate > tier.factor && shortRate > tier.factor
}

/** Each tier as it stands; `rateOver` knows the burn rate of the window of that many seconds that ends now. */
export function burnRatesOf(tiers: Tier[], rateOver: (seconds: number) => number | null): BurnRate[] {
  return tiers.map((tier) => {
    const long = rateOver(tier.longSeconds)
    const short = rateOver(tier.shortSeconds)
    return {
      severity: tier.severity,
      long_seconds: tier.longSeconds,
      short_seconds: tier.shortSeconds,
      factor: tier.factor,
      long,
      short,
      firing: readTier(tier, long, short),
    }
  })
}

function sixDigits(value: number): number {
  return Number(value.toPrecision(6))
}
