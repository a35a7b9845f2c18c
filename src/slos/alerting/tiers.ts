import type { SloRow } from '../../db/tables/tables.ts'
import { tidy } from '../arithmetic/budget.ts'
import { burnRate, type Tier, type TierSetting } from '../arithmetic/burn-rates.ts'
import { windowName, windowSeconds } from '../arithmetic/windows.ts'

/** Fields that decide whether a tier can fire. */
type Assessed = Pick<SloRow, 'time_window' | 'target'>

/** Tiers of an SLO, the fastest first: its configured ones, or the standard ones of its window. */
export function tiersOf(slo: Assessed & Pick<SloRow, 'burn_rate_tiers'>): Tier[] {
  const ownSeconds = windowSeconds(slo.time_window)
  const own: TierSetting[] | null = slo.burn_rate_tiers === null ? null : JSON.parse(slo.burn_rate_tiers)
  return (own ?? standardTiers(ownSeconds)).map((tier) => ({
    ...tier,
    budgetPercent: tidy((100 * tier.factor * tier.longSeconds) / ownSeconds),
    refused: refusalOf(tier, slo)?.reason ?? null,
  }))
}

type Refusal = { field: 'long_window' | 'factor'; reason: string }

/** Reason why a tier can never fire for an SLO, and the field that prevents it; null if it can. */
export function refusalOf({ longSeconds, factor }: TierSetting, { time_window, target }: Assessed): Refusal | null {
  if (longSeconds > windowSeconds(time_window)) {
    const reason = `a window of ${windowName(longSeconds)} is longer than that of the SLO, ${time_window}`
    return { field: 'long_window', reason }
  }
  if (target === 100) return { field: 'factor', reason: 'a target of 100 leaves no budget that could burn' }
  const most = burnRate(0, target)
  if (factor < most) return null
  const reason = `with a target of ${target} the budget burns at most ${most} times as fast as it may, even when everything fails`
  return { field: 'factor', reason }
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
 * Standard tiers of docs/slo-math.md, "Alert tiers". A row with a factor below 1 is left out: it would fire although the budget
 * outlasts the SLO's window. Windows below 7d have one pair, a 12th and a 144th of the window.
 */
function standardTiers(ownSeconds: number): TierSetting[] {
  const ownPair: Row = {
    severity: 'page',
    longSeconds: ownSeconds / 12,
    shortSeconds: Math.max(60, ownSeconds / 144),
    budgetPercent: 25,
  }
  return (ownSeconds < shortestForRows ? [ownPair] : rows)
    .map(({ budgetPercent, ...row }) => {
      const factor = (budgetPercent * ownSeconds) / (100 * row.longSeconds)
      return { ...row, factor, minEvents: 0, enabled: true }
    })
    .filter(({ factor }) => factor >= 1)
}

const standardThresholds = [50, 25, 10, 0]

/** Percentages of the budget remaining at which an SLO alerts, the highest first: its configured ones, or the standard ones. */
export function thresholdsOf({ budget_thresholds: own }: Pick<SloRow, 'budget_thresholds'>): number[] {
  return own === null ? standardThresholds : JSON.parse(own)
}
