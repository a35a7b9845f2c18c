import type { Db } from '../../db/open.ts'
import { listHotKeys } from './analytics-store.ts'
import { isFresh } from '../entry.ts'
import type { Entries } from '../tiers/entries.ts'
import { hourMs } from '../../clock.ts'

/**
 * Statistics of one organization. `freshCount` and `expiredCount` add up to `totalEntries`. Hits, misses and dropped (corrupt) rows
 * are counted from the beginning. `averageTtlMs` leaves out entries that never expire. Hot: at least 10 hits in the current and the
 * last full hour. Cold: neither stored nor hit for a day. `memoryBytes`: size of the memory tier.
 */
export type CacheStatistics = {
  totalEntries: number
  totalHits: number
  totalMisses: number
  totalDropped: number
  hitRate: number
  averageTtlMs: number
  averageEntryBytes: number
  freshCount: number
  expiredCount: number
  hotCount: number
  coldCount: number
  memoryBytes: number
}

const hotHits = 10
const coldAfterMs = 24 * hourMs

/** Computes the statistics; an average or a rate without values is 0. */
export async function statisticsOf(
  db: Db,
  { records, find, countersOf, memoryBytesOf, flush }: Entries,
  organizationId: number,
  nowMs: number,
): Promise<CacheStatistics> {
  await flush().catch(() => {}) // if the disk refuses writes, only the number of hot entries lags behind
  const hotKeys = await listHotKeys(db, organizationId, Math.floor(nowMs / hourMs) - 1, hotHits)
  const entries = records.of(organizationId)
  const { hits, misses, dropped } = countersOf(organizationId)
  const lifetimes = entries.flatMap(({ cachedAtMs, expiresAtMs }) =>
    expiresAtMs === null ? [] : [expiresAtMs - cachedAtMs],
  )
  const fresh = entries.filter((record) => isFresh(record, nowMs))
  return {
    totalEntries: entries.length,
    totalHits: hits,
    totalMisses: misses,
    totalDropped: dropped,
    hitRate: hits + misses === 0 ? 0 : hits / (hits + misses),
    averageTtlMs: average(lifetimes),
    averageEntryBytes: average(entries.map(({ sizeBytes }) => sizeBytes)),
    freshCount: fresh.length,
    expiredCount: entries.length - fresh.length,
    hotCount: hotKeys.filter((key) => find({ organizationId, key })).length,
    coldCount: entries.filter(({ cachedAtMs, lastHitMs }) => nowMs - (lastHitMs ?? cachedAtMs) > coldAfterMs).length,
    memoryBytes: memoryBytesOf(organizationId),
  }
}

function average(values: number[]): number {
  return values.length === 0 ? 0 : Math.round(values.reduce((sum, value) => sum + value, 0) / values.length)
}
