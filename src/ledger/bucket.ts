import type { AppError } from '../errors.ts'

/** How long a bucket is, in seconds: a minute, an hour, a day. */
export type Resolution = 60 | 3600 | 86_400

/**
 * What was measured of one SLO in `[startSeconds, startSeconds + resolution)`, aligned to UTC. `good` and `total` are
 * events, or covered seconds (`good`: times the value) where the query counts none. Covered time with a total of 0 is no
 * traffic; a bucket that covers 0 seconds says that the source was asked and had nothing.
 *
 * `lead` is the part of `good` and `total` that the first sample of the bucket brought with it: what happened since the
 * last sample before. `rate` over a window does not see it, so a window that begins with this bucket leaves it out.
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

export const minutesKeptSeconds = 74 * 3600 // three days for the longest burn rate, and the hours that are still open
export const hoursKeptSeconds = 35 * 86_400

/**
 * What a source said of one SLO: its buckets, oldest first, or why there are none. `unsureFrom` is the start of the first
 * bucket in which series came, went or began again, so that its events may be counted a little short, and `unsureUntil` the
 * end of the last; null: none did.
 */
export type MeasuredBuckets =
  { buckets: Bucket[]; unsureFrom: number | null; unsureUntil: number | null } | { error: AppError }
