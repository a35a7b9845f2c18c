import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../errors.ts'
import { quotaExceeded } from '../quotas.ts'
import { deleteHitsBefore, type HotEntry, listHottest } from './answers/analytics-store.ts'
import { idOf } from './catalogue.ts'
import type { CacheConfig } from './configuration/config.ts'
import { type CacheEntry, type EntryName, type EntryRecord, type EntrySummary, isFresh } from './entry.ts'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import { type EntryPage, listPage, type PageWanted } from './listing.ts'
import { nameMatcher, recordMatcher, type Removal } from './removal.ts'
import { checkName, checkResult, openShelf, type RecordChange, type Shelf, type ShelfDeps } from './tiers/shelf.ts'
import { type CacheStatistics, statisticsOf } from './answers/statistics.ts'

export type {
  CacheConfig,
  CacheEntry,
  CacheStatistics,
  EntryName,
  EntryPage,
  EntrySummary,
  HotEntry,
  PageWanted,
  Removal,
}

/** A name, and how long the result stays fresh; null: for ever, default: the configured time. */
export type Wanted = EntryName & { ttlMs?: number | null | undefined }

/** `result` is parsed JSON, to be read only: those who wait for one computation share it. */
export type Remembered = { result: unknown; source: 'memory' | 'disk' | 'computed' }

/** Results of queries in two tiers, memory and disk. An organization sees its own entries only. */
export type Cache = {
  /**
   * A fresh result of that key, or `compute`'s, whose JSON is kept. Many who want the same at once share one computation,
   * and its failure, which is not kept; neither is what is invalidated meanwhile. A database that fails costs the
   * computation, no more.
   */
  remember(want: Wanted, compute: () => Promise<unknown>): Promise<Remembered>
  /** An entry, fresh or not; counts as a hit and a use. Null, and a miss, where there is none. */
  read(organizationId: number, key: string): Promise<CacheEntry | null>
  /**
   * Keeps a result, JSON text, byte for byte. Throws `invalid` for what is no such text, and for a key out of bounds,
   * `too_large` beyond 16 MiB, and `conflict` for what is larger alone than all its organization may have.
   */
  put(entry: Wanted & { result: string }): Promise<void>
  /** As `put`, and once it resolves the entry is on the disk. Where the disk refuses it, throws, and does not keep it. */
  store(entry: Wanted & { result: string }): Promise<void>
  /** The latest first. */
  list(organizationId: number, wanted: PageWanted): Promise<EntryPage>
  /** How many went; once it resolves no restart brings them back. */
  remove(organizationId: number, removal: Removal): Promise<number>
  statistics(organizationId: number): Promise<CacheStatistics>
  /** Of the results of an organization, as JSON text. */
  bytesOf(organizationId: number): Promise<number>
  /** The most that any has. */
  maxBytes(): Promise<number>
  config(): Promise<CacheConfig>
  /** Holds at once and after a restart; the least recently used of whoever has most go where fewer fit. The caller has checked the values. */
  configure(changes: Partial<CacheConfig>, record?: RecordChange): Promise<void>
  /** Removes what is stale, of all organizations, and forgets old analytics. Returns how many entries went. */
  cleanUp(): Promise<number>
  /** Cleans up where the configured interval has gone by since the last time. */
  cleanUpWhenDue(): Promise<void>
  /** What was hit most while analytics are kept, fresh or not, of all organizations: for warming up at the start. */
  hottest(limit: number): Promise<HotEntry[]>
  /** Writes what waits to be written. */
  flush(): Promise<void>
  /** Writes for the last time; whatever comes later stays in memory. */
  drain(): Promise<void>
}

const hitsForgottenAtOnce = 1000
const hourMs = 3_600_000

export function createCache(deps: ShelfDeps): Cache {
  const { db, clock, log, metrics, maxBytesOfOrganization = Infinity, assertWritable = () => {} } = deps
  const flights = createSingleFlight<unknown, EntryName>()
  let shelf: Shelf | undefined
  let opening: Promise<Shelf> | undefined
  let lastCleanUpMs = clock.now()
  let configuring: Promise<void> = Promise.resolve()
  let isSettled = false

  /** A failure is not for ever: the next one who asks tries again. */
  async function open(): Promise<Shelf> {
    if (isSettled) throw stopping()
    opening ??= openShelf(deps).then(
      (opened) => (shelf = opened),
      (error) => {
        opening = undefined
        throw error
      },
    )
    return opening
  }

  async function find(on: Shelf, record: EntryRecord) {
    try {
      return await on.contents.find(record)
    } catch (error) {
      log.error('the cache could not be read', { error })
      return undefined
    }
  }

  /** Undefined where the database cannot be read: then there is nothing to remember with. */
  async function tryOpening(): Promise<Shelf | undefined> {
    try {
      return shelf ?? (await open())
    } catch (error) {
      log.error('the cache could not be read', { error })
      return undefined
    }
  }

  function fly(on: Shelf | undefined, want: Wanted, compute: () => Promise<unknown>): Promise<unknown> {
    checkName(want)
    const work = async (isCurrent: () => boolean) => {
      const text = JSON.stringify(await compute()) ?? 'null'
      if (isCurrent()) on?.put(want, text, want.ttlMs)
      await on?.keptUp()
      return JSON.parse(text)
    }
    return flights.join(idOf(want), work, want)
  }

  return {
    async remember(want, compute) {
      const on = shelf ?? (await tryOpening())
      const record = on?.catalogue.find(want)
      const found = on && record && isFresh(record, clock.now()) ? await find(on, record) : undefined
      if (on && record && found) {
        on.hit(record)
        return { result: JSON.parse(found.content.result), source: found.source }
      }
      on?.tally.count(want.organizationId, 'misses')
      return { result: await fly(on, want, compute), source: 'computed' }
    },

    async read(organizationId, key) {
      const on = shelf ?? (await open())
      const record = on.catalogue.find({ organizationId, key })
      const found = record && (await on.contents.find(record))
      if (!record || !found) {
        on.tally.count(organizationId, 'misses')
        return null
      }
      on.hit(record)
      return { ...found.content, hitCount: record.hitCount, lastHitMs: record.lastHitMs }
    },

    async put(entry) {
      const { on } = await put(entry)
      await on.keptUp()
    },

    async store(entry) {
      assertWritable()
      const { on, record } = await put(entry)
      try {
        await on.flush()
        if (isSettled) throw stopping() // it may have come too late for the last flush
      } catch (error) {
        if (record) on.remove(record)
        throw error
      }
    },

    list: async (organizationId, wanted) =>
      listPage(db.read, shelf ?? (await open()), organizationId, wanted, clock.now()),

    async remove(organizationId, removal) {
      const on = shelf ?? (await open())
      flights.abandon(nameMatcher(organizationId, removal))
      const meant = on.catalogue.filter(recordMatcher(organizationId, removal, clock.now()))
      meant.forEach(on.remove)
      await on.flush()
      return meant.length
    },

    statistics: async (organizationId) => statisticsOf(db.read, shelf ?? (await open()), organizationId, clock.now()),

    bytesOf: async (organizationId) => (await tryOpening())?.catalogue.bytesOf(organizationId) ?? 0,

    async maxBytes() {
      const { catalogue } = (await tryOpening()) ?? {}
      return Math.max(0, ...(catalogue?.organizations() ?? []).map((id) => catalogue?.bytesOf(id) ?? 0))
    },

    config: async () => (shelf ?? (await open())).config(),

    async configure(changes, record = async () => {}) {
      const on = shelf ?? (await open())
      const applying = configuring.then(() => on.configure({ ...on.config(), ...changes }, record))
      configuring = applying.catch(() => {})
      await applying
    },

    cleanUp,

    async cleanUpWhenDue() {
      const { cleanupIntervalMs } = (shelf ?? (await open())).config()
      if (Math.abs(clock.now() - lastCleanUpMs) >= cleanupIntervalMs) await cleanUp()
    },

    async hottest(limit) {
      const on = shelf ?? (await open())
      await on.flush()
      return listHottest(db.read, Math.floor((clock.now() - on.config().analyticsRetentionMs) / hourMs), limit)
    },

    flush: async () => shelf?.flush(),

    async drain() {
      isSettled = true
      await opening?.catch(() => {})
      await shelf?.drain()
    },
  }

  async function put({ result, ttlMs, ...name }: Wanted & { result: string }) {
    checkName(name)
    checkResult(result)
    if (Buffer.byteLength(result) > maxBytesOfOrganization) {
      metrics?.quotaRefused('cache_bytes')
      throw quotaExceeded('cache_bytes', maxBytesOfOrganization)
    }
    const on = shelf ?? (await open())
    return { on, record: on.put(name, result, ttlMs) }
  }

  async function cleanUp() {
    const on = shelf ?? (await open())
    lastCleanUpMs = clock.now()
    const stale = on.catalogue.filter((record) => !isFresh(record, lastCleanUpMs))
    stale.forEach(on.remove)
    await on.flush()
    const oldestHour = Math.floor((lastCleanUpMs - on.config().analyticsRetentionMs) / hourMs)
    for (;;) {
      if (isSettled) return stale.length
      const forgotten = await deleteHitsBefore(db.write, oldestHour, hitsForgottenAtOnce)
      if (forgotten < hitsForgottenAtOnce) return stale.length
      await nextTurn()
    }
  }
}

const stopping = () => new AppError('unavailable', 'nines is stopping')
