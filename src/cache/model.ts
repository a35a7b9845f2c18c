import { type Static, t } from 'elysia'
import { PageQuery } from '../http/paging.ts'
import { Format, isText, OneOf, QueryNumber, Text, WholeNumber } from '../http/schemas.ts'
import { type CacheConfig as Config, minCleanupIntervalMs, maxEntries } from './configuration/config.ts'
import { maxKeyLength } from './entry.ts'

const nanosecondsInMs = 1_000_000
const maxNanoseconds = 2 ** 53 // up to there a JSON number is exact
const maxSloId = 999_999_999_999_999
const keyDescription = `1 to ${maxKeyLength} characters, no control characters`

/**
 * True for a valid key. A key may begin and end with blanks, which `isText` refuses: hence the `_` around it. U+FFFD is refused: in
 * a path it stands for bytes that are not UTF-8, so such a key could not be requested.
 */
function isKey(value: string): boolean {
  const max = maxKeyLength + 2
  return value.length > 0 && value.length <= maxKeyLength && !value.includes('\ufffd') && isText(`_${value}_`, { max })
}

const Key = Format('cache-key', keyDescription, isKey)

/** A whole number of nanoseconds. It is stored in milliseconds, rounded up. */
function nanosecondsFrom(minimum: number) {
  const description = `whole nanoseconds, ${minimum} to 2^53`
  return t.Number({ multipleOf: 1, minimum, maximum: maxNanoseconds, description })
}

const Nanoseconds = nanosecondsFrom(1)

/** Milliseconds, rounded up. */
export function msOf(nanoseconds: number): number {
  return Math.ceil(nanoseconds / nanosecondsInMs)
}

/** Nanoseconds, at most the maximum of requests, which a value rounded up to milliseconds could exceed. */
export function nanosecondsOf(ms: number): number {
  return Math.min(ms * nanosecondsInMs, maxNanoseconds)
}

/** The SLO need not exist; 0: the entry belongs to none. */
const SloId = t.Number({
  multipleOf: 1,
  minimum: 0,
  maximum: maxSloId,
  description: 'an SLO id, or 0 for none',
})
const Query = Text({ max: 10_000, lines: 'many' })
const TimeWindow = Text({ max: 50 })

export const KeyParams = t.Object({ key: Key })

export const EntryCreation = t.Object(
  {
    key: Key,
    query: Query,
    slo_id: SloId,
    time_window: TimeWindow,
    result: t.Unknown({ description: 'any JSON' }),
    ttl: t.Optional(Nanoseconds),
  },
  {
    title: 'CacheEntryCreation',
    examples: [
      { key: 'report/42', query: 'up', slo_id: 0, time_window: '1h', result: { value: 1 }, ttl: 300_000_000_000 },
    ],
  },
)

export const EntriesQuery = t.Object({
  ...PageQuery,
  slo_id: t.Optional(QueryNumber({ min: 0, max: maxSloId })),
  fresh: t.Optional(OneOf(['true', 'false'])),
})

export const Invalidation = t.Object(
  {
    type: OneOf(['key', 'slo', 'pattern', 'expired', 'all']),
    key: t.Optional(Key),
    slo_id: t.Optional(SloId),
    pattern: t.Optional(Key),
  },
  { title: 'CacheInvalidation', examples: [{ type: 'pattern', pattern: 'report/*' }] },
)
export type Invalidation = Static<typeof Invalidation>

export const WarmupRequest = t.Object(
  {
    queries: t.Array(t.Object({ query: Query, slo_id: SloId, time_window: TimeWindow, ttl: t.Optional(Nanoseconds) }), {
      maxItems: 100,
      description: 'at most 100 queries',
    }),
  },
  { title: 'CacheWarmup', examples: [{ queries: [{ query: 'up', slo_id: 0, time_window: '1h' }] }] },
)

const Bool = t.Boolean({ description: 'true or false' })

export const CacheConfig = t.Object(
  {
    default_ttl: Nanoseconds,
    max_entries: WholeNumber({ min: 1, max: maxEntries }),
    cleanup_interval: nanosecondsFrom(minCleanupIntervalMs * nanosecondsInMs),
    enable_memory_cache: Bool,
    enable_compression: Bool,
    compression_threshold: WholeNumber({ min: 0, max: 1_000_000_000 }),
    enable_warmup: Bool,
    analytics_retention: Nanoseconds,
  },
  { title: 'CacheConfig' },
)
export const ConfigUpdate = t.Partial(CacheConfig, { title: 'CacheConfigUpdate', examples: [{ max_entries: 5000 }] })
export type ConfigUpdate = Static<typeof ConfigUpdate>

/** Converts the fields of an update that are set. */
export function configOf(update: ConfigUpdate): Partial<Config> {
  const { default_ttl, max_entries, cleanup_interval, analytics_retention } = update
  return {
    ...(default_ttl === undefined ? {} : { defaultTtlMs: msOf(default_ttl) }),
    ...(max_entries === undefined ? {} : { maxEntries: max_entries }),
    ...(cleanup_interval === undefined ? {} : { cleanupIntervalMs: msOf(cleanup_interval) }),
    ...(update.enable_memory_cache === undefined ? {} : { enableMemoryCache: update.enable_memory_cache }),
    ...(update.enable_compression === undefined ? {} : { enableCompression: update.enable_compression }),
    ...(update.compression_threshold === undefined ? {} : { compressionThreshold: update.compression_threshold }),
    ...(update.enable_warmup === undefined ? {} : { enableWarmup: update.enable_warmup }),
    ...(analytics_retention === undefined ? {} : { analyticsRetentionMs: msOf(analytics_retention) }),
  }
}
