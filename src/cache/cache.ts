import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { AppError } from '../errors.ts'
import { quotaExceeded } from '../quotas.ts'
import { deleteHitsBefore, type HotEntry, listHottest } from './answers/analytics-store.ts'
import type { CacheConfig } from './configuration/config.ts'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import { type CacheEntry, assertName, assertResult, type EntryName, isFresh } from './entry.ts'
import { type EntryPage, type EntryPageQuery, listPage } from './entry-store.ts'
import { nameMatcher, recordMatcher, type Removal } from './removal.ts'
import { type CacheDeps, type Entries, type FoundEntry, openEntries, type RecordChange } from './tiers/entries.ts'
import { type CacheStatistics, statisticsOf } from './answers/statistics.ts'
import { hourMs } from '../clock.ts'

/** A name, and how long the result stays fresh; null: forever, default: the configured time. */
type NewEntry = EntryName & { ttlMs?: number | null | undefined }

/** `value` is parsed JSON, or as it was computed if that is not cacheable. Do not change it: concurrent callers share it. */
type CachedValue = { value: unknown; source: 'memory' | 'disk' | 'computed' }

/** Bytes of an organization's results, as JSON text; `memoryBytes`: of those in memory. */
type CachedBytes = { bytes: number; memoryBytes: number }

/** Results of queries in two tiers, memory and disk. An organization has access to its own entries only. */
export type Cache = {
  /**
   * The fresh value of a key, or the one that `compute` gives, whose JSON is stored if it is `isCacheable`. Concurrent callers
   * share one computation, and its failure. A failure is not stored, nor is a value whose key is invalidated while it is
   * computed. If the database fails, the value is computed.
   */
  getOrCompute(entry: NewEntry, compute: () => Promise<{ value: unknown; isCacheable: boolean }>): Promise<CachedValue>
  /** An entry, fresh or not; counts as a hit and a use. If there is none, returns null and counts a miss. */
  read(organizationId: number, key: string): Promise<CacheEntry | null>
  /**
   * Keeps a result, JSON text, byte for byte. Throws `invalid` if it is not JSON or the key is out of bounds, `too_large` if it
   * exceeds 16 MiB, and `conflict` if it alone exceeds the quota of its organization.
   */
  put(entry: NewEntry & { result: string }): Promise<void>
  /** Like `put`, and resolves when the entry is on disk. If the disk refuses it, throws and does not keep the entry. */
  store(entry: NewEntry & { result: string }): Promise<void>
  /** Latest first. */
  list(organizationId: number, query: EntryPageQuery): Promise<EntryPage>
  /** Removes entries and returns their number. Once it resolves, no restart brings them back. */
  remove(organizationId: number, removal: Removal): Promise<number>
  statistics(organizationId: number): Promise<CacheStatistics>
  /** Bytes of an organization's results, as JSON text. */
  bytesOf(organizationId: number): Promise<number>
  /** `bytesOf` of all organizations that have results, and the bytes of those that are in memory. */
  bytesByOrganization(): Promise<Map<number, CachedBytes>>
  /** The highest `bytesOf` of any organization. */
  maxBytes(): Promise<number>
  config(): Promise<CacheConfig>
  /**
   * Takes effect at once and after a restart. If fewer entries fit, the least recently used of the organization with the most
   * are removed. The caller has checked the values.
   */
  configure(changes: Partial<CacheConfig>, recordChange?: RecordChange): Promise<void>
  /** Removes expired entries of all organizations and old analytics. Returns the number of entries removed. */
  cleanUp(): Promise<number>
  /** Cleans up if the configured interval has passed since the last time. */
  cleanUpWhenDue(): Promise<void>
  /**
   * Entries with the most hits within the analytics retention, fresh or not, of all organizations: for the warmup at the start.
   */
  hottest(limit: number): Promise<HotEntry[]>
  /** Writes pending changes. */
  flush(): Promise<void>
  /** Writes pending changes for the last time; later ones stay in memory. */
  drain(): Promise<void>
}

const hitsPerBatch = 1000

export function createCache(deps: CacheDeps): Cache {
  const { db, clock, log, metrics, maxBytesOfOrganization = Infinity, assertWritable = () => {} } = deps
  const computations = createSingleFlight<unknown, EntryName>()
  let opened: Entries | undefined
  let opening: Promise<Entries> | undefined
  let lastCleanUpMs = clock.now()
  let isClosed = false

  /** Opens the entries once. After a failure, the next call tries again. */
  async function open(): Promise<Entries> {
    if (opened) return opened
    if (isClosed) throw stopping()
    opening ??= openEntries(deps).then(
      (entries) => (opened = entries),
      (error) => {
        opening = undefined
        throw error
      },
    )
    return opening
  }

  /** Undefined if the database cannot be read; the caller then works without the cache. */
  async function unlessUnreadable<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read()
    } catch (error) {
      log.error('the cache could not be read', { error })
      return undefined
    }
  }

  async function findFresh(entries: Entries | undefined, name: EntryName): Promise<FoundEntry | undefined> {
    const record = entries?.find(name)
    if (!entries || !record || !isFresh(record, clock.now())) return undefined
    const content = await unlessUnreadable(() => entries.read(record))
    if (content) entries.hit(record)
    return content
  }

  return {
    async getOrCompute(entry, compute) {
      const entries = await unlessUnreadable(open)
      const entryContent = await findFresh(entries, entry)
      if (entryContent) return { value: JSON.parse(entryContent.content.result), source: entryContent.source }
      entries?.count(entry.organizationId, 'misses')
      assertName(entry)
      const work = async (isCurrent: () => boolean) => {
        const { value, isCacheable } = await compute()
        if (!isCacheable) return value
        const text = JSON.stringify(value) ?? 'null'
        if (isCurrent()) entries?.put(entry, text, entry.ttlMs)
        await entries?.waitForCapacity()
        return JSON.parse(text)
      }
      return {
        value: await computations.join(`${entry.organizationId}:${entry.key}`, work, entry),
        source: 'computed',
      }
    },

    async read(organizationId, key) {
      const entries = await open()
      const record = entries.find({ organizationId, key })
      const content = record && (await entries.read(record))
      if (!record || !content) {
        entries.count(organizationId, 'misses')
        return null
      }
      entries.hit(record)
      return { ...content.content, hitCount: record.hitCount, lastHitMs: record.lastHitMs }
    },

    async put(entry) {
      const { entries } = await put(entry)
      await entries.waitForCapacity()
    },

    async store(entry) {
      assertWritable()
      const { entries, record } = await put(entry)
      try {
        await entries.flush()
        if (isClosed) throw stopping() // the entry may have come too late for the last flush
      } catch (error) {
        entries.remove(record)
        throw error
      }
    },

    async list(organizationId, query) {
      const { records } = await open()
      return listPage(db.read, records.of(organizationId), query, clock.now())
    },

    async remove(organizationId, removal) {
      const entries = await open()
      computations.abandon(nameMatcher(organizationId, removal))
      const matching = entries.records.of(organizationId).filter(recordMatcher(organizationId, removal, clock.now()))
      matching.forEach(entries.remove)
      await entries.flush()
      return matching.length
    },

    statistics: async (organizationId) => statisticsOf(db.read, await open(), organizationId, clock.now()),

    bytesOf: async (organizationId) => (await unlessUnreadable(open))?.records.weightOf(organizationId) ?? 0,

    async bytesByOrganization() {
      const entries = await unlessUnreadable(open)
      const bytesOf = (id: number): CachedBytes => ({
        bytes: entries?.records.weightOf(id) ?? 0,
        memoryBytes: entries?.memoryBytesOf(id) ?? 0,
      })
      return new Map(entries?.records.owners().map((id) => [id, bytesOf(id)]))
    },

    async maxBytes() {
      const { records } = (await unlessUnreadable(open)) ?? {}
      return Math.max(0, ...(records?.owners().map(records.weightOf) ?? []))
    },

    config: async () => (await open()).config(),

    configure: async (changes, recordChange = async () => {}) => (await open()).configure(changes, recordChange),

    cleanUp,

    async cleanUpWhenDue() {
      const { cleanupIntervalMs } = (await open()).config()
      if (Math.abs(clock.now() - lastCleanUpMs) >= cleanupIntervalMs) await cleanUp()
    },

    async hottest(limit) {
      const entries = await open()
      await entries.flush()
      return listHottest(db.read, Math.floor((clock.now() - entries.config().analyticsRetentionMs) / hourMs), limit)
    },

    flush: async () => opened?.flush(),

    async drain() {
      isClosed = true
      await opening?.catch(() => {})
      await opened?.drain()
    },
  }

  async function put({ result, ttlMs, ...name }: NewEntry & { result: string }) {
    assertName(name)
    assertResult(result)
    if (Buffer.byteLength(result) > maxBytesOfOrganization) {
      metrics?.quotaRefused('cache_bytes')
      throw quotaExceeded('cache_bytes', maxBytesOfOrganization)
    }
    const entries = await open()
    return { entries, record: entries.put(name, result, ttlMs) }
  }

  async function cleanUp() {
    const entries = await open()
    lastCleanUpMs = clock.now()
    const stale = entries.records.all().filter((record) => !isFresh(record, lastCleanUpMs))
    stale.forEach(entries.remove)
    await entries.flush()
    const oldestHour = Math.floor((lastCleanUpMs - entries.config().analyticsRetentionMs) / hourMs)
    for (;;) {
      if (isClosed) return stale.length
      const deletedCount = await deleteHitsBefore(db.write, oldestHour, hitsPerBatch)
      if (deletedCount < hitsPerBatch) return stale.length
      await yieldToEventLoop()
    }
  }
}

const stopping = () => new AppError('unavailable', 'nines is stopping')
