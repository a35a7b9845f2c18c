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

const maxSlosPerCall = 25 // of the chunk of SLOs that is evaluated: reading a row takes several microseconds
const slosPerQuery = 5

/**
 * Reads the recent minutes of at most 25 SLOs that are not in the cache into it; the others follow at their next evaluation.
 * `atSeconds`: end of the windows that are evaluated.
 */
export async function cacheRecentMinutes(db: Database, planned: PlannedSlo[], atSeconds: number): Promise<void> {
  const cache = ledgerCacheOf(db)
  if (!cache.hasRoom(atSeconds)) return
  const revisions = planned.map(({ slo }) => ({ sloId: slo.id, revision: slo.revision }))
  const uncached = revisions.filter((one) => !cache.find(one, atSeconds)).slice(0, maxSlosPerCall)
  const startSeconds = atSeconds - recentMinutes * minute
  for (const chunk of inChunks(uncached, slosPerQuery)) {
    const { version } = cache
    const ranges = chunk.map((one) => ({
      ...one,
      resolution: minute,
      startSeconds,
      endSeconds: Number.MAX_SAFE_INTEGER,
    }))
    const [rows, firstMinutes] = await Promise.all([listRows(db.read, ranges), listFirstMinutes(db.read, chunk)])
    if (version !== cache.version) return // a write has made what was read out of date
    chunk.forEach((one, index) => {
      const recent = new RecentMinutes(startSeconds, firstMinutes[index] ?? Infinity)
      for (const row of rows[index] ?? []) recent.put(row)
      cache.add(one, recent, atSeconds)
    })
    await yieldToEventLoop()
  }
}

/**
 * Writes measured buckets without the time that corrections and service hours exclude, in one transaction, and updates the cache.
 * Buckets that the cache has with the same values are not written again.
 */
export async function putBucketsAndCache(db: Database, buckets: LedgerBucket[]): Promise<void> {
  const cache = ledgerCacheOf(db)
  const masks = await masksOf(db)
  cache.writers += 1
  try {
    await db.write.transaction().execute(async (trx) => {
      const isCommitted = cache.writers === 1 // another writer may fail, and its `put` is then not stored
      const counted = await exclude(trx, buckets, masks)
      const changed = isCommitted ? counted.filter((bucket) => !cache.has(bucket)) : counted
      await putBuckets(trx, changed)
      cache.put(changed)
    })
  } catch (error) {
    cache.invalidate(buckets.map(({ sloId }) => sloId))
    throw error
  } finally {
    cache.writers -= 1
  }
}
