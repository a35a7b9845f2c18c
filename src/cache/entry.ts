import { createHash } from 'node:crypto'
import { minJumpMs } from '../clock.ts'

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

/** False from `expiresAtMs` on, and for what is from later than now: the clock was set back, and would keep it for longer. */
export function isFresh({ cachedAtMs, expiresAtMs }: Lifetime, nowMs: number): boolean {
  return expiresAtMs === null || (cachedAtMs <= nowMs + minJumpMs && nowMs < expiresAtMs)
}

type Lifetime = Pick<EntrySummary, 'cachedAtMs' | 'expiresAtMs'>

const latestMs = 8.64e15 // beyond, there is no date

/** False for a record whose row is damaged so that it could be neither shown nor written again. */
export function isWhole({ id, sizeBytes, cachedAtMs, expiresAtMs, hitCount, lastHitMs, used }: EntryRecord): boolean {
  const counts = [id, sizeBytes, hitCount, used]
  const times = [cachedAtMs, expiresAtMs ?? 0, lastHitMs ?? 0]
  return counts.every(isCount) && times.every((timeMs) => Math.abs(timeMs) <= latestMs)
}

/** What can be counted on without an end to it. */
export function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value < 2 ** 52
}

export function hashOfQuery(query: string): string {
  return createHash('sha256').update(query).digest('hex')
}
