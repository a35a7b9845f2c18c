import type { Database } from '../../db/open.ts'
import type { Reach } from '../../slos/arithmetic/reach.ts'
import type { WindowSum } from '../../slos/arithmetic/window-sum.ts'
import { minute, type Resolution, type Span } from '../bucket.ts'
import type { LedgerBucket, SloRevision, RangeSum } from '../ledger-store.ts'
import type { RecentMinutes } from './recent-minutes.ts'

/** Cached hours and days of one SLO, until one is written: start times of the stored ones by the spans that were read, and sums. */
type Coarse = { starts: Map<string, ReadonlySet<number>>; sums: Map<string, RangeSum> }

/**
 * Cached data of one SLO; `usedAt`: end of the windows that were last read, in Unix seconds. `windows`: sums of windows, for the composites
 * of which it is a member, which read the same ones; emptied when a bucket is written. `reach`: absent until it is read.
 */
export type CachedSlo = {
  revision: number
  minutes: RecentMinutes
  coarse: Coarse
  windows: Map<string, WindowSum>
  usedAt: number
  reach?: Reach
}

const maxSlos = 10_000 // 7 kB each
const maxSums = 100
const maxWindows = 40
const maxStarts = 12 // one for its windows, others for its burn rates and for those of each composite of which it is a member
const maxUnusedSeconds = 600 // must end before src/ledger/retired-store.ts writes a retired revision, which is not reported here

/**
 * Cache of the minutes and sums of evaluated SLOs that the next evaluation reads again. It equals the ledger to the last bit,
 * because every write to the ledger is reported here: by `put` in the transaction, or by `invalidate` after it. It may be lost.
 */
export class LedgerCache {
  readonly #slos = new Map<number, CachedSlo>()
  #version = 0
  #sweptAt = 0

  /** Number of transactions with `put` that are running or waiting. */
  writers = 0

  /** Finds an SLO, for windows that end at `atSeconds`. An entry last used for a later time is dropped. */
  find({ sloId, revision }: SloRevision, atSeconds: number): CachedSlo | undefined {
    const cachedSlo = this.#slos.get(sloId)
    if (!cachedSlo) return undefined
    const isRecent = cachedSlo.usedAt <= atSeconds && atSeconds - cachedSlo.usedAt <= maxUnusedSeconds
    if (cachedSlo.revision === revision && isRecent && cachedSlo.minutes.until <= atSeconds) {
      cachedSlo.usedAt = atSeconds
      return cachedSlo
    }
    this.#slos.delete(sloId)
    return undefined
  }

  /** Changes whenever data read before may be outdated and must not be cached. */
  get version(): number {
    return this.#version
  }

  /** True if there is room for another SLO; drops those that are no longer evaluated. */
  hasRoom(atSeconds: number): boolean {
    if (this.#slos.size < maxSlos || this.#sweptAt === atSeconds) return this.#slos.size < maxSlos
    this.#sweptAt = atSeconds
    for (const [id, { usedAt }] of this.#slos) {
      if (Math.abs(atSeconds - usedAt) > maxUnusedSeconds) this.#slos.delete(id)
    }
    return this.#slos.size < maxSlos
  }

  /** Adds an SLO with its recent minutes, if there is room. */
  add({ sloId, revision }: SloRevision, minutes: RecentMinutes, atSeconds: number): void {
    if (!this.hasRoom(atSeconds)) return
    this.#slos.set(sloId, { revision, minutes, coarse: newCoarse(), windows: new Map(), usedAt: atSeconds })
  }

  /** True if a bucket is stored with these values and need not be written again. */
  has(bucket: LedgerBucket): boolean {
    const cachedSlo = bucket.resolution === minute ? this.#slos.get(bucket.sloId) : undefined
    return cachedSlo?.revision === bucket.revision && cachedSlo.minutes.has(bucket)
  }

  /** Records buckets that are being written. To be called in their transaction; if that fails, `invalidate` must be called. */
  put(buckets: LedgerBucket[]): void {
    for (const bucket of buckets) {
      const cachedSlo = this.#slos.get(bucket.sloId)
      if (!cachedSlo) this.#version += 1
      if (cachedSlo?.revision !== bucket.revision) continue
      if (bucket.startSeconds <= (cachedSlo.reach?.firstSeconds ?? -Infinity)) delete cachedSlo.reach
      cachedSlo.windows = new Map()
      if (bucket.resolution === minute) cachedSlo.minutes.put(bucket)
      else cachedSlo.coarse = newCoarse()
    }
  }

  /** Drops SLOs whose buckets were written in another way; to be called after the transaction. */
  invalidate(sloIds: Iterable<number>): void {
    this.#version += 1
    for (const id of sloIds) this.#slos.delete(id)
  }

  /** Records that buckets of one length that begin earlier have been deleted. */
  noteDeletedBefore(resolution: Resolution, beforeSeconds: number): void {
    this.#version += 1
    for (const [id, cachedSlo] of this.#slos) {
      cachedSlo.windows = new Map()
      if (resolution !== minute) cachedSlo.coarse = newCoarse()
      else if (cachedSlo.minutes.from < beforeSeconds) this.#slos.delete(id)
    }
  }
}

const caches = new WeakMap<object, LedgerCache>()

/** Returns the cache of a database, the same at each call. */
export function ledgerCacheOf(db: Pick<Database, 'write'>): LedgerCache {
  return caches.getOrInsertComputed(db, () => new LedgerCache())
}

/** Sum of a span, if it is known. */
export function cachedSumOf({ minutes, coarse }: CachedSlo, { resolution, startSeconds, endSeconds }: Span) {
  if (resolution === minute) return minutes.sum(startSeconds, endSeconds)
  return coarse.sums.get(keyOf({ resolution, startSeconds, endSeconds }))
}

/** Keeps a sum; `coarse` must have been taken before the sum was read. */
export function cacheSum({ sums }: Coarse, span: Span, sum: RangeSum): void {
  if (span.resolution === minute) return
  if (sums.size >= maxSums) sums.clear()
  sums.set(keyOf(span), sum)
}

/** Keeps the sum of a window; `windows` must have been taken before the sum was read. */
export function cacheWindow(windows: CachedSlo['windows'], key: string, sum: WindowSum): void {
  if (windows.size >= maxWindows) windows.clear()
  windows.set(key, sum)
}

/** Keeps the start times of the stored buckets of some spans; `coarse` must have been taken before they were read. */
export function cacheStarts({ starts }: Coarse, spans: string, read: ReadonlySet<number>): void {
  if (starts.size >= maxStarts) starts.clear()
  starts.set(spans, read)
}

function keyOf({ resolution, startSeconds, endSeconds }: Span): string {
  return `${resolution} ${startSeconds} ${endSeconds}`
}

function newCoarse(): Coarse {
  return { starts: new Map(), sums: new Map() }
}
