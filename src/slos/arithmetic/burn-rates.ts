/** Urgency of a tier: act now, or in working hours. */
export type TierSeverity = 'page' | 'ticket'

/** Settings of a tier, as stored in `slos.burn_rate_tiers`. */
export type TierSetting = {
  severity: TierSeverity
  longSeconds: number
  shortSeconds: number
  factor: number
  /** Minimum number of failed events in the long window to fire; 0: off. No effect on an SLO that counts no events. */
  minEvents: number
  /** A disabled tier is still computed but sends no notifications. */
  enabled: boolean
}

/**
 * Alert tier. Fires when the burn rates of the long and the short window exceed `factor`: at that rate `budgetPercent` of the
 * budget is used up within the long window. `refused`: why it can never fire; null if it can.
 */
export type Tier = TierSetting & { budgetPercent: number; refused: string | null }

/** Computed tier in the JSON of `slo_states.burn_rates`; `null`: unknown. */
export type BurnRate = {
  severity: TierSeverity
  long_seconds: number
  short_seconds: number
  factor: number
  min_events: number
  enabled: boolean
  long: number | null
  short: number | null
  /** Failed events in the long window; also null if the SLO counts time. */
  long_bad_events: number | null
  /** Computed whether the tier is enabled or not. */
  firing: boolean | null
  /** Set if `firing` is null because a window may hold too few samples. */
  reason?: typeof tooFewSamples
}

/** Reason of a tier with a window shorter than two intervals of its samples, which may hold one sample or none. */
export const tooFewSamples = 'too_few_samples'

/**
 * Values of a window for its tiers; `badEvents` null: unknown, or no events are counted. `partial` is set if the window began
 * before the first sample: `rate` then counts that time as time in which nothing burned.
 */
export type TierWindow = {
  rate: number | null
  badEvents: number | null
  partial?: PartialWindow
  hasTooFewSamples?: boolean
}

/** Burn rate over the part of a window that exists, and true if more failed in it than chance explains. */
type PartialWindow = { existingRate: number | null; isBeyondChance: boolean }

/**
 * Burn rate to 6 digits: budget used per time, against what would last exactly the window (1). A target of 100 leaves no
 * budget: without a failure the rate is 0, otherwise infinite (`null` in JSON), and all its tiers are refused.
 */
export function burnRate(sliRatio: number, targetPercent: number): number {
  if (sliRatio === 1) return 0
  return sixDigits((100 - 100 * sliRatio) / (100 - targetPercent))
}

/** Burn rate of a window from the result of its stored sums (`sliOfSum`); 0 without traffic, `null` if too little is known. */
export function burnRateOfWindow(
  { ratio, reason }: { ratio: number | null; reason: string | null },
  targetPercent: number,
): number | null {
  if (ratio !== null) return burnRate(ratio, targetPercent)
  return reason === 'no_traffic' ? 0 : null
}

/** Burn rate over the part of a window that exists; null: not known. */
export function existingRateOf({ rate, partial }: TierWindow): number | null {
  return partial ? partial.existingRate : rate
}

/** Burn rate of a short window as tiers compare it with their factor: null if the window is partial. */
export function wholeRateOf({ rate, partial }: TierWindow): number | null {
  return partial ? null : rate
}

const minDeviations = 4 // standard deviations, which are the square root of the mean; at least two failures

/** True if there are more failures than a Poisson process with this mean explains. */
export function isBeyondChance(bad: number, expected: number): boolean {
  return bad > expected + minDeviations * Math.sqrt(Math.max(expected, 0.25))
}

/**
 * True if both rates exceed the factor and enough events failed; in a partial long window also more than chance explains. Null
 * if a rate is unknown: the alert then does not change. A refused tier never fires.
 */
export function isTierFiring(tier: Tier, long: TierWindow, shortRate: number | null): boolean | null {
  if (tier.refused !== null) return false
  if (long.rate === null || shortRate === null) return null
  if (long.badEvents !== null && long.badEvents < tier.minEvents) return false
  if (long.partial?.isBeyondChance === false) return false
  return long.rate > tier.factor && shortRate > tier.factor
}

/** Computes each tier; `windowOf` returns the window of that many seconds that ends now. */
export function burnRatesOf(tiers: Tier[], windowOf: (seconds: number) => TierWindow): BurnRate[] {
  return tiers.map((tier) => {
    const [long, shortWindow] = [windowOf(tier.longSeconds), windowOf(tier.shortSeconds)]
    const firing = isTierFiring(tier, long, wholeRateOf(shortWindow))
    const isHeld = firing === null && (long.hasTooFewSamples === true || shortWindow.hasTooFewSamples === true)
    return {
      severity: tier.severity,
      long_seconds: tier.longSeconds,
      short_seconds: tier.shortSeconds,
      factor: tier.factor,
      min_events: tier.minEvents,
      enabled: tier.enabled,
      long: long.rate,
      short: shortWindow.rate,
      long_bad_events: long.badEvents,
      firing,
      ...(isHeld && { reason: tooFewSamples }),
    }
  })
}

/** Tiers of a stored state. A state from before tiers had settings gets the defaults. */
export function parseBurnRates({ burn_rates }: { burn_rates: string }): BurnRate[] {
  const stored: BurnRate[] = JSON.parse(burn_rates)
  return stored.map((rate) => ({ ...defaultSettings, ...rate }))
}

const defaultSettings = { min_events: 0, enabled: true, long_bad_events: null }

/** Rounds to six significant digits. */
export function sixDigits(value: number): number {
  return Number(value.toPrecision(6))
}
