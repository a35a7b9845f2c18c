import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { type Clock, hourMs } from '../../clock.ts'
import { createSemaphore } from '../../concurrency/semaphore.ts'
import { createSingleFlight } from '../../concurrency/single-flight.ts'
import type { Database, Db } from '../../db/open.ts'
import type { Log } from '../../log.ts'
import type { Metrics } from '../../metrics.ts'
import { type Counters, listCounters } from '../answers/analytics-store.ts'
import { type CacheConfig, getConfig, maxEntries, putConfig } from '../configuration/config.ts'
import { decodeResult } from '../encoding.ts'
import {
  type EntryContent,
  type EntryName,
  type EntryRecord,
  hashOfQuery,
  isSafeCount,
  hasValidNumbers,
  maxResultBytes,
  type StoredRecord,
} from '../entry.ts'
import { type EntryRow, findEntry, listRecordsAfter } from '../entry-store.ts'
import { createFairLru } from './fair-lru.ts'
import { createWriteBehind } from './write-behind.ts'

export type CacheDeps = {
  db: Database
  clock: Clock
  log: Log
  metrics?: Pick<Metrics, 'cacheRead' | 'quotaRefused'>
  /** Throws while the disk refuses writes. */
  assertWritable?: () => void
  /** Limit of results, in bytes of JSON text. */
  maxBytesOfOrganization?: number
}

export type FoundEntry = { content: EntryContent; source: 'memory' | 'disk' }

/** Records a change of the configuration, in its transaction. */
export type RecordChange = (trx: Db, before: CacheConfig, after: CacheConfig) => Promise<void>

/** Entries of all organizations: their records are in memory, their contents in memory and on disk. */
export type Entries = Awaited<ReturnType<typeof openEntries>>

const memoryTierBytes = 64 * 1024 * 1024
const recordsPerBatch = 2000

/** Opens the cache: reads all records, without contents. */
export async function openEntries(deps: CacheDeps) {
  const { db, clock, log, metrics, maxBytesOfOrganization = Infinity } = deps
  let config = await getConfig(db.read)
  const records = createFairLru<string, EntryRecord>({ rank: 'size', weigh: ({ sizeBytes }) => Math.max(1, sizeBytes) })
  const inMemory = createFairLru<number, EntryRecord>({ rank: 'weight', weigh: bytesInMemory })
  const changes = createWriteBehind({ db, log, config: () => config, onWritten: release, onLost: remove })
  const counters = new Map((await listCounters(db.read)).map((one) => [one.organizationId, safeCounters(one)]))
  const diskReads = createSingleFlight<FoundEntry | undefined>()
  const configuring = createSemaphore(1)
  let [lastId, uses] = [0, 0]

  const find = ({ organizationId, key }: Pick<EntryName, 'organizationId' | 'key'>) => records.peek(organizationId, key)
  const countersOf = (organizationId: number): Counters =>
    counters.get(organizationId) ?? { organizationId, hits: 0, misses: 0, dropped: 0 }

  function count(organizationId: number, counter: 'hits' | 'misses' | 'dropped') {
    const counted = countersOf(organizationId)
    counters.set(organizationId, counted)
    counted[counter] += 1
    changes.countersChanged(counted)
    if (counter !== 'dropped') metrics?.cacheRead(counter)
  }

  /** Adds a record as the most recently used; its key must be free. */
  function add(record: EntryRecord) {
    uses = Math.max(uses + 1, record.used)
    record.used = uses
    records.set(record.organizationId, record.key, record)
  }

  function remove(record: EntryRecord | undefined) {
    if (!record || record.isRemoved) return
    if (find(record) === record) records.delete(record.organizationId, record.key)
    inMemory.delete(record.organizationId, record.id)
    record.content = undefined
    changes.remove(record)
  }

  function dropCorrupt(record: EntryRecord, reason: string) {
    log.warn('a corrupt row of the cache was dropped', { id: record.id, reason })
    remove(record)
    count(record.organizationId, 'dropped')
  }

  /** Frees the content of an entry that is on disk, unless the memory tier holds it. */
  function release(record: EntryRecord | undefined) {
    if (record?.isOnDisk && !inMemory.peek(record.organizationId, record.id)) record.content = undefined
  }

  function holdInMemory(record: EntryRecord, content: EntryContent) {
    if (!config.enableMemoryCache) return
    record.content = content
    inMemory.set(record.organizationId, record.id, record)
    while (inMemory.weight > memoryTierBytes) release(inMemory.evictFromLargest())
  }

  /**
   * Removes entries beyond the limits: of this organization for the limit of bytes, of the organization with the most for the
   * limit of entries.
   */
  function trim(organizationId: number) {
    while (records.weightOf(organizationId) > maxBytesOfOrganization) remove(records.evictFrom(organizationId))
    while (records.size > Math.min(config.maxEntries, maxEntries)) remove(records.evictFromLargest())
  }

  async function load() {
    const stored: StoredRecord[] = []
    for (;;) {
      const more = await listRecordsAfter(db.read, lastId, recordsPerBatch)
      stored.push(...more)
      lastId = stored.at(-1)?.id ?? 0
      if (more.length < recordsPerBatch) break
      await yieldToEventLoop()
    }
    for (const one of stored.toSorted((a, b) => a.used - b.used)) {
      const record = { ...one, isOnDisk: true, isRemoved: false, content: undefined }
      if (hasValidNumbers(one)) add(record)
      else dropCorrupt(record, 'a number is out of bounds')
    }
    records.owners().forEach(trim)
  }

  async function readFromDisk(record: EntryRecord): Promise<FoundEntry | undefined> {
    const row = await findEntry(db.read, record.id)
    try {
      if (!row) throw new Error('a row is missing')
      if (!isRowOf(row.entry, record)) throw new Error('the row is of another entry')
      const content = { ...row.entry, result: decodeResult(row.entry, row.stored) }
      if (!record.isRemoved) holdInMemory(record, content)
      return { content, source: 'disk' }
    } catch (error) {
      if (!record.isRemoved) dropCorrupt(record, error instanceof Error ? error.message : String(error))
      return undefined
    }
  }

  await load()
  return {
    records,
    find,
    count,
    countersOf,
    memoryBytesOf: inMemory.weightOf,
    remove,
    config: () => config,
    waitForCapacity: changes.waitForCapacity,
    flush: changes.flush,
    drain: changes.drain,

    /**
     * Returns the content, from the tier that has it; undefined if its row is corrupt. Throws if the database cannot be read.
     */
    async read(record: EntryRecord): Promise<FoundEntry | undefined> {
      const { organizationId, id, content } = record
      if (!content) return diskReads.join(id, () => readFromDisk(record))
      inMemory.get(organizationId, id) // counts as a use
      return { content, source: 'memory' }
    },

    /** Adds an entry as the most recently used, in place of the one with its key; undefined if it is too large. */
    put(name: EntryName, result: string, ttlMs: number | null = config.defaultTtlMs): EntryRecord | undefined {
      const { organizationId, key, query, sloId, timeWindow } = name
      const sizeBytes = Buffer.byteLength(result)
      if (sizeBytes > Math.min(maxResultBytes, maxBytesOfOrganization)) return undefined
      const cachedAtMs = clock.now()
      const expiresAtMs = ttlMs === null ? null : cachedAtMs + ttlMs
      const shared = { organizationId, key, sloId, sizeBytes, cachedAtMs, expiresAtMs }
      const content = { ...shared, query, timeWindow, queryHash: hashOfQuery(query), result }
      remove(find(name))
      lastId += 1
      const noUse = { hitCount: 0, lastHitMs: null, used: 0 }
      const record = { ...shared, ...noUse, id: lastId, isOnDisk: false, isRemoved: false, content }
      add(record)
      holdInMemory(record, content)
      changes.add(record)
      trim(organizationId)
      return record
    },

    /** Counts a hit, which is also a use. */
    hit(record: EntryRecord) {
      const { organizationId, key } = record
      record.lastHitMs = clock.now()
      record.hitCount += 1
      count(organizationId, 'hits')
      changes.countHit({ organizationId, key, hour: Math.floor(record.lastHitMs / hourMs) })
      if (record.isRemoved) return
      uses += 1
      record.used = uses
      records.get(organizationId, key) // counts as a use
      changes.touch(record)
    },

    /** Changes the configuration, and removes entries beyond its limits. */
    configure: (update: Partial<CacheConfig>, recordChange: RecordChange) =>
      configuring.run(async () => {
        const changed = { ...config, ...update }
        await db.write.transaction().execute(async (trx) => {
          await putConfig(trx, changed)
          await recordChange(trx, config, changed)
        })
        config = changed
        for (const entry of config.enableMemoryCache ? [] : inMemory.all()) {
          inMemory.delete(entry.organizationId, entry.id)
          release(entry)
        }
        records.owners().forEach(trim)
      }),
  }
}

function safeCounters({ organizationId, hits, misses, dropped }: Counters): Counters {
  const countOf = (value: number) => (isSafeCount(value) ? value : 0)
  return { organizationId, hits: countOf(hits), misses: countOf(misses), dropped: countOf(dropped) }
}

const fixedFields = ['organizationId', 'key', 'sloId', 'sizeBytes', 'cachedAtMs', 'expiresAtMs'] as const

/** The checksum covers the row only; this compares the row with the record read at the start. */
function isRowOf(entry: EntryRow, record: EntryRecord): boolean {
  return fixedFields.every((field) => entry[field] === record[field])
}

const overheadBytes = 512 // memory of an entry beside its texts

/** A string takes one byte a character, or two if any character is beyond Latin-1. */
function bytesInMemory({ content }: EntryRecord): number {
  const texts = content ? [content.key, content.query, content.result] : []
  return texts.reduce((sum, text) => sum + (/[^\0-\xff]/.test(text) ? 2 * text.length : text.length), overheadBytes)
}
