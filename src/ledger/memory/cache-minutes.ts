import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { inChunks } from '../../concurrency/chunks.ts'
import type { Database } from '../../db/open.ts'
import type { PlannedSlo } from '../../sli/plan/plan.ts'
import { minute } from '../bucket.ts'
import { exclude } from '../excluded/put-measured.ts'
import { masksOf } from '../excluded/masks.ts'
import { type LedgerBucket, listFirstMinutes, listRows, putBuckets } from '../ledger-store.ts'
import { ledgerCacheOf } from './ledger-cache.ts'
import { RecentMinutes, recentMinutes } from './recent-minutes.ts'

const readInRound = 25 // per chunk of SLOs: a row takes several microseconds
const readBatchSize = 5

/** Reads the recent minutes of some of these SLOs that are not remembered yet; the others wait for their next evaluation. */
export async function cacheRecentMinutes(db: Database, planned: PlannedSlo[], atSeconds: number): Promise<void> {
  const memory = ledgerCacheOf(db)
  if (!memory.hasRoom(atSeconds)) return
  const measured = planned.map(({ slo }) => ({ sloId: slo.id, revision: slo.revision }))
  const unknown = measured.filter((one) => !memory.find(one, atSeconds)).slice(0, readInRound)
  const startSeconds = atSeconds - recentMinutes * minute
  for (const chunk of inChunks(unknown, readBatchSize)) {
    const { version } = memory
    const ranges = chunk.map((one) => ({
      ...one,
      resolution: minute,
      startSeconds,
      endSeconds: Number.MAX_SAFE_INTEGER,
    }))
    const [rows, begins] = await Promise.all([listRows(db.read, ranges), listFirstMinutes(db.read, chunk)])
    if (version !== memory.version) return
    chunk.forEach((one, place) => {
      const recent = new RecentMinutes(startSeconds, begins[place] ?? Infinity)
      for (const row of rows[place] ?? []) recent.put(row)
      memory.add(one, recent, atSeconds)
    })
    await yieldToEventLoop()
  }
}

/**
 * Writes buckets as measured, less what is excluded, in a transaction and updates the memory; unchanged buckets are not written again.
 */
export async function putBucketsAndCache(db: Database, buckets: LedgerBucket[]): Promise<void> {
  const memory = ledgerCacheOf(db)
  const masks = await masksOf(db)
  memory.writers += 1
  try {
    await db.write.transaction().execute(async (trx) => {
      const isCommitted = memory.writers === 1 // another writer may fail, and its `put` is then not stored
      const counted = await exclude(trx, buckets, masks)
      const changed = isCommitted ? counted.filter((bucket) => !memory.has(bucket)) : counted
      await putBuckets(trx, changed)
      memory.put(changed)
    })
  } catch (error) {
    memory.invalidate(buckets.map(({ sloId }) => sloId))
    throw error
  } finally {
    memory.writers -= 1
  }
}
