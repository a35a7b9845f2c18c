import type { Db } from '../../db/open.ts'
import { flag } from '../../db/tables/tables.ts'
import { type CacheConfig, defaultConfig, minCleanupIntervalMs } from './config.ts'

/** The defaults, as long as nobody has changed anything. */
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

export async function putConfig(db: Db, config: CacheConfig): Promise<void> {
  await db
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
