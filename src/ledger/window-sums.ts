import type { Db } from '../db/open.ts'
import type { PlannedSlo } from '../sli/plan/plan.ts'
import { burnRateOfWindow, type TierWindow } from '../slos/arithmetic/burn-rates.ts'
import { sliOfSum, type WindowSum } from '../slos/arithmetic/window-sum.ts'
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
import { listStarts, type SloRevision, type RangeSum } from './ledger-store.ts'
import { countsEvents } from './measure/measure-ledger.ts'
import type { LedgerCache, CachedSlo } from './memory/ledger-cache.ts'
import { type ReadRanges, sumLists } from './range-sums.ts'

/** `[startSeconds, endSeconds)`, both whole minutes. */
export type Window = { startSeconds: number; endSeconds: number }

/**
 * A window of one SLO's measurements. The lead of the first bucket that covers anything happened before the window and is left
 * out, as `rate` does. A step of a series (`isStep`) keeps it, or it would be lost between two steps.
 */
export type LedgerWindow = SloRevision & Window & { isStep?: boolean }

/** Burn rate and failures over a window; `coverage`, 0..1, is the share that was measured. */
export type WindowRate = TierWindow & { coverage: number }

/** Start times of the stored days and hours. */
export type StoredStarts = { days: ReadonlySet<number>; hours: ReadonlySet<number> }

/** Burn rates of SLOs over windows of these lengths that end at `endSeconds`, now: by SLO id, then by seconds. */
export async function sumRates(
  db: Db,
  requests: { planned: PlannedSlo; lengths: number[] }[],
  endSeconds: number,
  memory: LedgerCache,
): Promise<Map<number, Map<number, WindowRate>>> {
  const windows = requests.flatMap(({ planned, lengths }) => {
    const { id: sloId, revision } = planned.slo
    return lengths.map((seconds) => {
      return { sloId, revision, startSeconds: endSeconds - seconds, endSeconds, planned, seconds }
    })
  })
  const sums = await sumWindows(db, windows, endSeconds, new Map(), memory)
  const rates = new Map(requests.map(({ planned }) => [planned.slo.id, new Map<number, WindowRate>()]))
  windows.forEach(({ sloId, planned, seconds }, n) => {
    const sum = sums[n]
    if (sum) rates.get(sloId)?.set(seconds, rateOfSum(planned, sum, seconds))
  })
  return rates
}

/** Burn rate of a sum over so many seconds. */
export function rateOfSum({ slo, plan }: PlannedSlo, sum: WindowSum, seconds: number): WindowRate {
  const sli = sliOfSum(sum, seconds)
  const isKnown = sli.reason !== 'no_data' && countsEvents(plan)
  return {
    rate: burnRateOfWindow(sli, slo.target),
    badEvents: isKnown ? Math.max(0, Math.round(sum.total - sum.good)) : null,
    coverage: sli.coverage,
  }
}

/**
 * Sums each window, in order, in four statements at most. `read`: sums of the same SLOs that were read shortly before.
 * `memory`: cache of evaluated SLOs.
 */
export async function sumWindows(
  db: Db,
  windows: LedgerWindow[],
  nowSeconds: number,
  read: ReadRanges = new Map(),
  memory?: LedgerCache,
): Promise<WindowSum[]> {
  const known = windows.map((window) => ({ window, part: storedPart(window, nowSeconds) }))
  const measured = new Map<string, Measured>()
  const placed = known.map(({ window: { sloId, revision }, part }) => {
    const make = () => {
      const known = memory?.find({ sloId, revision }, nowSeconds)
      return { sloId, revision, parts: [], stored: { days: none, hours: none }, known }
    }
    const of = measured.getOrInsertComputed(`${sloId} ${revision}`, make)
    of.parts.push(part)
    return { of, part }
  })
  const all = [...measured.values()]
  await addStored(db, day, all, ({ parts }) => parts)
  await addStored(db, hour, all, leftByDays)
  const lists = placed.map(({ of, part }) => ({ of, spans: spansOf(part, of.stored) }))
  const sums = await sumLists(db, lists, read)
  return sums.map((ofWindow, n) => sumSpans(ofWindow, windows[n]?.isStep ?? false))
}

const none: ReadonlySet<number> = new Set()

type Measured = SloRevision & { parts: Window[]; stored: StoredStarts; known: CachedSlo | undefined }

/** Adds the start times of stored buckets of one length in these parts of each measurement. Overlapping parts are read once. */
async function addStored(
  db: Db,
  resolution: 3600 | 86_400,
  measured: Measured[],
  partsOf: (of: Measured) => Window[],
): Promise<void> {
  const name = resolution === day ? 'days' : 'hours'
  const sought = measured.flatMap((of) => {
    const spans = joinedSpans(partsOf(of), resolution)
    const coarse = of.known?.coarse
    const key = coarse ? spans.map(({ startSeconds, endSeconds }) => `${startSeconds} ${endSeconds}`).join() : ''
    const known = coarse?.starts[resolution]
    if (known?.spans === key) of.stored = { ...of.stored, [name]: known.starts }
    return known?.spans === key ? [] : [{ of, spans, coarse, key }]
  })
  const ranges = sought.flatMap(({ of: { sloId, revision }, spans }) =>
    spans.map((span) => ({ ...span, sloId, revision })),
  )
  const found = await listStarts(db, ranges)
  let place = 0
  for (const { of, spans, coarse, key } of sought) {
    const starts = new Set(found.slice(place, (place += spans.length)).flat())
    of.stored = { ...of.stored, [name]: starts }
    if (coarse) coarse.starts[resolution] = { spans: key, starts }
  }
}

/** Whole buckets inside any of the windows, adjacent ones joined. */
function joinedSpans(windows: Window[], resolution: Resolution): Span[] {
  const spans = windows.flatMap((window) => wholeBuckets(window, resolution) ?? [])
  const joined: Span[] = []
  for (const span of spans.toSorted((a, b) => a.startSeconds - b.startSeconds)) {
    const last = joined.at(-1)
    if (last && span.startSeconds <= last.endSeconds) last.endSeconds = Math.max(last.endSeconds, span.endSeconds)
    else joined.push(span)
  }
  return joined
}

/** Parts that no stored day covers: days that are not stored, and days in which a window begins or ends. */
function leftByDays({ parts, stored: { days } }: Measured): Window[] {
  const cut = parts.flatMap(({ startSeconds, endSeconds }) => [
    { startSeconds, endSeconds: Math.min(endSeconds, ceilTo(startSeconds, day)) },
    { startSeconds: Math.max(startSeconds, floorTo(endSeconds, day)), endSeconds },
  ])
  const missing = joinedSpans(parts, day).flatMap((span) => spansOf(span, { days, hours: new Set() }))
  return [...cut, ...missing.filter(({ resolution }) => resolution === minute)]
}

/** Sum of a window from the sums of its spans, oldest first. `keepsLead`: it is a step of a series. */
export function sumSpans(sums: RangeSum[], keepsLead: boolean): WindowSum {
  const window = { good: 0, total: 0, coveredSeconds: 0 }
  for (const sum of sums) {
    const leads = !keepsLead && window.coveredSeconds === 0 && sum.coveredSeconds > 0
    window.good += leads ? sum.good - sum.leadGood : sum.good
    window.total += leads ? sum.total - sum.leadTotal : sum.total
    window.coveredSeconds += sum.coveredSeconds
  }
  return { ...window, good: Math.max(0, window.good), total: Math.max(0, window.total) }
}

/**
 * Fewest buckets that cover a window exactly once, oldest first, adjacent ones of one length joined. A day or an hour that is
 * not stored is replaced by finer buckets; minutes are taken, stored or not.
 */
export function spansOf({ startSeconds, endSeconds }: Window, { days, hours }: StoredStarts): Span[] {
  const spans: Span[] = []
  const isSparse = (days.size * day + hours.size * hour) * 2 < endSeconds - startSeconds // such as of a young SLO
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
 * Part of a window that the ledger still has: an end in a time without minutes (or hours) moves inward to a whole hour (or
 * day). Empty if nothing remains.
 */
export function storedPart({ startSeconds, endSeconds }: Window, nowSeconds: number): Window {
  const from = ceilTo(startSeconds, finestStoredResolution(startSeconds, nowSeconds))
  return {
    startSeconds: from,
    endSeconds: Math.max(from, floorTo(endSeconds, finestStoredResolution(endSeconds, nowSeconds))),
  }
}

/** Finest resolution that is still kept at a time. */
export function finestStoredResolution(timeSeconds: number, nowSeconds: number): Resolution {
  if (timeSeconds >= nowSeconds - minutesKeptSeconds) return minute
  return timeSeconds >= nowSeconds - hoursKeptSeconds ? hour : day
}
