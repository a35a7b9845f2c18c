import { isoTime } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { SloRow } from '../db/tables/tables.ts'
import { type Excluded, excludedIn } from '../evaluation/corrections/excluded.ts'
import { countsEvents } from '../ledger/measure/measure-ledger.ts'
import { listReaches } from '../ledger/reach-store.ts'
import { finestStoredResolution, type LedgerWindow } from '../ledger/window-spans.ts'
import { sumWindows } from '../ledger/window-sums.ts'
import type { Planner } from '../sli/plan/planner.ts'
import { allowedBad, errorBudget, round10, windowBudget } from '../slos/arithmetic/budget.ts'
import { type OwnWindow, ownWindow, shareOfOwnWindow } from '../slos/arithmetic/own-window.ts'
import { existingShare, type Reach } from '../slos/arithmetic/reach.ts'
import { sliOfSum, type WindowSum } from '../slos/arithmetic/window-sum.ts'
import { parseLabels } from '../slos/labels.ts'
import { listPeriodsEnding, type PeriodRow } from '../slos/periods/store.ts'
import type { ReportPeriod } from './period.ts'
import { cut, type ReportedPeriod, type ReportedSlo, type Resolution } from './report.ts'

type Deps = { db: Database; planner: Planner }

/** SLO of a report without the counts of its incidents and alerts. */
export type Figures = Omit<ReportedSlo, 'incident_count' | 'alerts'>

const nothing: WindowSum = { good: 0, total: 0, coveredSeconds: 0 }
const tolerance = 1e-9 // percent

/**
 * Figures of SLOs over the period of a report, in their order, from the ledger (their stored sums). An SLO whose own calendar period is
 * the same has the figures of its frozen period, which were stored when it ended. Asks no source. Call it with a few hundred SLOs at a
 * time.
 */
export async function sloFigures(
  { db, planner }: Deps,
  slos: SloRow[],
  period: ReportPeriod,
  nowSeconds: number,
): Promise<Figures[]> {
  const { startSeconds, endSeconds } = period
  const planned = await planner.planAll(slos)
  const ownWindows = slos.map((slo) => ownWindow(slo, endSeconds))
  // two for each SLO: the period at 2 * index, the SLO's own window up to its end at 2 * index + 1
  const windows = slos.flatMap(({ id: sloId, revision }, index): LedgerWindow[] => [
    { sloId, revision, startSeconds, endSeconds },
    { sloId, revision, startSeconds: ownWindows[index]?.startSeconds ?? startSeconds, endSeconds },
  ])
  const sums = await sumWindows(db.read, windows, nowSeconds)
  const revisions = slos.map(({ id: sloId, revision }) => ({ sloId, revision }))
  const reaches = await listReaches(db.read, revisions, nowSeconds)
  const ids = slos.map(({ id }) => id)
  const periods = Map.groupBy(await listPeriodsEnding(db.read, ids, period), ({ slo_id }) => slo_id)
  const excluded = await excludedIn(
    db,
    slos.map((slo) => ({ slo, startSeconds, endSeconds })),
  )
  const resolution = resolutionOf(period, nowSeconds)
  return planned.map(({ slo, plan }, index) => {
    const ofSlo = periods.get(slo.id) ?? []
    const reach = reaches[index]
    return {
      ...figuresOf(slo, period, { sum: sums[2 * index] ?? nothing, reach, countsEvents: countsEvents(plan) }),
      excluded: excludedFigures(excluded[index] ?? null, sums[2 * index] ?? nothing, period),
      resolution,
      ...ownPeriodFigures(ofSlo.find((one) => one.starts_at === startSeconds && one.ends_at === endSeconds)),
      own: ownFigures(slo, ownWindows[index] ?? ownWindow(slo, endSeconds), sums[2 * index + 1] ?? nothing, {
        reach,
        countsEvents: countsEvents(plan),
      }),
      periods: ofSlo.map(presentPeriod),
    }
  })
}

type Measured = { sum: WindowSum; reach: Reach | undefined; countsEvents: boolean }

/** Figures over the part of the period in which the SLO existed. `sum` is without what corrections leave out. */
function figuresOf(slo: SloRow, period: ReportPeriod, { sum, reach, countsEvents: isOfEvents }: Measured) {
  const seconds = period.endSeconds - period.startSeconds
  const shareWithSlo = reach ? (existingShare(reach, period.startSeconds, period.endSeconds) ?? 1) : 1
  const { ratio } = shareWithSlo > 0 ? sliOfSum(sum, seconds * shareWithSlo) : { ratio: null }
  const sli = ratio === null ? null : round10(100 * ratio)
  return {
    id: slo.id,
    name: slo.name,
    owner: cut(slo.owner),
    labels: parseLabels(slo),
    target: slo.target,
    sli,
    met: isMet(sli, slo.target),
    unit: isOfEvents ? ('events' as const) : ('seconds' as const),
    bad: round10(Math.max(0, sum.total - sum.good)),
    total: round10(sum.total),
    allowed: allowedBad(sum.total, slo.target),
    budget_used_percent: errorBudget(sli, slo.target).percentageUsed,
    coverage: round10(Math.min(1, sum.coveredSeconds / seconds)),
    is_frozen_period: false,
  }
}

/** Share that does not count, and the SLI as if it did. */
function excludedFigures(
  excluded: Excluded | null,
  sum: WindowSum,
  { startSeconds, endSeconds }: ReportPeriod,
): ReportedSlo['excluded'] {
  if (excluded === null) return null
  const { seconds, good, total } = excluded
  const all = sum.total + total
  return {
    seconds,
    share: round10(Math.min(1, seconds / (endSeconds - startSeconds))),
    bad: round10(Math.max(0, total - good)),
    total: round10(total),
    sli_without: all > 0 ? round10(Math.min(100, (100 * (sum.good + good)) / all)) : null,
  }
}

function isMet(sli: number | null, target: number): boolean | null {
  return sli === null ? null : sli >= target - tolerance
}

/** Figures that a frozen period of the SLO has more exactly; no fields if it has no SLI. */
function ownPeriodFigures(row: PeriodRow | undefined) {
  if (!row || row.sli === null) return {}
  const { sli, target, good_events: good, total_events: total } = row
  const hasCounts = good !== null && total !== null
  return {
    target,
    sli: round10(sli),
    met: isMet(sli, target),
    budget_used_percent: errorBudget(sli, target).percentageUsed,
    ...(hasCounts && { bad: round10(Math.max(0, total - good)), total, allowed: allowedBad(total, target) }),
    resolution: '1m' as const,
    is_frozen_period: true,
  }
}

function ownFigures(
  slo: SloRow,
  window: OwnWindow,
  sum: WindowSum,
  { reach, countsEvents: isOfEvents }: Omit<Measured, 'sum'>,
): ReportedSlo['own'] {
  const shareWithSlo = reach ? (existingShare(reach, window.startSeconds, window.endSeconds) ?? 1) : 1
  const { ratio } = shareWithSlo > 0 ? sliOfSum(sum, window.seconds * shareWithSlo) : { ratio: null }
  const sli = ratio === null ? null : round10(100 * ratio)
  const windowShare = reach ? shareOfOwnWindow(reach, window) : null
  const { percentageUsed } = errorBudget(sli, slo.target)
  const { usedPercent } = windowBudget(percentageUsed, slo.target, { windowShare, countsEvents: isOfEvents })
  const { time_window, time_zone } = slo
  return { time_window, time_zone, sli, budget_left_percent: usedPercent === null ? null : round10(100 - usedPercent) }
}

function presentPeriod(row: PeriodRow): ReportedPeriod {
  return {
    time_window: row.time_window,
    time_zone: row.time_zone,
    starts_at: isoTime(row.starts_at * 1000),
    ends_at: isoTime(row.ends_at * 1000),
    target: row.target,
    sli: round10(row.sli),
    met: isMet(row.sli, row.target),
    budget_used_percent: errorBudget(row.sli, row.target).percentageUsed,
  }
}

/**
 * Resolution to which the ends of a period are rounded, the coarser of both: that of the stored buckets there, or 1m where a bucket ends.
 */
export function resolutionOf({ startSeconds, endSeconds }: ReportPeriod, nowSeconds: number): Resolution {
  const resolutions = [startSeconds, endSeconds].map((at) => {
    const kept = finestStoredResolution(at, nowSeconds)
    return at % kept === 0 ? 60 : kept
  })
  return ({ 60: '1m', 3600: '1h', 86_400: '1d' } as const)[Math.max(...resolutions) as 60]
}
