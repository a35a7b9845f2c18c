import type { SeriesRef } from '../store/sample-store.ts'
import type { CountedSeries } from './senders.ts'

/**
 * A series that a sender has written samples to. `newestMs`: time of its newest sample; -Infinity: not known. `count`: value of a
 * counter at its newest sample, and the request that wrote it.
 */
export type WrittenSeries = CountedSeries & {
  ref: SeriesRef
  newestMs: number
  count?: { timeMs: number; value: number; request: object }
}

/** Cache of series by the key under which a sender writes them, so that the labels of a series are parsed only once. */
export type SeriesCache = {
  find(organizationId: number, key: string): WrittenSeries | undefined
  add(organizationId: number, key: string, series: WrittenSeries): void
}

type Generation = Map<number, Map<string, WrittenSeries>>

const defaultMaxBytes = 24 * 1024 * 1024
const overheadBytes = 100 // of an entry without its key

/**
 * Creates a cache for all organizations, of two generations with at most `maxBytes` each. When the young generation is full, it
 * replaces the old one, whose remaining entries are dropped. An entry of the old generation that is used moves to the young one.
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
      const oldEntry = old.get(organizationId)?.get(key)
      if (!oldEntry || oldEntry.ref.isRemoved) return undefined
      add(organizationId, key, oldEntry)
      return oldEntry
    },
  }
}
