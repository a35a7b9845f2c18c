/** How the instance caches; durations in milliseconds, `compressionThreshold` in bytes of JSON text. */
export type CacheConfig = {
  defaultTtlMs: number
  maxEntries: number
  cleanupIntervalMs: number
  enableMemoryCache: boolean
  enableCompression: boolean
  compressionThreshold: number
  enableWarmup: boolean
  analyticsRetentionMs: number
}

export const defaultConfig: CacheConfig = {
  defaultTtlMs: 5 * 60_000,
  maxEntries: 10_000,
  cleanupIntervalMs: 60_000,
  enableMemoryCache: true,
  enableCompression: true,
  compressionThreshold: 1024,
  enableWarmup: false,
  analyticsRetentionMs: 7 * 86_400_000,
}

/** What `maxEntries` may be at most: some 300 bytes of memory go to every entry, also to one that is on the disk. */
export const maxEntries = 100_000

/** How often expired entries are looked for at most; the timetable asks no more often. */
export const minCleanupIntervalMs = 1000
