import { hoursKeptSeconds, minutesKeptSeconds, type Resolution, type Span } from './bucket.ts'

/** `[startSeconds, endSeconds)`, both whole minutes. */
export type Window = { startSeconds: number; endSeconds: number }

/** When the days and hours that are stored begin. */
export type Stored = { days: ReadonlySet<number>; hours: ReadonlySet<number> }

const minute = 60
const hour = 3600
const day = 86_400

/**
 * The fewest buckets that tile a window exactly once, oldest first, neighbours of one length joined. A day or an hour that
 * is not stored falls back to what is finer inside it; minutes are taken as they are, stored or not.
 */
export function spansOf({ startSeconds, endSeconds }: Window, { days, hours }: Stored): Span[] {
  const spans: Span[] = []
  let at = startSeconds
  while (at < endSeconds) {
    let resolution: Resolution = minute
    let next = Math.min(endSeconds, down(at, hour) + hour)
    if (days.has(at) && at + day <= endSeconds) [resolution, next] = [day, at + day]
    else if (hours.has(at) && at + hour <= endSeconds) [resolution, next] = [hour, at + hour]
    const last = spans.at(-1)
    if (last?.resolution === resolution) last.endSeconds = next
    else spans.push({ resolution, startSeconds: at, endSeconds: next })
    at = next
  }
  return spans
}

/** All whole buckets of one length inside a window, stored or not; null: there is none. */
export function wholeBuckets({ startSeconds, endSeconds }: Window, resolution: Resolution): Span | null {
  const span = { resolution, startSeconds: up(startSeconds, resolution), endSeconds: down(endSeconds, resolution) }
  return span.startSeconds < span.endSeconds ? span : null
}

/**
 * What of a window the ledger can still tell: an end that lies where minutes (or hours) are no longer kept moves inward to
 * a whole hour (or day). Empty where nothing is left.
 */
export function knownPart({ startSeconds, endSeconds }: Window, nowSeconds: number): Window {
  const from = up(startSeconds, finestKept(startSeconds, nowSeconds))
  return { startSeconds: from, endSeconds: Math.max(from, down(endSeconds, finestKept(endSeconds, nowSeconds))) }
}

/** The finest buckets that are kept of a time that far back. */
export function finestKept(timeSeconds: number, nowSeconds: number): Resolution {
  if (timeSeconds >= nowSeconds - minutesKeptSeconds) return minute
  return timeSeconds >= nowSeconds - hoursKeptSeconds ? hour : day
}

function up(seconds: number, step: number): number {
  return Math.ceil(seconds / step) * step
}

function down(seconds: number, step: number): number {
  return Math.floor(seconds / step) * step
}
