import { isoTime } from '../clock.ts'
import { errorBudget, windowBudget, type WindowBudget } from '../slos/arithmetic/budget.ts'
import { type OwnWindow, shareOfOwnWindow } from '../slos/arithmetic/own-window.ts'
import { nominalSeconds, type SloWindow } from '../slos/arithmetic/windows.ts'
import { AppError } from '../errors.ts'
import type { Tier } from '../slos/arithmetic/burn-rates.ts'
import { alertSeconds, alertsOf, type PastAlert, exhaustedAt, lookBackSeconds } from '../slos/arithmetic/past-alerts.ts'
import type { QueryRunner } from '../sources/query-session.ts'
import type { SliPlan } from '../sli/plan/plan.ts'
import { findFirstMinute, measuresMoments, measureHistory, type SteppedHistory } from './stepped-history.ts'
import { type Measurement, percentOf, type Sli, type SliUnit } from '../sli/sli.ts'

/**
 * History of a definition, with its alerts since `alertsFromSeconds`. `exhaustedAtSeconds` null: budget remains, or the steps do not show when
 * it ended. `firstSeconds`: start
 * of the first minute with data; null: there is none. `windowBudget`: budget of the whole window, as if the SLO had begun with the
 * first minute that has data.
 */
export type PreviewHistory = SteppedHistory & {
  firstSeconds: number | null
  windowBudget: WindowBudget
  alerts: PastAlert<Tier>[]
  alertsFromSeconds: number
  exhaustedAtSeconds: number | null
}

type LookBackOptions = {
  plan: SliPlan
  own: Measurement
  ownWindow: OwnWindow
  unit: SliUnit | null
  window: SloWindow
  endSeconds: number
  targetPercent: number
  sli: Sli
  tiers: Tier[]
}

/** Measures the past over the SLO's own window, and alerts over at most 30 days. Without an answer of the source: a warning. */
export async function lookBack(
  runner: QueryRunner,
  options: LookBackOptions,
): Promise<{ past: PreviewHistory | null; warnings: string[] }> {
  const { window, ownWindow, endSeconds, targetPercent, sli, tiers } = options
  const startSeconds = endSeconds - lookBackSeconds(window, ownWindow.seconds)
  let past: SteppedHistory
  let firstSeconds: number | null
  try {
    past = await measureHistory(runner, nominalSeconds(window), { ...options, startSeconds, endSeconds })
    firstSeconds = await findFirstMinute(runner, options.plan, past)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { past: null, warnings: [`The past could not be measured: ${error.details ?? error.message}`] }
  }
  const { stepSeconds, coveredFromSeconds } = past
  const visibleTiers = tiers.filter(({ shortSeconds }) => shortSeconds >= stepSeconds)
  const validTiers = tiers.filter(({ refused }) => refused === null)
  const alertsFromSeconds = Math.max(endSeconds - alertSeconds(window), coveredFromSeconds ?? endSeconds)
  const reach = { firstSeconds, completeFromSeconds: -Infinity, isFilling: false }
  const windowShare = shareOfOwnWindow(reach, ownWindow) ?? 1
  const { percentageUsed } = errorBudget(percentOf(sli), targetPercent)
  const budget = windowBudget(percentageUsed, targetPercent, { windowShare, countsEvents: past.countsEvents })
  const isSpent = (budget.usedPercent ?? 0) >= 100
  return {
    past: {
      ...past,
      firstSeconds,
      windowBudget: budget,
      alerts: alertsOf(past, validTiers, {
        targetPercent,
        fromSeconds: alertsFromSeconds,
        firstSeconds,
        countsEvents: past.countsEvents,
      }),
      alertsFromSeconds,
      exhaustedAtSeconds: isSpent ? exhaustedAt(past, ownWindow.seconds, { targetPercent, windowShare }) : null,
    },
    warnings: warningsOf(options, past, visibleTiers),
  }
}

function warningsOf({ plan, tiers }: LookBackOptions, past: SteppedHistory, visibleTiers: Tier[]): string[] {
  const { stepSeconds, countedFromSeconds } = past
  const minutes = stepSeconds / 60
  const usesFiveMinutes = minutes === 1 && !measuresMoments(plan)
  return [
    usesFiveMinutes ? 'Each minute of the past was measured over the five minutes up to it.' : null,
    visibleTiers.length < tiers.length
      ? `The source has no finer past than ${minutes} minutes: burn-rate alerts of shorter windows are left out.`
      : null,
    countedFromSeconds === null
      ? null
      : `The first events that the query counts as ${plan.sides?.counts ?? 'good'} are of ${formatTime(countedFromSeconds)}; other events are older.`,
  ].filter((remark) => remark !== null)
}

/** Formats a time for a sentence: `3 Nov, 10:00 UTC`. */
function formatTime(seconds: number): string {
  const at = new Date(seconds * 1000)
  const day = at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
  return `${day}, ${isoTime(at.getTime()).slice(11, 16)} UTC`
}
