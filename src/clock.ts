/** Where time comes from: milliseconds since the Unix epoch. Tests replace it. */
export type Clock = { now(): number }

export const systemClock: Clock = { now: () => Date.now() }

/** Measures how long things take, whatever becomes of the clock: milliseconds since some time or other. */
export const stopwatch: Clock = { now: () => performance.now() }

/** The specification's timestamp: ISO 8601 in UTC, with milliseconds. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString()
}

/** Likewise; null where there is none. */
export function isoTimeOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : isoTime(timeMs)
}
