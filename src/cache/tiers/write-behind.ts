import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database, Db } from '../../db/open.ts'
import type { Log } from '../../log.ts'
import { addHits, type Counters, type HourHits, putCounters } from '../answers/analytics-store.ts'
import type { CacheConfig } from '../configuration/config.ts'
import { encodeResult } from './encoding.ts'
import type { EntryContent, EntryRecord } from '../entry.ts'
import { deleteEntries, insertEntry, type NewRow, updateUses } from '../entry-store.ts'
import { createUnwritten, type Slice, type Unwritten } from './unwritten.ts'

/**
 * Carries what changes in memory to the disk, off the way of requests: within a quarter of a second, a few entries to a
 * transaction. Whoever is killed before that loses what was not written, and nothing else.
 */
export type WriteBehind = {
  add(record: EntryRecord, content: EntryContent): void
  delete(record: EntryRecord): void
  touch(record: EntryRecord): void
  countHit(hit: Omit<HourHits, 'hits'>): void
  countersChanged(counters: Counters): void
  /** The content of an entry that is not on the disk yet. */
  contentOf(id: number): EntryContent | undefined
  /** Waits where so much waits that memory would not stay bounded. */
  keptUp(): Promise<void>
  /** Writes all there is; throws where the disk does not take it. */
  flush(): Promise<void>
  /** Writes for the last time. */
  drain(): Promise<void>
}

type Deps = {
  db: Pick<Database, 'write'>
  log: Log
  config: () => CacheConfig
  /** Called with what could not be written and is too much to be kept in memory until it can. */
  onLost: (records: EntryRecord[]) => void
}

const delayMs = 250
const delayAfterFailureMs = 5000
const bytesToFlushAt = 4 * 1024 * 1024
const maxBytesWaiting = 32 * 1024 * 1024
const maxBytesAtOnce = 32 * 1024

export function createWriteBehind({ db, log, config, onLost }: Deps): WriteBehind {
  const unwritten = createUnwritten()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isSettled = false
  let last: Promise<void> = Promise.resolve()

  function schedule(waitMs: number) {
    if (timer || isSettled) return
    timer = setTimeout(() => void flushQuietly(), waitMs)
    timer.unref()
  }

  async function flushQuietly() {
    try {
      await flush()
    } catch (error) {
      log.error('the cache could not be written', { error })
    }
  }

  function flush(): Promise<void> {
    const flushing = last.then(writeAll)
    last = flushing.catch(() => {})
    return flushing
  }

  async function writeAll() {
    clearTimeout(timer)
    timer = undefined
    for (;;) {
      if (isSettled || unwritten.isEmpty()) return
      const slice = unwritten.take()
      try {
        await writeSlice(db.write, slice, config())
        slice.done()
      } catch (error) {
        onLost(slice.giveBack())
        schedule(delayAfterFailureMs)
        throw error
      }
      await nextTurn()
    }
  }

  function changed(change: (to: Unwritten) => void) {
    if (isSettled) return
    const before = unwritten.bytes()
    change(unwritten)
    schedule(delayMs)
    if (before < bytesToFlushAt && unwritten.bytes() >= bytesToFlushAt) void flushQuietly()
  }

  return {
    add: (record, content) => changed((to) => to.add(record, content)),
    delete: (record) => changed((to) => to.delete(record)),
    touch: (record) => changed((to) => to.touch(record)),
    countHit: (hit) => changed((to) => to.countHit({ ...hit, hits: 1 })),
    countersChanged: (counters) => changed((to) => to.countersChanged(counters)),
    contentOf: unwritten.contentOf,
    async keptUp() {
      if (unwritten.bytes() > maxBytesWaiting) await flushQuietly()
    },
    flush,
    async drain() {
      await flushQuietly()
      isSettled = true
      clearTimeout(timer)
    },
  }
}

async function writeSlice(db: Db, slice: Slice, config: CacheConfig): Promise<void> {
  const rows: NewRow[] = []
  let bytesSinceTurn = 0
  for (const { record, content } of slice.added) {
    rows.push({ record, content, stored: await encodeResult(content, config) })
    bytesSinceTurn += content.sizeBytes
    if (bytesSinceTurn < maxBytesAtOnce) continue
    bytesSinceTurn = 0
    await nextTurn()
  }
  await db.transaction().execute(async (trx) => {
    await deleteEntries(trx, slice.deleted)
    for (const row of rows) await insertEntry(trx, row)
    await updateUses(trx, slice.touched)
    await addHits(trx, slice.hits)
    await putCounters(trx, slice.counters)
  })
}
