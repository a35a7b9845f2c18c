import { t } from 'elysia'
import { isoTime } from '../../clock.ts'
import type { SloRow } from '../../db/tables/tables.ts'
import {
  type BurnRate,
  parseBurnRates,
  isTierFiring,
  type Tier as SloTier,
  wholeRateOf,
} from '../../slos/arithmetic/burn-rates.ts'
import { tiersOf } from '../../slos/alerting/tiers.ts'
import { windowName } from '../../slos/arithmetic/windows.ts'
import type { MeasuredSlo } from './measured-slo.ts'

const MaybeNumber = t.Nullable(t.Number())

const Tier = t.Object({
  severity: t.String(),
  long_window: t.String(),
  short_window: t.String(),
  factor: t.Number(),
  budget_percent: t.Number(),
  min_events: t.Number(),
  enabled: t.Boolean(),
  long_burn_rate: MaybeNumber,
  short_burn_rate: MaybeNumber,
  long_coverage: MaybeNumber,
  short_coverage: MaybeNumber,
  long_bad_events: MaybeNumber,
  firing: t.Nullable(t.Boolean()),
  firing_reason: t.Nullable(t.String()),
  refused: t.Nullable(t.String()),
  time_to_exhaustion_seconds: MaybeNumber,
})

export const SloBurnRates = t.Object(
  {
    slo_id: t.Number(),
    target: t.Number(),
    time_window: t.String(),
    measured_at: t.Nullable(t.String()),
    age_seconds: MaybeNumber,
    stale: t.Boolean(),
    tiers: t.Array(Tier),
  },
  { title: 'SloBurnRates' },
)

/** All windows that the SLO's tiers use. */
export function tierWindows(slo: SloRow) {
  const lengths = tiersOf(slo).flatMap(({ longSeconds, shortSeconds }) => [longSeconds, shortSeconds])
  return { lengths, areForTiers: true }
}

/**
 * Presents the tiers at `measured_at`. `firing` is that of the evaluation, which decides about alerts; null if the state is stale.
 * A rate is null if it is not known, or infinite (a target of 100); `long_bad_events` also if the SLO counts time. Disabled tiers
 * can be firing, too. `time_to_exhaustion_seconds` is at the long window's rate.
 */
export function presentBurnRates({ slo, currentState, measured, rateOver, secondsToExhaustion }: MeasuredSlo) {
  const evaluated = measured && measured.evaluated_at >= slo.updated_at ? parseBurnRates(measured) : []
  return {
    slo_id: slo.id,
    target: slo.target,
    time_window: slo.time_window,
    measured_at: measured && isoTime(measured.measured_at),
    age_seconds: currentState.ageSeconds,
    stale: currentState.isStale,
    tiers: tiersOf(slo).map((tier) => {
      const long = rateOver(tier.longSeconds) ?? unmeasured
      const short = rateOver(tier.shortSeconds) ?? unmeasured
      const evaluatedRate = evaluated.find(isRateOf(tier))
      // so that the rates agree with `firing`, which is null with a reason; members of a composite may have changed since
      const usesEvaluatedRates = evaluatedRate?.reason || slo.composite !== null
      const rates = evaluatedRate && usesEvaluatedRates ? evaluatedRate : { long: long.rate, short: short.rate }
      const firing = evaluatedRate ? evaluatedRate.firing : isTierFiring(tier, long, wholeRateOf(short))
      return {
        severity: tier.severity,
        long_window: windowName(tier.longSeconds),
        short_window: windowName(tier.shortSeconds),
        factor: tier.factor,
        budget_percent: tier.budgetPercent,
        min_events: tier.minEvents,
        enabled: tier.enabled,
        long_burn_rate: finite(rates.long),
        short_burn_rate: finite(rates.short),
        long_coverage: long.coverage,
        short_coverage: short.coverage,
        long_bad_events: long.badEvents,
        firing: currentState.isStale ? isTierFiring(tier, unmeasured, null) : firing,
        firing_reason: currentState.isStale ? null : (evaluatedRate?.reason ?? null),
        refused: tier.refused,
        time_to_exhaustion_seconds: secondsToExhaustion(rates.long),
      }
    }),
  }
}

/** True for the evaluated tier with the settings of this one. */
function isRateOf(tier: SloTier) {
  return (rate: BurnRate) =>
    rate.severity === tier.severity &&
    rate.long_seconds === tier.longSeconds &&
    rate.short_seconds === tier.shortSeconds &&
    rate.factor === tier.factor &&
    rate.min_events === tier.minEvents
}

const unmeasured = { rate: null, badEvents: null, coverage: null }

/** Maps Infinity to null, because JSON has no infinity. */
export function finite(rate: number | null): number | null {
  return rate === Infinity ? null : rate
}
