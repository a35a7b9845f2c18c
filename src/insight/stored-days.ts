import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { inChunks } from '../concurrency/chunks.ts'
import type { Db } from '../db/open.ts'
import { day } from '../ledger/bucket.ts'
import { listWithComposites } from '../ledger/composite-buckets.ts'
import { findComposites } from '../ledger/composite-store.ts'
import { type BucketSum, listBucketsSince } from '../ledger/ledger-store.ts'

const batchSize = 200

type Slo = { id: number; revision: number }

/** Day buckets of some SLOs, read once. */
export type StoredDays = {
  /** Start of the first day that was read for all of them. */
  firstSeconds: number
  find(sloId: number, startSeconds: number): BucketSum | undefined
  /** Reads earlier days, for some of the SLOs. */
  addEarlier(slos: Slo[], fromSeconds: number): Promise<void>
}

/** Reads the days that begin at `firstSeconds`, which is the start of a day, or later. */
export async function readStoredDays(db: Db, slos: Slo[], firstSeconds: number): Promise<StoredDays> {
  const daysBySlo = new Map<number, (BucketSum | undefined)[]>()
  await readDays(slos, firstSeconds)

  /** Stores a day under its distance from the first day; JavaScript keeps earlier days, at negative indexes, as properties. */
  async function readDays(some: Slo[], fromSeconds: number): Promise<void> {
    const composites = await findComposites(
      db,
      some.map(({ id: sloId, revision }) => ({ sloId, revision })),
    )
    for (const slos of inChunks(some, batchSize)) {
      const starts = slos.map(({ id: sloId, revision }) => ({ sloId, revision, fromSeconds }))
      const list = (asked: typeof starts) => listBucketsSince(db, asked, day, Number.MAX_SAFE_INTEGER)
      for (const bucket of await listWithComposites(composites, starts, day, list)) {
        const ofSlo = daysBySlo.getOrInsertComputed(bucket.sloId, () => [])
        ofSlo[(bucket.startSeconds - firstSeconds) / day] = bucket
      }
      await yieldToEventLoop() // SQLite is synchronous
    }
  }

  return {
    firstSeconds,
    find: (sloId, startSeconds) => daysBySlo.get(sloId)?.[(startSeconds - firstSeconds) / day],
    async addEarlier(some, fromSeconds) {
      if (some.length > 0) await readDays(some, fromSeconds)
    },
  }
}
