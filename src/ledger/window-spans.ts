import type { WindowSum } from '../slos/arithmetic/window-sum.ts'
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
import type { MaybeComposite } from './composite-store.ts'
import type { RangeSum } from './ledger-store.ts'

/** `[startSeconds, endSeconds)`, both whole minutes. */
export type Window = { startSeconds: number; endSeconds: number }

/**
 * A window of one SLO's measurements. The lead of a bucket (`leadGood`, `leadTotal`) is the events that its first sample added:
 * events since the last sample before the bucket. Like `rate`, a window leaves out the lead of the first bucket with data, unless
 * it `keepsLead`, as each step of a series does: otherwise no step would have the events between the samples of two steps.
 */
export type LedgerWindow = MaybeComposite & Window & { keepsLead?: boolean }

/** Start times of the stored days and hours, in seconds. */
export type StoredStarts = { days: ReadonlySet<number>; hours: ReadonlySet<number> }

/** Whole buckets inside any of the windows, adjacent ones joined. */
export function joinedSpans(windows: Window[], resolution: Resolution): Span[] {
  const spans = windows.flatMap((window) => wholeBuckets(window, resolution) ?? [])
  const joined: Span[] = []
  for (const span of spans.toSorted((a, b) => a.startSeconds - b.startSeconds)) {
    const last = joined.at(-1)
    if (last && span.startSeconds <= last.endSeconds) last.endSeconds = Math.max(last.endSeconds, span.endSeconds)
    else joined.push(span)
  }
  return joined
}

/** Sum of a window from the sums of its spans, oldest first. `keepsLead`: see `LedgerWindow`. */
export function sumSpans(sums: RangeSum[], keepsLead: boolean): WindowSum {
  const window = { good: 0, total: 0, coveredSeconds: 0 }
  for (const sum of sums) {
    const dropsLead = !keepsLead && window.coveredSeconds === 0 && sum.coveredSeconds > 0
    window.good += dropsLead ? sum.good - sum.leadGood : sum.good
    window.total += dropsLead ? sum.total - sum.leadTotal : sum.total
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
  const isSparse = (days.size * day + hours.size * hour) * 2 < endSeconds - startSeconds // as for a young SLO
  let startsAhead: number[] | undefined // of stored days and hours after `at`, the nearest last
  let at = startSeconds
  while (at < endSeconds) {
    let resolution: Resolution = minute
    let next = Math.min(endSeconds, floorTo(at, hour) + hour)
    if (days.has(at) && at + day <= endSeconds) [resolution, next] = [day, at + day]
    else if (hours.has(at) && at + hour <= endSeconds) [resolution, next] = [hour, at + hour]
    else if (isSparse) {
      startsAhead ??= [...days, ...hours].toSorted((one, other) => other - one)
      while ((startsAhead.at(-1) ?? endSeconds) <= at) startsAhead.pop()
      next = Math.min(endSeconds, startsAhead.at(-1) ?? endSeconds)
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
 * Part of a window that the ledger still has. A start or end whose minutes (or hours) are no longer kept moves inward to a whole
 * hour (or day). Start and end are equal if nothing remains.
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
