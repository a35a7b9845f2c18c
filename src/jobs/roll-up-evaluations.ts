import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import { type RollUp, rollUpSome } from '../evaluation/roll-up-store.ts'

const hour = 3600
const day = 86_400
const levels: (RollUp & { ageSeconds: number })[] = [
  { from: 0, to: hour, ageSeconds: 2 * day },
  { from: hour, to: day, ageSeconds: 35 * day },
]
const rowsAtOnce = 50 // each brings its whole hour or day

/**
 * Leaves of the evaluations of an hour that ended two days ago the last, and of those of a day that ended 35 days ago: it
 * stands for all, with the worst status and the lowest value among them.
 */
export async function rollUpEvaluations({ db, clock }: { db: Database; clock: Clock }): Promise<void> {
  const nowSeconds = clock.now() / 1000
  for (const { ageSeconds, ...level } of levels) {
    const before = Math.floor((nowSeconds - ageSeconds) / level.to) * level.to
    while (await rollUpSome(db.write, level, before, rowsAtOnce)) await nextTurn()
  }
}
