import type { AppError } from '../errors.ts'

/** Length of a bucket in seconds: a minute, an hour, a day. */
export type Resolution = 60 | 3600 | 86_400

/**
 * Measurements of one SLO in `[startSeconds, startSeconds + resolution)`, aligned to UTC. `good` and `total` are events, or
 * covered seconds (`good`: times the SLI) if the query counts no events. Covered time with a total of 0 is no traffic. A bucket
 * that covers 0 seconds means that the source was queried and had nothing.
 *
 * `leadGood` and `leadTotal` are the part of `good` and `total` that the first sample of the bucket added: events since the
 * last sample before it. `rate` over a window does not include it, so a window that begins with this bucket leaves it out.
 */
export type Bucket = {
  startSeconds: number
  good: number
  total: number
  coveredSeconds: number
  leadGood: number
  leadTotal: number
}

/** `[startSeconds, endSeconds)` in buckets of one length; both are multiples of it. */
export type Span = { resolution: Resolution; startSeconds: number; endSeconds: number }

/**
 * Answer of a source for one SLO: its buckets, oldest first, or the error. `firstBreakStart` is the start of the first bucket in
 * which series appeared, disappeared or were reset, so that its events may be counted a little short, and `lastBreakEnd` the end
 * of the last; null: there is none. `intervalSeconds`: sample interval of the slowest series, if known.
 */
export type MeasuredBuckets =
  | { buckets: Bucket[]; firstBreakStart: number | null; lastBreakEnd: number | null; intervalSeconds?: number }
  | { error: AppError }

export const minute = 60 as const
export const hour = 3600 as const
export const day = 86_400 as const

export const minutesKeptSeconds = 74 * hour // three days for the longest burn rate window, and hours not closed yet
export const hoursKeptSeconds = 35 * day

/** Bucket of a time for which the source had nothing. */
export function emptyBucket(startSeconds: number): Bucket {
  return { startSeconds, good: 0, total: 0, coveredSeconds: 0, leadGood: 0, leadTotal: 0 }
}

/** Buckets in which no counter appeared, disappeared or was reset. */
export function withoutBreaks(buckets: Bucket[]): MeasuredBuckets {
  return { buckets, firstBreakStart: null, lastBreakEnd: null }
}

/** Ends of a span's buckets. */
export function endsOf({ resolution, startSeconds, endSeconds }: Span): number[] {
  const count = Math.max(0, Math.floor((endSeconds - startSeconds) / resolution))
  return Array.from({ length: count }, (_, at) => startSeconds + (at + 1) * resolution)
}

/** Hour or day from `startSeconds` on: the sum of its finer buckets, or the bucket itself. */
export function sumBuckets(buckets: Bucket[], startSeconds: number, resolution: Resolution): Bucket {
  const sum = emptyBucket(startSeconds)
  for (const bucket of buckets) {
    const isInside = bucket.startSeconds >= startSeconds && bucket.startSeconds < startSeconds + resolution
    if (!isInside || bucket.coveredSeconds === 0) continue
    if (sum.coveredSeconds === 0) [sum.leadGood, sum.leadTotal] = [bucket.leadGood, bucket.leadTotal]
    sum.good += bucket.good
    sum.total += bucket.total
    sum.coveredSeconds += bucket.coveredSeconds
  }
  return sum
}

/** Day from `startSeconds` on: the sum of its hours if they cover all of it; otherwise this sum or `measuredDay`, whichever has more in total. */
export function dayOf(
  startSeconds: number,
  hours: Omit<Bucket, 'startSeconds'>,
  measuredDay: Bucket | undefined,
): Bucket {
  const isLacking = hours.coveredSeconds < day
  return isLacking && measuredDay && measuredDay.total > hours.total ? measuredDay : { ...hours, startSeconds }
}

export function floorTo(seconds: number, step: number): number {
  return Math.floor(seconds / step) * step
}

export function ceilTo(seconds: number, step: number): number {
  return Math.ceil(seconds / step) * step
}
