import type { Db } from '../db/open.ts'
import { tidy } from '../slos/arithmetic/budget.ts'
import type { Resolution } from './bucket.ts'
import { listStarts, type Measurement, type RangeSum, type BucketRange, sumRanges } from './bucket-store.ts'
import { knownPart, spansOf, type Window, wholeBuckets } from './window-buckets.ts'

/**
 * `[startSeconds, endSeconds)` of what one SLO measured; both are whole minutes. What the first bucket that covers anything
 * led with happened before the window and is left out, as `rate` leaves it out, but for one step of many (`isStep`): there
 * it would be lost between two of them.
 */
export type LedgerWindow = Measurement & Window & { isStep?: boolean }

/** What was measured in a window, as in a bucket; none of it is negative. */
export type WindowSum = { good: number; total: number; coveredSeconds: number }

/** What was measured in each window, in their order, in three statements however many there are. */
export async function sumWindows(db: Db, windows: LedgerWindow[], nowSeconds: number): Promise<WindowSum[]> {
  const known = windows.map((window) => ({ ...window, ...knownPart(window, nowSeconds) }))
  const days = await storedIn(db, 86_400, known, (window) => [window])
  const leftByDays = (window: LedgerWindow, n: number) =>
    spansOf(window, { days: days(n), hours: new Set() }).filter(({ resolution }) => resolution === 60)
  const hours = await storedIn(db, 3600, known, leftByDays)
  const spans = known.map((window, n) =>
    spansOf(window, { days: days(n), hours: hours(n) }).map((span) => ({ ...window, ...span })),
  )
  const sums = await sumEachOnce(db, spans.flat())
  return spans.map((ofWindow, n) => addUp(ofWindow.map(sums), windows[n]?.isStep ?? false))
}

const minCoverage = 0.5

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

/** When the buckets of one length begin that are stored in the given parts of each window; by the window's place. */
async function storedIn(
  db: Db,
  resolution: Resolution,
  windows: LedgerWindow[],
  partsOf: (window: LedgerWindow, n: number) => Window[],
): Promise<(n: number) => Set<number>> {
  const asked = windows.flatMap((window, n) =>
    partsOf(window, n).flatMap((part) => {
      const span = wholeBuckets(part, resolution)
      return span ? [{ n, range: { ...window, ...span } }] : []
    }),
  )
  const found = await listStarts(
    db,
    asked.map(({ range }) => range),
  )
  const stored = windows.map(() => new Set<number>())
  asked.forEach(({ n }, place) => found[place]?.forEach((start) => stored[n]?.add(start)))
  return (n) => stored[n] ?? new Set()
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
