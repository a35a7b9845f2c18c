import type { Flag, InsertOnly } from './enums.ts'

/** Tables of the cache of query results. */
export type CacheTables = {
  cache_entries: {
    id: InsertOnly<number>
    organization_id: InsertOnly<number>
    key: InsertOnly<string>
    query_hash: InsertOnly<string>
    query: InsertOnly<string>
    slo_id: InsertOnly<number>
    time_window: InsertOnly<string>
    size_bytes: InsertOnly<number>
    cached_at: InsertOnly<number>
    expires_at: InsertOnly<number | null>
    hit_count: number
    last_hit_at: number | null
    used: number
  }
  cache_results: {
    entry_id: InsertOnly<number>
    is_gzip: InsertOnly<Flag>
    checksum: InsertOnly<string>
    result: InsertOnly<Uint8Array>
  }
  cache_hits: { organization_id: InsertOnly<number>; key: InsertOnly<string>; hour: InsertOnly<number>; hits: number }
  cache_counters: { organization_id: InsertOnly<number>; hits: number; misses: number; dropped: number }
  cache_config: {
    id: InsertOnly<number>
    default_ttl: number
    max_entries: number
    cleanup_interval: number
    enable_memory_cache: Flag
    enable_compression: Flag
    compression_threshold: number
    enable_warmup: Flag
    analytics_retention: number
  }
}
