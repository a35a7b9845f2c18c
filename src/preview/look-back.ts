import type { TimeWindow } from '../db/tables/tables.ts'
import { AppError } from '../errors.ts'
import type { Tier } from '../slos/arithmetic/burn-rates.ts'
import { windowSeconds } from '../slos/arithmetic/windows.ts'
import type { Asker } from '../sources/ask.ts'
import type { Measured } from '../sli/measure/measured.ts'
import type { SliPlan } from '../sli/plan/plan.ts'
import { alertsOf, type Episode, exhaustedAt } from './alerts.ts'
import { measurePast, type Past } from './past.ts'
import type { SliUnit } from '../sli/sli.ts'

/** What an SLO would have been until now: alerts since `alertsFromSeconds`; `exhaustedAtSeconds` null: budget is left. */
export type LookedBack = Past & { alerts: Episode[]; alertsFromSeconds: number; exhaustedAtSeconds: number | null }

type Wanted = {
  plan: SliPlan
  own: Measured
  unit: SliUnit | null
  window: TimeWindow
  endSeconds: number
  targetPercent: number
  budgetUsedPercent: number | null
  tiers: Tier[]
}

const monthSeconds = 30 * 86_400
const hour = 3600

/** Looks back over the SLO's own window, for alerts at most 30 days; a source that will not say how it was is a warning. */
export async function lookBack(ask: Asker, wanted: Wanted): Promise<{ past: LookedBack | null; warnings: string[] }> {
  const { window, endSeconds, targetPercent, budgetUsedPercent, tiers } = wanted
  const ownSeconds = windowSeconds(window)
  const alertSeconds = Math.min(ownSeconds, monthSeconds)
  const maxSeconds = Math.max(0, ...tiers.map(({ longSeconds }) => longSeconds))
  // The first alerts look back from where the window starts; in whole hours, so that every step fits.
  const wholeSeconds = Math.max(ownSeconds, alertSeconds + Math.ceil(maxSeconds / hour) * hour)
  let past: Past
  try {
    past = await measurePast(ask, ownSeconds, { ...wanted, startSeconds: endSeconds - wholeSeconds, endSeconds })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { past: null, warnings: [`The past could not be measured: ${error.details ?? error.message}`] }
  }
  const { stepSeconds, coveredFromSeconds } = past
  const seen = tiers.filter(({ shortSeconds }) => shortSeconds >= stepSeconds)
  const alertsFromSeconds = Math.max(endSeconds - alertSeconds, coveredFromSeconds ?? endSeconds)
  const isSpent = (budgetUsedPercent ?? 0) >= 100
  return {
    past: {
      ...past,
      alerts: alertsOf(past, seen, targetPercent, { startSeconds: alertsFromSeconds, endSeconds }),
      alertsFromSeconds,
      exhaustedAtSeconds: isSpent
        ? exhaustedAt(past, targetPercent, { startSeconds: endSeconds - ownSeconds, endSeconds })
        : null,
    },
    warnings: remarksOn(wanted, past, seen),
  }
}

function remarksOn({ plan, window, tiers }: Wanted, { stepSeconds }: Past, seen: Tier[]): string[] {
  const minutes = stepSeconds / 60
  const isSpread = minutes === 1 && plan.stepSeconds(windowSeconds(window)) === null
  return [
    isSpread ? 'Each minute of the past was measured over the five minutes up to it.' : null,
    seen.length < tiers.length
      ? `The source has no finer past than ${minutes} minutes: burn-rate alerts of shorter windows are left out.`
      : null,
  ].filter((remark) => remark !== null)
}
