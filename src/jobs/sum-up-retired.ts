import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import { sumUpRetired } from '../ledger/retired-store.ts'

const levels = [
  { from: 60, to: 3600 },
  { from: 3600, to: 86_400 },
] as const
const lateSeconds = 600 // what was being measured when the revision ended has been written by then
const revisionsAtOnce = 20

/**
 * Closes the last hours and days of what is measured no more, an edited query or a deleted SLO, with what is stored of
 * them: no source is asked for it again, and its minutes are not kept for long.
 */
export async function sumUpRetiredBuckets({ db, clock }: { db: Database; clock: Clock }): Promise<void> {
  for (const level of levels) {
    const end = Math.floor((clock.now() / 1000 - lateSeconds) / level.to) * level.to
    while ((await sumUpRetired(db.write, level, end, revisionsAtOnce)) > 0) await nextTurn()
  }
}
