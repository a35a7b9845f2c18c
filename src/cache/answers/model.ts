import { type Static, t, type TSchema } from 'elysia'
import { isoTime, isoTimeOrNull } from '../../clock.ts'
import type { CacheConfig as Config } from '../configuration/config.ts'
import { type CacheEntry, type EntrySummary, isFresh } from '../entry.ts'
import { CacheConfig, nanosecondsOf } from '../model.ts'
import type { CacheStatistics } from './statistics.ts'
import { PageFields } from '../../http/paging.ts'

const responseOf = <T extends TSchema>(data: T) => t.Object({ success: t.Literal(true), data })
const done = { success: t.Literal(true), message: t.String() }
export const DoneResponse = t.Object(done)
export const ConfigResponse = responseOf(CacheConfig)

const listed = {
  key: t.String(),
  query: t.String(),
  slo_id: t.Number(),
  time_window: t.String(),
  cached_at: t.String(),
  expires_at: t.Nullable(t.String()),
  hit_count: t.Number(),
  is_fresh: t.Boolean(),
}
export const EntryResponse = responseOf(
  t.Object({ ...listed, query_hash: t.String(), last_hit: t.Nullable(t.String()), result: t.Unknown() }),
)
export const EntriesResponse = responseOf(
  t.Object({
    entries: t.Array(t.Object(listed)),
    ...PageFields,
  }),
)
export const InvalidationResponse = t.Object({
  ...done,
  data: t.Object({
    type: t.String(),
    invalidations: t.Number({ description: 'how many entries were deleted' }),
    timestamp: t.String(),
  }),
})
export const WarmupResponse = t.Object({
  ...done,
  data: t.Object({
    queries_warmed: t.Number({ description: 'how many answers are kept' }),
    failed: t.Array(t.Object({ query: t.String(), error: t.String() })),
    timestamp: t.String(),
  }),
})
export const StatisticsResponse = responseOf(
  t.Object({
    total_entries: t.Number({ description: 'how many entries there are, fresh or expired' }),
    total_hits: t.Number({ description: 'how many lookups were answered from the cache, ever' }),
    total_misses: t.Number({ description: 'how many lookups were not answered from the cache, ever' }),
    hit_rate: t.Number({
      description: 'share of all lookups that were answered from the cache, 0 to 1; 0 without lookups',
    }),
    average_ttl: t.Number({ description: 'nanoseconds from being stored to expiring, of entries that expire' }),
    average_entry_size: t.Number({ description: 'bytes of JSON text' }),
    memory_usage_mb: t.Number({ description: 'what the memory tier holds, in units of 1,048,576 bytes' }),
    is_fresh_count: t.Number(),
    expired_count: t.Number(),
    hot_entries_count: t.Number(),
    cold_entries_count: t.Number(),
    dropped_entries: t.Number({ description: 'how many damaged entries were dropped, ever' }),
  }),
)

/** `expires_at` is null for an entry that never expires. */
export function presentSummary(entry: EntrySummary, nowMs: number) {
  return {
    key: entry.key,
    query: entry.query,
    slo_id: entry.sloId,
    time_window: entry.timeWindow,
    cached_at: isoTime(entry.cachedAtMs),
    expires_at: isoTimeOrNull(entry.expiresAtMs),
    hit_count: entry.hitCount,
    is_fresh: isFresh(entry, nowMs),
  }
}

export function presentEntry(entry: CacheEntry, nowMs: number) {
  const result: unknown = JSON.parse(entry.result)
  const lastHit = isoTimeOrNull(entry.lastHitMs)
  return { ...presentSummary(entry, nowMs), query_hash: entry.queryHash, last_hit: lastHit, result }
}

/** `average_ttl` is in nanoseconds, of entries that expire; sizes are in bytes of JSON text. */
export function presentStatistics(statistics: CacheStatistics) {
  return {
    total_entries: statistics.totalEntries,
    total_hits: statistics.totalHits,
    total_misses: statistics.totalMisses,
    hit_rate: statistics.hitRate,
    average_ttl: nanosecondsOf(statistics.averageTtlMs),
    average_entry_size: statistics.averageEntryBytes,
    memory_usage_mb: statistics.memoryBytes / 1_048_576,
    is_fresh_count: statistics.freshCount,
    expired_count: statistics.expiredCount,
    hot_entries_count: statistics.hotCount,
    cold_entries_count: statistics.coldCount,
    dropped_entries: statistics.totalDropped,
  }
}

export function presentConfig(config: Config): Static<typeof CacheConfig> {
  return {
    default_ttl: nanosecondsOf(config.defaultTtlMs),
    max_entries: config.maxEntries,
    cleanup_interval: nanosecondsOf(config.cleanupIntervalMs),
    enable_memory_cache: config.enableMemoryCache,
    enable_compression: config.enableCompression,
    compression_threshold: config.compressionThreshold,
    enable_warmup: config.enableWarmup,
    analytics_retention: nanosecondsOf(config.analyticsRetentionMs),
  }
}
