import { setImmediate as nextTurn } from 'node:timers/promises'
import { inChunks } from '../concurrency/chunks.ts'
import type { Db } from '../db/open.ts'
import type { ReadRanges } from '../ledger/range-sums.ts'
import { type LedgerWindow, sumWindows } from '../ledger/window-sums.ts'
import type { WindowSum } from '../slos/arithmetic/window-sum.ts'

const batchSize = 1000 // SQLite is synchronous: nothing else runs during a read

/**
 * Like `sumWindows`, for as many windows as an organization has SLOs; other work runs in between. Calls for one answer share
 * `read`: most windows include the minutes that are in no hour yet.
 */
export async function sumInBatches(
  db: Db,
  windows: LedgerWindow[],
  nowSeconds: number,
  read: ReadRanges = new Map(),
): Promise<WindowSum[]> {
  const sums: WindowSum[] = []
  for (const some of inChunks(windows, batchSize)) {
    for (const sum of await sumWindows(db, some, nowSeconds, read)) sums.push(sum)
    await nextTurn()
  }
  return sums
}
