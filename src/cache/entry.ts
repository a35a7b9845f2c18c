import { minJumpMs } from '../clock.ts'
import { AppError, invalid } from '../errors.ts'

/** Key and query of a cached result. `key` is free-form and unique in an organization. */
export type EntryName = { organizationId: number; key: string; query: string; sloId: number; timeWindow: string }

/** An entry without its result. `expiresAtMs` null: never expires. `queryHash`: SHA-256 in hex. */
export type EntrySummary = EntryName & {
  queryHash: string
  sizeBytes: number
  cachedAtMs: number
  expiresAtMs: number | null
  hitCount: number
  lastHitMs: number | null
}

/** `result` is the stored JSON text, byte for byte. */
export type CacheEntry = EntrySummary & { result: string }

/** Fields that do not change as long as an entry lives. */
export type EntryContent = Omit<CacheEntry, 'hitCount' | 'lastHitMs'>

/** Fields that are read of every row at the start. A higher `used` is a later use, across all organizations. */
export type StoredRecord = Omit<EntrySummary, 'query' | 'timeWindow' | 'queryHash'> & { id: number; used: number }

/** Fields of every entry that are in memory. `content` is set while the memory tier holds the entry, or it is not on disk yet. */
export type EntryRecord = StoredRecord & { isOnDisk: boolean; isRemoved: boolean; content: EntryContent | undefined }

/**
 * False from `expiresAtMs` on, and for an expiring entry from the future: the clock was set back, which would keep it fresh for
 * longer.
 */
export function isFresh({ cachedAtMs, expiresAtMs }: Lifetime, nowMs: number): boolean {
  return expiresAtMs === null || (cachedAtMs <= nowMs + minJumpMs && nowMs < expiresAtMs)
}

type Lifetime = Pick<EntrySummary, 'cachedAtMs' | 'expiresAtMs'>

const latestMs = 8.64e15 // the latest time of a JavaScript Date

/** False for a row with a damaged number, which could neither be presented nor written again. */
export function hasValidNumbers({
  id,
  sizeBytes,
  cachedAtMs,
  expiresAtMs,
  hitCount,
  lastHitMs,
  used,
}: StoredRecord): boolean {
  const counts = [id, sizeBytes, hitCount, used]
  const times = [cachedAtMs, expiresAtMs ?? 0, lastHitMs ?? 0]
  return counts.every(isSafeCount) && times.every((timeMs) => Math.abs(timeMs) <= latestMs)
}

/** True for a count that stays exact however often it is increased. */
export function isSafeCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value < 2 ** 52
}

export function hashOfQuery(query: string): string {
  return Bun.CryptoHasher.hash('sha256', query, 'hex')
}

/** Maximum size of a result that is kept, in bytes of JSON text. */
export const maxResultBytes = 16 * 1024 * 1024
export const maxKeyLength = 1024

/** Throws `invalid` for a name that the disk would not return unchanged. */
export function assertName({ key, query, timeWindow }: EntryName): void {
  if (key.length === 0 || key.length > maxKeyLength || /[\p{Cc}\p{Cs}]/u.test(key)) {
    throw invalid('key', `must be 1 to ${maxKeyLength} characters without control characters`)
  }
  if (/[\0\p{Cs}]/u.test(query)) throw invalid('query', 'must be Unicode text')
  if (/[\0\p{Cs}]/u.test(timeWindow)) throw invalid('time_window', 'must be Unicode text')
}

/** Throws `invalid` if the result is not JSON text, and `too_large` if it is larger than any result may be. */
export function assertResult(result: string): void {
  if (!isJson(result)) throw invalid('result', 'must be JSON')
  if (Buffer.byteLength(result) > maxResultBytes) throw new AppError('too_large', 'Result too large to be cached')
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return text.isWellFormed()
  } catch {
    return false
  }
}
