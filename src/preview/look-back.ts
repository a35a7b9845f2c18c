import { isoTime } from '../clock.ts'
import type { SloWindow } from '../db/tables/tables.ts'
import { AppError } from '../errors.ts'
import { tiersOf } from '../slos/alerting/tiers.ts'
import { burnRateOfWindow, readTier, type Tier } from '../slos/arithmetic/burn-rates.ts'
import { sliOfSum } from '../ledger/window-sums.ts'
import { windowSeconds } from '../slos/arithmetic/windows.ts'
import type { Asker } from '../sources/ask.ts'
import type { SliPlan } from '../sli/plan/plan.ts'
import { isOfMoments, measurePast, type Past } from './past.ts'
import type { Measurement, SliUnit } from '../sli/sli.ts'

/** A period in which a tier would have fired; `endedSeconds` null: it still fires. `peak`: highest rate of the long window. */
export type Episode = { tier: Tier; startedSeconds: number; endedSeconds: number | null; peak: number }

/** History of an SLO until now, with its alerts since `alertsFromSeconds`; `exhaustedAtSeconds` null: budget remains. */
export type LookedBack = Past & { alerts: Episode[]; alertsFromSeconds: number; exhaustedAtSeconds: number | null }

type LookBackOptions = {
  plan: SliPlan
  own: Measurement
  unit: SliUnit | null
  window: SloWindow
  endSeconds: number
  targetPercent: number
  budgetUsedPercent: number | null
  tiers: Tier[]
}

const monthSeconds = 30 * 86_400
const hour = 3600

/**
 * Length of the history of an SLO with this window. The first alerts look back from where the window starts; in whole hours, so
 * that every step fits.
 */
export function lookBackSeconds(window: SloWindow): number {
  const ownSeconds = windowSeconds(window)
  const tiers = tiersOf({ time_window: window, target: 0, burn_rate_tiers: null }) // the same windows for any target
  const maxSeconds = Math.max(0, ...tiers.map(({ longSeconds }) => longSeconds))
  return Math.max(ownSeconds, Math.min(ownSeconds, monthSeconds) + Math.ceil(maxSeconds / hour) * hour)
}

/**
 * Looks back over the SLO's own window, for alerts at most 30 days; a source that does not give its history causes a warning.
 */
export async function lookBack(
  ask: Asker,
  options: LookBackOptions,
): Promise<{ past: LookedBack | null; warnings: string[] }> {
  const { window, endSeconds, targetPercent, budgetUsedPercent, tiers } = options
  const ownSeconds = windowSeconds(window)
  const alertSeconds = Math.min(ownSeconds, monthSeconds)
  let past: Past
  try {
    past = await measurePast(ask, ownSeconds, {
      ...options,
      startSeconds: endSeconds - lookBackSeconds(window),
      endSeconds,
    })
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
    warnings: remarksOn(options, past, seen),
  }
}

function remarksOn({ plan, tiers }: LookBackOptions, past: Past, seen: Tier[]): string[] {
  const { stepSeconds, countedFromSeconds } = past
  const minutes = stepSeconds / 60
  const isSpread = minutes === 1 && !isOfMoments(plan)
  return [
    isSpread ? 'Each minute of the past was measured over the five minutes up to it.' : null,
    seen.length < tiers.length
      ? `The source has no finer past than ${minutes} minutes: burn-rate alerts of shorter windows are left out.`
      : null,
    countedFromSeconds === null
      ? null
      : `What the query counts as ${plan.sides?.counts ?? 'good'} was first seen on ${dayOf(countedFromSeconds)}; all events were seen before.`,
  ].filter((remark) => remark !== null)
}

/** Formats a time for a sentence: `3 Nov, 10:00 UTC`. */
function dayOf(seconds: number): string {
  const at = new Date(seconds * 1000)
  const day = at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
  return `${day}, ${isoTime(at.getTime()).slice(11, 16)} UTC`
}

type Span = { startSeconds: number; endSeconds: number }

/**
 * Alerts of some tiers, newest first, evaluated once a step. A window of which less than half was measured leaves an alert as
 * it is. A tier whose short window is shorter than a step cannot be assessed.
 */
function alertsOf(past: Past, tiers: Tier[], targetPercent: number, within: Span): Episode[] {
  const rateOver = (seconds: number, end: number) =>
    burnRateOfWindow(sliOfSum(past.sum(end - seconds, end), seconds), targetPercent)
  const episodes = tiers.flatMap((tier) => {
    const found: Episode[] = []
    let open: Episode | null = null
    for (let end = within.startSeconds + past.stepSeconds; end <= within.endSeconds; end += past.stepSeconds) {
      const long = rateOver(tier.longSeconds, end)
      const firing = readTier(tier, { rate: long, badEvents: null }, rateOver(tier.shortSeconds, end))
      if (firing && !open) {
        open = { tier, startedSeconds: end, endedSeconds: null, peak: 0 }
        found.push(open)
      }
      if (firing === false && open) {
        open.endedSeconds = end
        open = null
      }
      if (open) open.peak = Math.max(open.peak, long ?? 0)
    }
    return found
  })
  return episodes.toSorted((a, b) => b.startedSeconds - a.startedSeconds)
}

/** Time by which failures since the window's start exceeded the budget of the whole window; null: they did not. */
function exhaustedAt(past: Past, targetPercent: number, { startSeconds, endSeconds }: Span): number | null {
  const { total } = past.sum(startSeconds, endSeconds)
  const allowed = (total * (100 - targetPercent)) / 100
  const dust = total * 1e-9
  for (let end = startSeconds + past.stepSeconds; end <= endSeconds; end += past.stepSeconds) {
    const soFar = past.sum(startSeconds, end)
    if (soFar.total - soFar.good > Math.max(allowed, dust)) return end
  }
  return null
}
