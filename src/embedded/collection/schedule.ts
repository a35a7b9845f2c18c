/** When something is due: at `offsetMs` and each `intervalMs` before and after it, on the clock on the wall. */
export type Schedule = { intervalMs: number; offsetMs: number }

/** Spreads what has the same interval over its seconds; the same key is due at the same times after each start. */
export function scheduleOf(key: string, intervalMs: number): Schedule {
  const seconds = Math.max(1, Math.floor(intervalMs / 1000))
  return { intervalMs, offsetMs: (Bun.hash.crc32(key) % seconds) * 1000 }
}

/** The last time at or before this at which it was due. */
export function lastDue({ intervalMs, offsetMs }: Schedule, nowMs: number): number {
  return Math.floor((nowMs - offsetMs) / intervalMs) * intervalMs + offsetMs
}

/** Whether a due time is recent enough to be met yet: after a jump of the clock, or a long sleep, the next one is. */
export function isTimely({ intervalMs }: Schedule, dueMs: number, nowMs: number): boolean {
  return nowMs - dueMs <= Math.min(5000, intervalMs / 2)
}
