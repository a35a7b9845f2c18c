import { setImmediate as nextTurn } from 'node:timers/promises'
import { inChunks } from '../../concurrency/chunks.ts'
import type { Db } from '../../db/open.ts'
import { day } from '../../ledger/bucket.ts'
import { listDays } from '../../ledger/ledger-store.ts'

const slosAtOnce = 200

type Slo = { id: number; revision: number }
type DayBucket = Awaited<ReturnType<typeof listDays>>[number]

/** The buckets of days of some SLOs, read once. */
export type StoredDays = {
  /** Of the first day of all of them. */
  firstSeconds: number
  find(sloId: number, startSeconds: number): DayBucket | undefined
  /** Reads what lies before, of some of them. */
  addEarlier(slos: Slo[], fromSeconds: number): Promise<void>
}

/** Those that begin at `firstSeconds`, which is the start of a day, or later. */
export async function readStoredDays(db: Db, slos: Slo[], firstSeconds: number): Promise<StoredDays> {
  const found = new Map<number, (DayBucket | undefined)[]>()
  await add(slos, firstSeconds)

  /** By their distance from the first day: what lies before it are properties of an array that has no such places. */
  async function add(some: Slo[], fromSeconds: number): Promise<void> {
    for (const slos of inChunks(some, slosAtOnce)) {
      for (const bucket of await listDays(db, slos, fromSeconds)) {
        const ofSlo = found.getOrInsertComputed(bucket.sloId, () => [])
        ofSlo[(bucket.startSeconds - firstSeconds) / day] = bucket
      }
      await nextTurn() // SQLite answers at once
    }
  }

  return {
    firstSeconds,
    find: (sloId, startSeconds) => found.get(sloId)?.[(startSeconds - firstSeconds) / day],
    async addEarlier(some, fromSeconds) {
      if (some.length > 0) await add(some, fromSeconds)
    },
  }
}
