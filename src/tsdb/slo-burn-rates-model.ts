import { t } from 'elysia'
import { isoTime } from '../clock.ts'
import type { SloRow } from '../db/tables.ts'
import { burnRateTiers, readTier } from '../slos/burn-rates.ts'
import type { SloStanding } from './slo-standing.ts'

const MaybeNumber = t.Nullable(t.Number())

const Tier = t.Object({
  severity: t.String(),
  long_window: t.String(),
  short_window: t.String(),
  factor: t.Number(),
  budget_percent: t.Number(),
  long_burn_rate: MaybeNumber,
  short_burn_rate: MaybeNumber,
  long_coverage: MaybeNumber,
  short_coverage: MaybeNumber,
  firing: t.Nullable(t.Boolean()),
  refused: t.Nullable(t.String()),
  time_to_exhaustion_seconds: MaybeNumber,
})

export const SloBurnRates = t.Object({
  slo_id: t.Number(),
  target: t.Number(),
  time_window: t.String(),
  measured_at: t.Nullable(t.String()),
  age_seconds: MaybeNumber,
  stale: t.Boolean(),
  tiers: t.Array(Tier),
})

/** The seconds of all windows that the tiers of an SLO read. */
export function tierWindows({ time_window, target }: SloRow): number[] {
  return burnRateTiers(time_window, target).flatMap(({ longSeconds, shortSeconds }) => [longSeconds, shortSeconds])
}

/**
 * The tiers at `measured_at`; what is stale fires no more and is not known to be quiet either. A rate is null where it
 * is not known, or infinite (a target of 100); `time_to_exhaustion_seconds` is that of the long window's rate.
 */
export function presentBurnRates({ slo, standing, measured, rateOver, exhaustionAt }: SloStanding) {
  return {
    slo_id: slo.id,
    target: slo.target,
    time_window: slo.time_window,
    measured_at: measured && isoTime(measured.measured_at),
    age_seconds: standing.ageSeconds,
    stale: standing.stale,
    tiers: burnRateTiers(slo.time_window, slo.target).map((tier) => {
      const long = rateOver(tier.longSeconds)
      const short = rateOver(tier.shortSeconds)
      return {
        severity: tier.severity,
        long_window: windowName(tier.longSeconds),
        short_window: windowName(tier.shortSeconds),
        factor: tier.factor,
        budget_percent: tier.budgetPercent,
        long_burn_rate: finite(long.rate),
        short_burn_rate: finite(short.rate),
        long_coverage: long.coverage,
        short_coverage: short.coverage,
        firing: standing.stale ? readTier(tier, null, null) : readTier(tier, long.rate, short.rate),
        refused: tier.refused,
        time_to_exhaustion_seconds: exhaustionAt(long.rate),
      }
    }),
  }
}

/** JSON has no infinity. */
export function finite(rate: number | null): number | null {
  return rate === Infinity ? null : rate
}

export function windowName(seconds: number): string {
  return seconds % 3600 === 0 ? `${seconds / 3600}h` : `${seconds / 60}m`
}
