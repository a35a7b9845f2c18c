import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import type { Database, Db } from '../../db/open.ts'
import { AppError, invalid } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Metrics } from '../../metrics.ts'
import { listCounters } from '../answers/analytics-store.ts'
import { createCatalogue } from '../catalogue.ts'
import { type CacheConfig, maxEntries } from '../configuration/config.ts'
import { getConfig, putConfig } from '../configuration/store.ts'
import { createContents } from './contents.ts'
import { type EntryContent, type EntryName, type EntryRecord, hashOfQuery, isWhole } from '../entry.ts'
import { listRecordsAfter } from '../entry-store.ts'
import { createMemoryTier } from './memory-tier.ts'
import { createTally } from '../answers/tally.ts'
import { createWriteBehind } from './write-behind.ts'

export type ShelfDeps = {
  db: Database
  clock: Clock
  log: Log
  metrics?: Pick<Metrics, 'cacheAsked' | 'quotaRefused'>
  /** Throws while the disk takes nothing. */
  assertWritable?: () => void
  /** Of results, in JSON text. */
  maxBytesOfOrganization?: number
}

/** Tells of a change of the configuration, in its transaction. */
export type RecordChange = (trx: Db, before: CacheConfig, after: CacheConfig) => Promise<void>

/** The two tiers as one: which entries there are, and what becomes of one that is put in, used or taken out. */
export type Shelf = Awaited<ReturnType<typeof openShelf>>

/** A result beyond this many bytes of JSON text is not kept. */
export const maxResultBytes = 16 * 1024 * 1024
export const maxKey = 1024
const recordsAtOnce = 2000
const hourMs = 3_600_000

/** Reads what the disk has: all but the contents. */
export async function openShelf(deps: ShelfDeps) {
  const { db, clock, log, metrics, maxBytesOfOrganization = Infinity } = deps
  let config = await getConfig(db.read)
  const catalogue = createCatalogue()
  const memory = createMemoryTier()
  const queue = createWriteBehind({ db, log, config: () => config, onLost: (records) => records.forEach(forget) })
  const tally = createTally(await listCounters(db.read), (counters, what) => {
    queue.countersChanged(counters)
    if (what !== 'dropped') metrics?.cacheAsked(what)
  })
  const contents = createContents({
    db,
    log,
    memory,
    contentOfUnwritten: queue.contentOf,
    isHeld: catalogue.holds,
    onCorrupt(record) {
      remove(record)
      tally.count(record.organizationId, 'dropped')
    },
  })
  let lastId = 0

  function forget(record: EntryRecord) {
    if (!catalogue.holds(record)) return
    catalogue.delete(record)
    memory.delete(record)
  }

  function remove(record: EntryRecord) {
    if (!catalogue.holds(record)) return
    forget(record)
    queue.delete(record)
  }

  function drop(record: EntryRecord | undefined) {
    if (!record) return
    memory.delete(record)
    queue.delete(record)
  }

  /** Of the bytes an organization gives its own; of the entries the one that has most. */
  function trim(organizationId: number) {
    while (catalogue.bytesOf(organizationId) > maxBytesOfOrganization) drop(catalogue.takeLeastUsed(organizationId))
    while (catalogue.size > Math.min(config.maxEntries, maxEntries)) drop(catalogue.takeLeastUsed())
  }

  async function load() {
    const records: EntryRecord[] = []
    for (;;) {
      const more = await listRecordsAfter(db.read, lastId, recordsAtOnce)
      records.push(...more)
      lastId = records.at(-1)?.id ?? 0
      if (more.length < recordsAtOnce) break
      await nextTurn()
    }
    const [whole, damaged] = [records.filter(isWhole), records.filter((record) => !isWhole(record))]
    for (const record of whole.toSorted((one, other) => one.used - other.used)) catalogue.add(record)
    for (const record of damaged) {
      log.warn('a corrupt row of the cache was dropped', { id: record.id, reason: 'a number is out of bounds' })
      queue.delete(record)
      tally.count(record.organizationId, 'dropped')
    }
    memory.setEnabled(config.enableMemoryCache)
    catalogue.organizations().forEach(trim)
  }

  await load()
  return {
    catalogue,
    memory,
    tally,
    contents,
    remove,
    config: () => config,
    keptUp: queue.keptUp,
    flush: queue.flush,
    drain: queue.drain,

    /** Puts an entry in as the last used, in the place of the one under its key; undefined where it is too large. */
    put(name: EntryName, result: string, ttlMs: number | null = config.defaultTtlMs) {
      const { organizationId, key, query, sloId, timeWindow } = name
      const sizeBytes = Buffer.byteLength(result)
      if (sizeBytes > Math.min(maxResultBytes, maxBytesOfOrganization)) return undefined
      const cachedAtMs = clock.now()
      const expiresAtMs = ttlMs === null ? null : cachedAtMs + ttlMs
      const shared = { organizationId, key, sloId, sizeBytes, cachedAtMs, expiresAtMs }
      const content: EntryContent = { ...shared, query, timeWindow, queryHash: hashOfQuery(query), result }
      const replaced = catalogue.find(name)
      if (replaced) remove(replaced)
      lastId += 1
      const record: EntryRecord = { ...shared, id: lastId, hitCount: 0, lastHitMs: null, used: 0 }
      catalogue.add(record)
      memory.set(record, content)
      queue.add(record, content)
      trim(organizationId)
      return record
    },

    /** Counts a hit, which is a use. */
    hit(record: EntryRecord) {
      const { organizationId, key } = record
      const nowMs = clock.now()
      tally.count(organizationId, 'hits')
      queue.countHit({ organizationId, key, hour: Math.floor(nowMs / hourMs) })
      record.hitCount += 1
      record.lastHitMs = nowMs
      if (!catalogue.holds(record)) return
      catalogue.touch(record)
      queue.touch(record)
    },

    /** What still fits stays. */
    async configure(changed: CacheConfig, record: RecordChange) {
      await db.write.transaction().execute(async (trx) => {
        await putConfig(trx, changed)
        await record(trx, config, changed)
      })
      config = changed
      memory.setEnabled(config.enableMemoryCache)
      catalogue.organizations().forEach(trim)
    },
  }
}

/** Refuses what the disk would not give back as it was. */
export function checkName({ key, query, timeWindow }: EntryName): void {
  if (key.length === 0 || key.length > maxKey || /[\p{Cc}\p{Cs}]/u.test(key)) {
    throw invalid('key', `must be 1 to ${maxKey} characters without control characters`)
  }
  if (/[\0\p{Cs}]/u.test(query)) throw invalid('query', 'must be Unicode text')
  if (/[\0\p{Cs}]/u.test(timeWindow)) throw invalid('time_window', 'must be Unicode text')
}

/** Refuses what is no JSON text, or larger than any result may be. */
export function checkResult(result: string): void {
  if (!isJson(result)) throw invalid('result', 'must be JSON')
  if (Buffer.byteLength(result) > maxResultBytes) throw new AppError('too_large', 'Result too large to be cached')
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return text.isWellFormed()
  } catch {
    return false
  }
}
