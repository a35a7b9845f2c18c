import { createBatchWriter } from '../../db/batch-writer.ts'
import type { Database } from '../../db/open.ts'
import { isDatabaseDamaged } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { addHits, type Counters, type HourHits, putCounters } from '../answers/analytics-store.ts'
import type { CacheConfig } from '../configuration/config.ts'
import { encodeResult } from '../encoding.ts'
import type { EntryContent, EntryRecord } from '../entry.ts'
import { deleteEntries, insertEntry, type NewEntry, updateUses } from '../entry-store.ts'

type Deps = {
  db: Pick<Database, 'write'>
  log: Log
  config: () => CacheConfig
  onWritten: (record: EntryRecord) => void
  /** Called for an entry that could not be written and is not kept in memory until it can. */
  onLost: (record: EntryRecord) => void
}

/** An entry that is new, used or removed; hits of an hour; counters that have changed. */
type Change = EntryRecord | HourHits | Counters

const flushThresholdBytes = 4 * 1024 * 1024
const maxUnwrittenBytes = 32 * 1024 * 1024
/** Limit of results that the disk has refused: they stay in memory until it accepts them. */
const maxRefusedBytes = 16 * 1024 * 1024
// Limits of one transaction, during which nothing else is served.
const maxInserts = 32
const maxInsertedBytes = 512 * 1024
const maxDeletes = 200
const maxUpdates = 1000

/**
 * Writes changes from memory to disk, outside of requests: within a quarter of a second, a few entries per transaction. A kill
 * before that loses only changes that were not written.
 */
export function createWriteBehind({ db, log, config, onWritten, onLost }: Deps) {
  const onError = (error: unknown) => log.error('the cache could not be written', { error })
  const writer = createBatchWriter<Change>({ write, delayMs: 250, shareOf, isNeeded, onError })
  const waitingHits = new Map<string, HourHits>()
  let unwrittenBytes = 0 // of the results that are not on disk

  /** Not as a group commit: if a nearly full disk refuses these changes, those of other writers must not be undone with them. */
  async function write(changes: Change[]): Promise<void> {
    const records = changes.filter(isRecord)
    const rows: NewEntry[] = []
    for (const record of records) {
      if (!isNew(record)) continue
      const { content } = record // read before the wait, during which the record may lose it
      rows.push({ record, content, stored: await encodeResult(content, config()) })
    }
    const onDisk = records.filter(({ isOnDisk }) => isOnDisk)
    const removedIds = onDisk.filter(({ isRemoved }) => isRemoved).map(({ id }) => id)
    const used = onDisk.filter(({ isRemoved }) => !isRemoved)
    const hits = changes.filter(isHits)
    const writtenHits = hits.map((hit) => ({ ...hit }))
    try {
      await db.write.transaction().execute(async (trx) => {
        await deleteEntries(trx, removedIds) // first, because a new entry may have the key of a removed one
        for (const row of rows) await insertEntry(trx, row)
        await updateUses(trx, used)
        await addHits(trx, writtenHits)
        await putCounters(trx, changes.filter(isCounters))
      })
    } catch (error) {
      const isLost = unwrittenBytes > maxRefusedBytes || isDatabaseDamaged(error) // damage would make every retry fail
      if (isLost) for (const { record } of rows) onLost(record)
      throw error
    }
    for (const { record } of rows) {
      if (!record.isRemoved) unwrittenBytes -= record.sizeBytes
      record.isOnDisk = true
      onWritten(record)
    }
    for (const [index, hit] of hits.entries()) {
      hit.hits -= writtenHits[index]?.hits ?? 0 // more may have come during the transaction
      if (hit.hits === 0) waitingHits.delete(nameOf(hit))
    }
  }

  const flushQuietly = () => writer.flush().catch(onError)

  return {
    add(record: EntryRecord) {
      unwrittenBytes += record.sizeBytes
      writer.add(record)
      if (unwrittenBytes >= flushThresholdBytes) writer.start(0)
    },
    remove(record: EntryRecord) {
      if (!record.isOnDisk) unwrittenBytes -= record.sizeBytes
      record.isRemoved = true
      writer.add(record)
    },
    /** Stores the uses and hits of an entry. */
    touch: (record: EntryRecord) => void writer.add(record),
    countHit(hit: Omit<HourHits, 'hits'>) {
      const waiting = waitingHits.getOrInsertComputed(nameOf(hit), () => ({ ...hit, hits: 0 }))
      waiting.hits += 1
      writer.add(waiting)
    },
    countersChanged: (changed: Counters) => void writer.add(changed),
    /** Waits for a flush if the pending results exceed the memory limit. */
    async waitForCapacity() {
      if (unwrittenBytes > maxUnwrittenBytes) await flushQuietly()
    },
    /** Writes all pending changes; throws if the disk refuses them. */
    flush: writer.flush,
    /** Resolves when all pending changes were written or refused; later ones are not written. */
    drain: writer.drain,
  }
}

const isRecord = (change: Change): change is EntryRecord => 'isOnDisk' in change
const isHits = (change: Change): change is HourHits => 'hour' in change
const isCounters = (change: Change): change is Counters => 'misses' in change

/** True for an entry that is to be inserted; a removed one has no content. */
function isNew(record: EntryRecord): record is EntryRecord & { content: EntryContent } {
  return !record.isOnDisk && record.content !== undefined
}

/** False for an entry that was removed before it was written. */
function isNeeded(change: Change): boolean {
  return !isRecord(change) || change.isOnDisk || !change.isRemoved
}

/** Share of a full transaction that a change takes, 0 to 1 or above. */
function shareOf(change: Change): number {
  if (!isRecord(change)) return 1 / maxUpdates
  if (isNew(change)) return Math.max(1 / maxInserts, change.sizeBytes / maxInsertedBytes)
  return change.isRemoved ? 1 / maxDeletes : 1 / maxUpdates
}

function nameOf({ organizationId, hour, key }: Omit<HourHits, 'hits'>): string {
  return `${organizationId}:${hour}:${key}`
}
