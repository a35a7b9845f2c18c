import { setImmediate as nextTurn } from 'node:timers/promises'
import { inChunks } from '../concurrency/chunks.ts'
import type { Db } from '../db/open.ts'
import { type LedgerWindow, sumWindows, type WindowSum } from '../ledger/window-sums.ts'

const windowsAtOnce = 1000 // SQLite is synchronous: nothing else runs during a read

/** As `sumWindows`, for as many windows as an organization has SLOs: everything else runs in between. */
export async function sumInTurns(db: Db, windows: LedgerWindow[], nowSeconds: number): Promise<WindowSum[]> {
  const sums: WindowSum[] = []
  for (const some of inChunks(windows, windowsAtOnce)) {
    for (const sum of await sumWindows(db, some, nowSeconds)) sums.push(sum)
    await nextTurn()
  }
  return sums
}
