import { createHash } from 'node:crypto'

/** What a cached result is the result of. `key` is free-form, one entry each in an organization. */
export type EntryName = { organizationId: number; key: string; query: string; sloId: number; timeWindow: string }

/** An entry without its result. `expiresAtMs` null: never goes stale. `queryHash`: SHA-256 in hex. */
export type EntrySummary = EntryName & {
  queryHash: string
  sizeBytes: number
  cachedAtMs: number
  expiresAtMs: number | null
  hitCount: number
  lastHitMs: number | null
}

/** `result` is JSON text, byte for byte what was stored. */
export type CacheEntry = EntrySummary & { result: string }

/** What does not change as long as an entry lives. */
export type EntryContent = Omit<CacheEntry, 'hitCount' | 'lastHitMs'>

/** What is held in memory of every entry, wherever its content is. A higher `used` is a later use, over all organizations. */
export type EntryRecord = {
  id: number
  organizationId: number
  key: string
  sloId: number
  sizeBytes: number
  cachedAtMs: number
  expiresAtMs: number | null
  hitCount: number
  lastHitMs: number | null
  used: number
}

/** False from `expiresAtMs` on. */
export function isFresh({ expiresAtMs }: { expiresAtMs: number | null }, nowMs: number): boolean {
  return expiresAtMs === null || nowMs < expiresAtMs
}

export function hashOfQuery(query: string): string {
  return createHash('sha256').update(query).digest('hex')
}
