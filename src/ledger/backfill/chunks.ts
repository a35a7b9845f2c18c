import { hoursKeptSeconds, type Resolution, type Span } from '../bucket.ts'

const hour = 3600
const day = 86_400
const minutesBackSeconds = 72 * hour // for the longest burn rate

/**
 * What a backfill asks for, newest first: the minutes of three days, the hours of 35, the days of the whole retention. The
 * same end always gives the same chunks, and backfills that end in the same hour share all but the first.
 */
export function backfillChunks(endsAtSeconds: number, retentionDays: number): Span[] {
  const retention = retentionDays * day
  const chunksOf = (resolution: Resolution, backSeconds: number, endSeconds: number, chunkSeconds: number): Span[] => {
    const wholeEnd = floorTo(endSeconds, Math.max(resolution, hour))
    const first = wholeEnd - Math.min(backSeconds, retention)
    const count = Math.ceil((wholeEnd - first) / chunkSeconds)
    return Array.from({ length: count }, (_, at) => ({
      resolution,
      startSeconds: Math.max(first, wholeEnd - (at + 1) * chunkSeconds),
      endSeconds: at === 0 ? floorTo(endSeconds, resolution) : wholeEnd - at * chunkSeconds,
    }))
  }
  return [
    ...chunksOf(60, minutesBackSeconds, endsAtSeconds, 12 * hour),
    ...chunksOf(hour, hoursKeptSeconds, endsAtSeconds, 5 * day),
    ...chunksOf(day, retention, endsAtSeconds, 50 * day),
  ]
}

export function floorTo(seconds: number, step: number): number {
  return Math.floor(seconds / step) * step
}
