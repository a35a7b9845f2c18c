import type { Database } from '../../db/open.ts'
import { minute, type Resolution, type Span } from '../bucket.ts'
import type { LedgerBucket, Measurement, RangeSum } from '../ledger-store.ts'
import type { RecentMinutes } from './recent-minutes.ts'

/** What is known of the hours and days of one SLO, until one is written. `starts`: those that begin in these spans. */
type Coarse = {
  starts: Partial<Record<Resolution, { spans: string; starts: ReadonlySet<number> }>>
  sums: Map<string, RangeSum>
}

/** `usedAt`: the end of the windows that were last read of it, Unix seconds. */
export type Remembered = { revision: number; minutes: RecentMinutes; coarse: Coarse; usedAt: number }

const maxSlos = 10_000 // 6 kB each
const maxSums = 100
const maxUnusedSeconds = 600 // what is measured no more is summed up without it: src/ledger/retired-store.ts

/**
 * Of SLOs that are evaluated, the minutes and sums that the next evaluation reads again. It says what the ledger says, to the
 * last bit, because everything that writes to the ledger says so here: `put` in the transaction, or `forget` after it. It can
 * be lost.
 */
export class LedgerMemory {
  readonly #slos = new Map<number, Remembered>()
  #version = 0
  #sweptAt = 0

  /** Transactions of `put` that are under way, or wait. */
  writers = 0

  /** What is known of an SLO, for windows that end at `atSeconds`; it is used for nothing earlier than the last time. */
  find({ sloId, revision }: Measurement, atSeconds: number): Remembered | undefined {
    const known = this.#slos.get(sloId)
    if (!known) return undefined
    const isRecent = known.usedAt <= atSeconds && atSeconds - known.usedAt <= maxUnusedSeconds
    if (known.revision === revision && isRecent && known.minutes.until <= atSeconds) {
      known.usedAt = atSeconds
      return known
    }
    this.#slos.delete(sloId)
    return undefined
  }

  /** Another number than before: what was read before may not be remembered any more. */
  get version(): number {
    return this.#version
  }

  /** Whether there is room for another; forgets those that are evaluated no more. */
  hasRoom(atSeconds: number): boolean {
    if (this.#slos.size < maxSlos || this.#sweptAt === atSeconds) return this.#slos.size < maxSlos
    this.#sweptAt = atSeconds
    for (const [id, { usedAt }] of this.#slos) {
      if (Math.abs(atSeconds - usedAt) > maxUnusedSeconds) this.#slos.delete(id)
    }
    return this.#slos.size < maxSlos
  }

  /** Remembers an SLO, with its recent minutes. */
  remember({ sloId, revision }: Measurement, minutes: RecentMinutes, atSeconds: number): void {
    if (this.hasRoom(atSeconds)) this.#slos.set(sloId, { revision, minutes, coarse: newCoarse(), usedAt: atSeconds })
  }

  /** Whether a bucket is stored as it is: it need not be written again. */
  has(bucket: LedgerBucket): boolean {
    const known = bucket.resolution === minute ? this.#slos.get(bucket.sloId) : undefined
    return known?.revision === bucket.revision && known.minutes.has(bucket)
  }

  /** Buckets are being written; to be called in their transaction. Where that fails, `forget` is called. */
  put(buckets: LedgerBucket[]): void {
    for (const bucket of buckets) {
      const known = this.#slos.get(bucket.sloId)
      if (!known) this.#version += 1
      if (known?.revision !== bucket.revision) continue
      if (bucket.resolution === minute) known.minutes.put(bucket)
      else known.coarse = newCoarse()
    }
  }

  /** Buckets of these SLOs have been written otherwise; to be called after their transaction. */
  forget(sloIds: Iterable<number>): void {
    this.#version += 1
    for (const id of sloIds) this.#slos.delete(id)
  }

  /** Buckets of one length that begin earlier have been deleted. */
  deletedBefore(resolution: Resolution, beforeSeconds: number): void {
    this.#version += 1
    for (const [id, known] of this.#slos) {
      if (resolution !== minute) known.coarse = newCoarse()
      else if (known.minutes.from < beforeSeconds) this.#slos.delete(id)
    }
  }
}

const memories = new WeakMap<object, LedgerMemory>()

/** There is one for each database. */
export function ledgerMemoryOf(db: Pick<Database, 'write'>): LedgerMemory {
  return memories.getOrInsertComputed(db, () => new LedgerMemory())
}

/** The sum of a span, where it is known. */
export function sumOf({ minutes, coarse }: Remembered, { resolution, startSeconds, endSeconds }: Span) {
  if (resolution === minute) return minutes.sum(startSeconds, endSeconds)
  return coarse.sums.get(keyOf({ resolution, startSeconds, endSeconds }))
}

/** To be given what `coarse` was before the sum was read. */
export function keepSum({ sums }: Coarse, span: Span, sum: RangeSum): void {
  if (span.resolution === minute) return
  if (sums.size >= maxSums) sums.clear()
  sums.set(keyOf(span), sum)
}

function keyOf({ resolution, startSeconds, endSeconds }: Span): string {
  return `${resolution} ${startSeconds} ${endSeconds}`
}

function newCoarse(): Coarse {
  return { starts: {}, sums: new Map() }
}
