/** Where time comes from: milliseconds since the Unix epoch. Tests replace it. */
export type Clock = { now(): number }

export const systemClock: Clock = { now: () => Date.now() }

/** Measures how long things take, whatever happens to the clock: milliseconds since some time or other. */
export const stopwatch: Clock = { now: () => performance.now() }

/** A smaller difference is that of two readings, or of a clock that is being adjusted. */
export const minJumpMs = 2000

/** Gives by how much the clock has jumped since the last call, in ms: ahead is positive, 0 is not at all. */
export function createJumpWatch({ clock, stopwatch: passing }: { clock: Clock; stopwatch: Clock }): () => number {
  const apart = () => clock.now() - passing.now()
  let before = apart()
  return () => {
    const jumpMs = apart() - before
    before += jumpMs
    return Math.abs(jumpMs) < minJumpMs ? 0 : Math.round(jumpMs)
  }
}

/** A timestamp of the API: ISO 8601 in UTC, with milliseconds. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString()
}

/** Likewise; null where there is none. */
export function isoTimeOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : isoTime(timeMs)
}
