/**
 * Time of the newest point of each metric of each resource, in memory, for the 20,000 metrics sent last. A series of the metric whose
 * first point comes after that time had counted nothing until then.
 */
export type SeenMetrics = {
  /** 0 if it is not known. */
  lastOf(key: string): number
  note(newestMs: ReadonlyMap<string, number>): void
}

const maxMetrics = 20_000

export function createSeenMetrics(): SeenMetrics {
  const seen = new Map<string, number>()
  return {
    lastOf: (key) => seen.get(key) ?? 0,
    note(newestMs) {
      for (const [key, timeMs] of newestMs) {
        const lastMs = Math.max(timeMs, seen.get(key) ?? 0)
        seen.delete(key) // so that the last ones are at the end
        seen.set(key, lastMs)
      }
      for (const key of seen.keys().take(Math.max(0, seen.size - maxMetrics))) seen.delete(key)
    },
  }
}
