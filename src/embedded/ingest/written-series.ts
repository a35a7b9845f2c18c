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

const maxCharacters = 24 * 1024 * 1024
const overhead = 100 // bytes of an entry without its key

/**
 * Creates a cache of bounded size for all organizations. It drops what was not used since it was half full, at once: what is in
 * use at all stays without any bookkeeping of its use.
 */
export function createSeriesCache(maxBytes = maxCharacters): SeriesCache {
  let young: Generation = new Map()
  let old: Generation = new Map()
  let youngBytes = 0

  function add(organizationId: number, key: string, series: WrittenSeries): void {
    youngBytes += key.length + overhead
    if (youngBytes > maxBytes) {
      old = young
      young = new Map()
      youngBytes = key.length + overhead
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
