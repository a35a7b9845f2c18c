/** Source of time, in milliseconds since the Unix epoch. Tests replace it. */
export type Clock = { now(): number }

export const systemClock: Clock = { now: () => Date.now() }

/** Measures durations, unaffected by clock changes: milliseconds since an arbitrary point. */
export const stopwatch: Clock = { now: () => performance.now() }

export const minuteMs = 60_000
export const hourMs = 3_600_000
export const dayMs = 86_400_000

/** Start of the minute of a time, in Unix seconds. */
export function minuteStartSeconds(timeMs: number): number {
  return Math.floor(timeMs / minuteMs) * 60
}

/** Least change that counts as a jump: a smaller one comes from the delay between two readings, or from a clock being adjusted. */
export const minJumpMs = 2000

/** Creates a function that returns the clock's jump since its last call, in ms: positive if ahead, 0 if there was none. */
export function createJumpWatch({ clock, stopwatch: monotonic }: { clock: Clock; stopwatch: Clock }): () => number {
  const differenceMs = () => clock.now() - monotonic.now()
  let lastDifferenceMs = differenceMs()
  return () => {
    const jumpMs = differenceMs() - lastDifferenceMs
    lastDifferenceMs += jumpMs
    return Math.abs(jumpMs) < minJumpMs ? 0 : Math.round(jumpMs)
  }
}

/** Timestamp as in the API: ISO 8601 in UTC, with milliseconds. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString()
}

/** Like `isoTime`; null stays null. */
export function isoTimeOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : isoTime(timeMs)
}
