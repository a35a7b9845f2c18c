import { dayMs, minuteMs } from '../../clock.ts'
import type { Db } from '../../db/open.ts'
import { flag } from '../../db/tables/tables.ts'

/** Cache configuration of the instance; durations in milliseconds, `compressionThreshold` in bytes of JSON text. */
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

const defaultConfig: CacheConfig = {
  defaultTtlMs: 5 * minuteMs,
  maxEntries: 10_000,
  cleanupIntervalMs: minuteMs,
  enableMemoryCache: true,
  enableCompression: true,
  compressionThreshold: 1024,
  enableWarmup: false,
  analyticsRetentionMs: 7 * dayMs,
}

/** Upper limit of `maxEntries`: every entry takes some 300 bytes of memory, also one that is on disk. */
export const maxEntries = 100_000

/** Lower limit of `cleanupIntervalMs`; the timetable does not check more often. */
export const minCleanupIntervalMs = 1000

/** Returns the defaults as long as nobody has changed anything. */
export async function getConfig(db: Db): Promise<CacheConfig> {
  const row = await db.selectFrom('cache_config').selectAll().executeTakeFirst()
  if (!row) return defaultConfig
  return {
    defaultTtlMs: row.default_ttl,
    maxEntries: row.max_entries,
    cleanupIntervalMs: Math.max(row.cleanup_interval, minCleanupIntervalMs), // older versions stored less
    enableMemoryCache: row.enable_memory_cache === 1,
    enableCompression: row.enable_compression === 1,
    compressionThreshold: row.compression_threshold,
    enableWarmup: row.enable_warmup === 1,
    analyticsRetentionMs: row.analytics_retention,
  }
}

export async function putConfig(trx: Db, config: CacheConfig): Promise<void> {
  await trx
    .replaceInto('cache_config')
    .values({
      id: 1,
      default_ttl: config.defaultTtlMs,
      max_entries: config.maxEntries,
      cleanup_interval: config.cleanupIntervalMs,
      enable_memory_cache: flag(config.enableMemoryCache),
      enable_compression: flag(config.enableCompression),
      compression_threshold: config.compressionThreshold,
      enable_warmup: flag(config.enableWarmup),
      analytics_retention: config.analyticsRetentionMs,
    })
    .execute()
}
