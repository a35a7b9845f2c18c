import type { TierSeverity } from '../../db/tables/tables.ts'

/** What an SLO's owner may say of a tier; so it is stored in `slos.burn_rate_tiers`. */
export type TierSetting = {
  severity: TierSeverity
  longSeconds: number
  shortSeconds: number
  factor: number
  /** Failed events in the long window below which it does not fire; 0: off. Of an SLO that counts no events it says nothing. */
  minEvents: number
  /** One that is not is measured all the same, and notifies nobody. */
  enabled: boolean
}

/**
 * Fires when the burn rates of the long and the short window exceed `factor`: at that rate `budgetPercent` of the budget is
 * used up within the long one. `refused`: why it can never fire, whatever happens.
 */
export type Tier = TierSetting & { budgetPercent: number; refused: string | null }

/** A tier as it was read, in the JSON of `slo_states.burn_rates`. `null`: not known. */
export type BurnRate = {
  severity: TierSeverity
  long_seconds: number
  short_seconds: number
  factor: number
  min_events: number
  enabled: boolean
  long: number | null
  short: number | null
  /** Failed events in the long window; null, too, where the SLO counts time. */
  long_bad_events: number | null
  /** As measured, enabled or not. */
  firing: boolean | null
}

/** What a window says of the tiers that read it; `badEvents` null: not known, or none are counted. */
export type TierWindow = { rate: number | null; badEvents: number | null }

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

/**
 * Both rates above the factor, and failed events enough; `null` when a rate is unknown: the alert then stays as it is. A
 * refused tier never fires.
 */
export function readTier(tier: Tier, long: TierWindow, shortRate: number | null): boolean | null {
  if (tier.refused !== null) return false
  if (long.rate === null || shortRate === null) return null
  if (long.badEvents !== null && long.badEvents < tier.minEvents) return false
  return long.rate > tier.factor && shortRate > tier.factor
}

/** Each tier as it stands; `windowOf` knows the window of that many seconds that ends now. */
export function burnRatesOf(tiers: Tier[], windowOf: (seconds: number) => TierWindow): BurnRate[] {
  return tiers.map((tier) => {
    const long = windowOf(tier.longSeconds)
    const short = windowOf(tier.shortSeconds).rate
    return {
      severity: tier.severity,
      long_seconds: tier.longSeconds,
      short_seconds: tier.shortSeconds,
      factor: tier.factor,
      min_events: tier.minEvents,
      enabled: tier.enabled,
      long: long.rate,
      short,
      long_bad_events: long.badEvents,
      firing: readTier(tier, long, short),
    }
  })
}

/** The tiers in a stored state. One that was written before tiers had settings has the usual ones. */
export function parseBurnRates({ burn_rates }: { burn_rates: string }): BurnRate[] {
  const stored: BurnRate[] = JSON.parse(burn_rates)
  return stored.map((rate) => ({ ...unset, ...rate }))
}

const unset = { min_events: 0, enabled: true, long_bad_events: null }

function sixDigits(value: number): number {
  return Number(value.toPrecision(6))
}
