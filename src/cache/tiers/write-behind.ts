import { setImmediate as nextTurn } from 'node:timers/promises'
import { createSemaphore } from '../../concurrency/semaphore.ts'
import type { Database } from '../../db/open.ts'
import type { Log } from '../../log.ts'
import { addHits, type Counters, type HourHits, putCounters } from '../answers/analytics-store.ts'
import type { CacheConfig } from '../configuration/config.ts'
import { encodeResult } from './encoding.ts'
import type { EntryContent, EntryRecord } from '../entry.ts'
import { deleteEntries, insertEntry, type NewRow, updateUses } from '../entry-store.ts'

type Deps = {
  db: Pick<Database, 'write'>
  log: Log
  config: () => CacheConfig
  onWritten: (record: EntryRecord) => void
  /** Called for an entry that could not be written and is too large to be kept in memory until it can. */
  onLost: (record: EntryRecord) => void
}

/** Changes that one transaction writes. */
type Changes = {
  deleted: number[]
  added: [EntryRecord, EntryContent][]
  touched: EntryRecord[]
  hits: HourHits[]
  counters: Counters[]
}

const delayMs = 250
const delayAfterFailureMs = 5000
const bytesToFlushAt = 4 * 1024 * 1024
const maxBytesWaiting = 32 * 1024 * 1024
/** Limit of results that the disk has refused: they stay in memory until it accepts them. */
const maxBytesKept = 16 * 1024 * 1024
const maxDeleted = 200
const maxAdded = 32
const maxAddedBytes = 512 * 1024
const maxCounted = 500

/**
 * Writes changes from memory to disk, outside of requests: within a quarter of a second, a few entries per transaction. A kill
 * before that loses only changes that were not written.
 */
export function createWriteBehind({ db, log, config, onWritten, onLost }: Deps) {
  const added = new Map<EntryRecord, EntryContent>()
  const deleted = new Set<number>()
  const touched = new Set<EntryRecord>()
  const hits = new Map<string, HourHits>()
  const counters = new Set<Counters>()
  const flushes = createSemaphore(1)
  let bytes = 0 // of the results in `added`
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false

  function schedule(waitMs: number) {
    if (timer || isClosed) return
    timer = setTimeout(() => void flushQuietly(), waitMs)
    timer.unref()
  }

  async function flushQuietly() {
    try {
      await flush()
    } catch (error) {
      log.error('the cache could not be written', { error })
    }
  }

  const flush = () => flushes.run(writeAll)

  async function writeAll() {
    clearTimeout(timer)
    timer = undefined
    for (;;) {
      if (isClosed || added.size + deleted.size + touched.size + hits.size + counters.size === 0) return
      const changes = take()
      try {
        await write(changes)
        for (const [record] of changes.added) onWritten(record)
      } catch (error) {
        keep(changes)
        schedule(delayAfterFailureMs)
        throw error
      }
      await nextTurn()
    }
  }

  function take(): Changes {
    return {
      deleted: takeOf(deleted, maxDeleted),
      added: deleted.size === 0 ? takeAdded() : [], // a new entry may have the key of a deleted one
      touched: takeOf(touched, maxCounted),
      hits: takeHits(),
      counters: takeOf(counters, maxCounted),
    }
  }

  function takeAdded(): Changes['added'] {
    const taken: Changes['added'] = []
    let takenBytes = 0
    for (const [record, content] of added) {
      if (taken.length === maxAdded || (taken.length > 0 && takenBytes + record.sizeBytes > maxAddedBytes)) break
      taken.push([record, content])
      takenBytes += record.sizeBytes
      added.delete(record)
    }
    bytes -= takenBytes
    return taken
  }

  function takeHits(): HourHits[] {
    const taken = [...hits.entries().take(maxCounted)]
    for (const [name] of taken) hits.delete(name)
    return taken.map(([, counted]) => counted)
  }

  async function write(changes: Changes): Promise<void> {
    const rows: NewRow[] = []
    for (const [record, content] of changes.added) {
      rows.push({ record, content, stored: await encodeResult(content, config()) })
    }
    await db.write.transaction().execute(async (trx) => {
      await deleteEntries(trx, changes.deleted)
      for (const row of rows) await insertEntry(trx, row)
      await updateUses(trx, changes.touched)
      await addHits(trx, changes.hits)
      await putCounters(trx, changes.counters)
    })
  }

  /** Keeps all changes for another attempt, except entries beyond the limit. */
  function keep(changes: Changes) {
    for (const id of changes.deleted) deleted.add(id)
    for (const record of changes.touched) touched.add(record)
    for (const counted of changes.hits) countHits(counted)
    for (const changed of changes.counters) counters.add(changed)
    const isLost = bytes > maxBytesKept
    for (const [record, content] of changes.added) {
      if (isLost) onLost(record)
      else if (!deleted.has(record.id)) add(record, content)
    }
  }

  function add(record: EntryRecord, content: EntryContent) {
    added.set(record, content)
    bytes += record.sizeBytes
  }

  function countHits({ hits: more, ...hit }: HourHits) {
    const name = `${hit.organizationId}:${hit.hour}:${hit.key}`
    const known = hits.get(name)
    if (known) known.hits += more
    else hits.set(name, { ...hit, hits: more })
  }

  function changed(change: () => void) {
    if (isClosed) return
    change()
    schedule(delayMs)
  }

  return {
    add: (record: EntryRecord, content: EntryContent) =>
      changed(() => {
        add(record, content)
        if (bytes >= bytesToFlushAt && bytes - record.sizeBytes < bytesToFlushAt) void flushQuietly()
      }),
    delete: (record: EntryRecord) =>
      changed(() => {
        touched.delete(record)
        if (added.delete(record)) bytes -= record.sizeBytes
        else deleted.add(record.id)
      }),
    touch: (record: EntryRecord) =>
      changed(() => {
        if (!added.has(record)) touched.add(record)
      }),
    countHit: (hit: Omit<HourHits, 'hits'>) => changed(() => countHits({ ...hit, hits: 1 })),
    countersChanged: (one: Counters) => changed(() => counters.add(one)),
    /** Waits for a flush if the pending results exceed the memory limit. */
    async waitForCapacity() {
      if (bytes > maxBytesWaiting) await flushQuietly()
    },
    /** Writes all pending changes; throws if the disk refuses them. */
    flush,
    /** Writes for the last time. */
    async drain() {
      await flushQuietly()
      isClosed = true
      clearTimeout(timer)
    },
  }
}

function takeOf<T>(from: Set<T>, max: number): T[] {
  const taken = [...from.values().take(max)]
  for (const one of taken) from.delete(one)
  return taken
}
