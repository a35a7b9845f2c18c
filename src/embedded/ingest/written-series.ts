import type { SeriesRef } from '../store/sample-store.ts'
import type { CountedSeries } from './senders.ts'

/**
 * A series that was written to. `newestMs`: time of its newest sample as far as it is known; -Infinity if it is not. `count`: value of a
 * counter at its newest sample, and the request that wrote it.
 */
export type WrittenSeries = CountedSeries & {
  ref: SeriesRef
  newestMs: number
  count?: { timeMs: number; value: number; request: object }
}

/** Series by the `keyOf` with which a sender names them, so that the labels of a series are read once. */
export type SeriesCache = {
  find(organizationId: number, key: string): WrittenSeries | undefined
  add(organizationId: number, key: string, series: WrittenSeries): void
}

type Generation = Map<number, Map<string, WrittenSeries>>

const defaultMaxBytes = 24 * 1024 * 1024
const overheadBytes = 100 // of an entry without its key

/**
 * Creates a cache for all organizations, of two generations with at most `maxBytes` each. When the young one is full, it becomes
 * the old one, and the entries that were not used since it began are dropped.
 */
export function createSeriesCache(maxBytes = defaultMaxBytes): SeriesCache {
  let young: Generation = new Map()
  let old: Generation = new Map()
  let youngBytes = 0

  function add(organizationId: number, key: string, series: WrittenSeries): void {
    youngBytes += key.length + overheadBytes
    if (youngBytes > maxBytes) {
      old = young
      young = new Map()
      youngBytes = key.length + overheadBytes
    }
    young.getOrInsertComputed(organizationId, () => new Map()).set(key, series)
  }

  return {
    add,
    find(organizationId, key) {
      const known = young.get(organizationId)?.get(key)
      if (known && !known.ref.isRemoved) return known
      const before = old.get(organizationId)?.get(key)
      if (!before || before.ref.isRemoved) return undefined
      add(organizationId, key, before)
      return before
    },
  }
}
