import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, stopwatch } from '../clock.ts'
import type { Database } from '../db/open.ts'
import { countByHealth, dataVersion, type Summary } from './summary-store.ts'

const goodForMs = 1000
const restsAsLongAs = 9

/**
 * Creates the reader of the summary, which reflects every change at once. Requests for it are not rate limited. It is counted
 * again if the database was written to, or after a second (values become outdated without a write), once for all waiting
 * requests. Counting takes at most a tenth of the time; requests wait for that at most a second.
 */
export function createSummary({ db, clock }: { db: Database; clock: Clock }): () => Promise<Summary> {
  let counted: { atMs: number; version: number; summary: Summary } | undefined
  let next: Promise<Summary> | undefined
  let restsUntilMs = 0

  async function count(): Promise<Summary> {
    await sleep(Math.max(0, restsUntilMs - stopwatch.now()))
    next = undefined // a request from here on may follow a later change
    const beganMs = stopwatch.now()
    const atMs = clock.now()
    const version = await dataVersion(db.read)
    const summary = await countByHealth(db.read, atMs)
    counted = { atMs, version, summary }
    const endedMs = stopwatch.now()
    restsUntilMs = endedMs + Math.min(goodForMs, restsAsLongAs * (endedMs - beganMs))
    return summary
  }

  return async () => {
    const version = await dataVersion(db.read)
    if (counted?.version === version && Math.abs(clock.now() - counted.atMs) < goodForMs) return counted.summary
    return (next ??= count())
  }
}
