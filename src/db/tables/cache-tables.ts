import type { Flag, Once } from './enums.ts'

/** Tables of the cache of query results. */
export type CacheTables = {
  cache_entries: {
    id: Once<number>
    organization_id: Once<number>
    key: Once<string>
    query_hash: Once<string>
    query: Once<string>
    slo_id: Once<number>
    time_window: Once<string>
    size_bytes: Once<number>
    cached_at: Once<number>
    expires_at: Once<number | null>
    hit_count: number
    last_hit_at: number | null
    used: number
  }
  cache_results: {
    entry_id: Once<number>
    is_gzip: Once<Flag>
    checksum: Once<string>
    result: Once<Uint8Array>
  }
  cache_hits: { organization_id: Once<number>; key: Once<string>; hour: Once<number>; hits: number }
  cache_counters: { organization_id: Once<number>; hits: number; misses: number; dropped: number }
  cache_config: {
    id: Once<number>
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
