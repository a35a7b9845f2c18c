import type { SloRow } from '../../db/tables/tables.ts'
import { round10 } from '../arithmetic/budget.ts'
import type { Tier, TierSetting } from '../arithmetic/burn-rates.ts'
import { refusalOf, standardTiers } from '../arithmetic/tiers.ts'
import { nominalSeconds } from '../arithmetic/windows.ts'

/** Tiers of an SLO, the fastest first: those that were set for it, or the standard ones of its window. */
export function tiersOf(slo: Pick<SloRow, 'time_window' | 'target' | 'burn_rate_tiers'>): Tier[] {
  const customTiers: TierSetting[] | null = slo.burn_rate_tiers === null ? null : JSON.parse(slo.burn_rate_tiers)
  return (customTiers ?? standardTiers(slo.time_window)).map((tier) => ({
    ...tier,
    budgetPercent: round10((100 * tier.factor * tier.longSeconds) / nominalSeconds(slo.time_window)),
    refused: refusalOf(tier, slo)?.reason ?? null,
  }))
}

const standardThresholds = [50, 25, 10, 0]

/** Percentages of the budget remaining at which an SLO alerts, the highest first: its configured ones, or the standard ones. */
export function thresholdsOf({ budget_thresholds: customThresholds }: Pick<SloRow, 'budget_thresholds'>): number[] {
  return customThresholds === null ? standardThresholds : JSON.parse(customThresholds)
}
