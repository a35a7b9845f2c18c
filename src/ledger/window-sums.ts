import type { Db } from '../db/open.ts'
import type { PlannedSlo } from '../sli/plan/plan.ts'
import { tidy } from '../slos/arithmetic/budget.ts'
import { burnRateOfWindow, type TierWindow } from '../slos/arithmetic/burn-rates.ts'
import {
  ceilTo,
  day,
  floorTo,
  hour,
  hoursKeptSeconds,
  minute,
  minutesKeptSeconds,
  type Resolution,
  type Span,
} from './bucket.ts'
import { type BucketRange, listStarts, type Measurement, type RangeSum, sumRanges } from './ledger-store.ts'
import { countsEvents } from './measure/measure-ledger.ts'

/** `[startSeconds, endSeconds)`, both whole minutes. */
export type Window = { startSeconds: number; endSeconds: number }

/**
 * A window of what one SLO measured. What the first bucket that covers anything led with happened before the window and is
 * left out, as `rate` leaves it out, but for one step of many (`isStep`): there it would be lost between two of them.
 */
export type LedgerWindow = Measurement & Window & { isStep?: boolean }

/** What was measured in a window, as in a bucket; none of it is negative. */
export type WindowSum = { good: number; total: number; coveredSeconds: number }

/** How fast the budget burned over a window, and what failed in it; `coverage`, 0..1, is the share that was measured. */
export type WindowRate = TierWindow & { coverage: number }

/** When the days and hours that are stored begin. */
export type Stored = { days: ReadonlySet<number>; hours: ReadonlySet<number> }

const minCoverage = 0.5

/** The burn rates of SLOs over windows of these lengths that end at `endSeconds`: by SLO id, then by seconds. */
export async function sumRates(
  db: Db,
  requests: { planned: PlannedSlo; lengths: number[] }[],
  endSeconds: number,
  nowSeconds: number,
): Promise<Map<number, Map<number, WindowRate>>> {
  const windows = requests.flatMap(({ planned, lengths }) => {
    const { id: sloId, revision } = planned.slo
    return lengths.map((seconds) => {
      return { sloId, revision, startSeconds: endSeconds - seconds, endSeconds, planned, seconds }
    })
  })
  const sums = await sumWindows(db, windows, nowSeconds)
  const rates = new Map(requests.map(({ planned }) => [planned.slo.id, new Map<number, WindowRate>()]))
  windows.forEach(({ sloId, planned, seconds }, n) => {
    const sum = sums[n]
    if (sum) rates.get(sloId)?.set(seconds, rateOfSum(planned, sum, seconds))
  })
  return rates
}

function rateOfSum({ slo, plan }: PlannedSlo, sum: WindowSum, seconds: number): WindowRate {
  const sli = sliOfSum(sum, seconds)
  const isKnown = sli.reason !== 'no_data' && countsEvents(plan)
  return {
    rate: burnRateOfWindow(sli, slo.target),
    badEvents: isKnown ? Math.max(0, Math.round(sum.total - sum.good)) : null,
    coverage: sli.coverage,
  }
}

/**
 * The SLI of a sum, 0..1, or why there is none; `coverage` is the share of the window that was measured. Rule:
 * docs/slo-math.md, "Ledger".
 */
export function sliOfSum(
  { good, total, coveredSeconds }: WindowSum,
  windowSeconds: number,
): { ratio: number | null; coverage: number; reason: 'no_data' | 'no_traffic' | null } {
  const coverage = tidy(Math.min(1, coveredSeconds / windowSeconds))
  if (coverage < minCoverage) return { ratio: null, coverage, reason: 'no_data' }
  if (total <= 0) return { ratio: null, coverage, reason: 'no_traffic' }
  return { ratio: Math.min(1, Math.max(0, good / total)), coverage, reason: null }
}

/** What was measured in each window, in their order, in three statements however many there are. */
export async function sumWindows(db: Db, windows: LedgerWindow[], nowSeconds: number): Promise<WindowSum[]> {
  const known = windows.map((window) => ({ ...window, ...knownPart(window, nowSeconds) }))
  const days = await storedIn(db, day, known, (window) => [window])
  const leftByDays = (window: LedgerWindow, n: number) =>
    spansOf(window, { days: days(n), hours: new Set() }).filter(({ resolution }) => resolution === minute)
  const hours = await storedIn(db, hour, known, leftByDays)
  const ranges = known.map((window, n) => {
    const { sloId, revision } = window
    return spansOf(window, { days: days(n), hours: hours(n) }).map((span) => ({ sloId, revision, ...span }))
  })
  const sums = await sumEachOnce(db, ranges.flat())
  return ranges.map((ofWindow, n) => addUp(ofWindow.map(sums), windows[n]?.isStep ?? false))
}

/**
 * When the buckets of one length begin that are stored in the given parts of the windows; by the window's place. Windows of one
 * SLO share what is stored, and what several have in common is read once.
 */
async function storedIn(
  db: Db,
  resolution: Resolution,
  windows: LedgerWindow[],
  partsOf: (window: LedgerWindow, n: number) => Window[],
): Promise<(n: number) => Set<number>> {
  const keyOf = ({ sloId, revision }: LedgerWindow) => `${sloId} ${revision}`
  const parts = windows.flatMap((window, n) =>
    partsOf(window, n).flatMap((part) => {
      const span = wholeBuckets(part, resolution)
      return span ? [{ ...window, ...span }] : []
    }),
  )
  const ranges = [...Map.groupBy(parts, keyOf).values()].flatMap(joined)
  const found = await listStarts(db, ranges)
  const stored = new Map(windows.map((window) => [keyOf(window), new Set<number>()]))
  ranges.forEach((range, place) => {
    const starts = stored.get(keyOf(range))
    found[place]?.forEach((start) => starts?.add(start))
  })
  return (n) => (windows[n] && stored.get(keyOf(windows[n]))) ?? new Set()
}

/** The same time in as few ranges; all are of one SLO. */
function joined<Range extends Window>(ranges: Range[]): Range[] {
  const made: Range[] = []
  for (const range of ranges.toSorted((one, other) => one.startSeconds - other.startSeconds)) {
    const last = made.at(-1)
    if (last && range.startSeconds <= last.endSeconds) last.endSeconds = Math.max(last.endSeconds, range.endSeconds)
    else made.push({ ...range })
  }
  return made
}

/** Windows that end together share most of their buckets: each range is read once. */
async function sumEachOnce(db: Db, ranges: BucketRange[]): Promise<(range: BucketRange) => RangeSum | undefined> {
  const key = (range: BucketRange) =>
    `${range.sloId} ${range.revision} ${range.resolution} ${range.startSeconds} ${range.endSeconds}`
  const once = new Map(ranges.map((range) => [key(range), range]))
  const found = await sumRanges(db, [...once.values()])
  const sums = new Map([...once.keys()].map((name, place) => [name, found[place]]))
  return (range) => sums.get(key(range))
}

function addUp(sums: (RangeSum | undefined)[], keepsLead: boolean): WindowSum {
  const window = { good: 0, total: 0, coveredSeconds: 0 }
  for (const sum of sums) {
    if (!sum) continue
    const leads = !keepsLead && window.coveredSeconds === 0 && sum.coveredSeconds > 0
    window.good += leads ? sum.good - sum.leadGood : sum.good
    window.total += leads ? sum.total - sum.leadTotal : sum.total
    window.coveredSeconds += sum.coveredSeconds
  }
  return { ...window, good: Math.max(0, window.good), total: Math.max(0, window.total) }
}

/**
 * The fewest buckets that cover a window exactly once, oldest first, neighbours of one length joined. A day or an hour that
 * is not stored falls back to what is finer inside it; minutes are taken as they are, stored or not.
 */
export function spansOf({ startSeconds, endSeconds }: Window, { days, hours }: Stored): Span[] {
  const spans: Span[] = []
  const isSparse = (days.size * day + hours.size * hour) * 2 < endSeconds - startSeconds // as of a young SLO
  let ahead: number[] | undefined
  let at = startSeconds
  while (at < endSeconds) {
    let resolution: Resolution = minute
    let next = Math.min(endSeconds, floorTo(at, hour) + hour)
    if (days.has(at) && at + day <= endSeconds) [resolution, next] = [day, at + day]
    else if (hours.has(at) && at + hour <= endSeconds) [resolution, next] = [hour, at + hour]
    else if (isSparse) {
      ahead ??= [...days, ...hours].toSorted((one, other) => other - one)
      while ((ahead.at(-1) ?? endSeconds) <= at) ahead.pop()
      next = Math.min(endSeconds, ahead.at(-1) ?? endSeconds)
    }
    const last = spans.at(-1)
    if (last?.resolution === resolution) last.endSeconds = next
    else spans.push({ resolution, startSeconds: at, endSeconds: next })
    at = next
  }
  return spans
}

/** All whole buckets of one length inside a window, stored or not; null: there is none. */
export function wholeBuckets({ startSeconds, endSeconds }: Window, resolution: Resolution): Span | null {
  const span = {
    resolution,
    startSeconds: ceilTo(startSeconds, resolution),
    endSeconds: floorTo(endSeconds, resolution),
  }
  return span.startSeconds < span.endSeconds ? span : null
}

/**
 * What of a window the ledger still has: an end that lies where minutes (or hours) are no longer kept moves inward to a
 * whole hour (or day). Empty where nothing remains.
 */
export function knownPart({ startSeconds, endSeconds }: Window, nowSeconds: number): Window {
  const from = ceilTo(startSeconds, finestKept(startSeconds, nowSeconds))
  return { startSeconds: from, endSeconds: Math.max(from, floorTo(endSeconds, finestKept(endSeconds, nowSeconds))) }
}

/** The finest buckets that are kept of a time that far back. */
export function finestKept(timeSeconds: number, nowSeconds: number): Resolution {
  if (timeSeconds >= nowSeconds - minutesKeptSeconds) return minute
  return timeSeconds >= nowSeconds - hoursKeptSeconds ? hour : day
}
