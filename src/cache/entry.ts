import { minJumpMs } from '../clock.ts'
import { AppError, invalid } from '../errors.ts'

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

/** What is read of every row at the start. A higher `used` is a later use, over all organizations. */
export type StoredRecord = Omit<EntrySummary, 'query' | 'timeWindow' | 'queryHash'> & { id: number; used: number }

/** What is in memory of every entry. `content`: of those the memory tier holds, and of those that are not on the disk yet. */
export type EntryRecord = StoredRecord & { isOnDisk: boolean; content: EntryContent | undefined }

/** False from `expiresAtMs` on, and for what is from later than now: the clock was set back, and would keep it for longer. */
export function isFresh({ cachedAtMs, expiresAtMs }: Lifetime, nowMs: number): boolean {
  return expiresAtMs === null || (cachedAtMs <= nowMs + minJumpMs && nowMs < expiresAtMs)
}

type Lifetime = Pick<EntrySummary, 'cachedAtMs' | 'expiresAtMs'>

const latestMs = 8.64e15 // beyond, there is no date

/** False for a row with a damaged number, which could neither be presented nor written again. */
export function isWhole({ id, sizeBytes, cachedAtMs, expiresAtMs, hitCount, lastHitMs, used }: StoredRecord): boolean {
  const counts = [id, sizeBytes, hitCount, used]
  const times = [cachedAtMs, expiresAtMs ?? 0, lastHitMs ?? 0]
  return counts.every(isCount) && times.every((timeMs) => Math.abs(timeMs) <= latestMs)
}

/** What can be counted on without an end to it. */
export function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value < 2 ** 52
}

export function hashOfQuery(query: string): string {
  return Bun.CryptoHasher.hash('sha256', query, 'hex')
}

/** A result beyond this many bytes of JSON text is not kept. */
export const maxResultBytes = 16 * 1024 * 1024
export const maxKey = 1024

/** Throws `invalid` for what the disk would not give back as it was. */
export function checkName({ key, query, timeWindow }: EntryName): void {
  if (key.length === 0 || key.length > maxKey || /[\p{Cc}\p{Cs}]/u.test(key)) {
    throw invalid('key', `must be 1 to ${maxKey} characters without control characters`)
  }
  if (/[\0\p{Cs}]/u.test(query)) throw invalid('query', 'must be Unicode text')
  if (/[\0\p{Cs}]/u.test(timeWindow)) throw invalid('time_window', 'must be Unicode text')
}

/** Throws `invalid` for what is no JSON text, and `too_large` for what is larger than any result may be. */
export function checkResult(result: string): void {
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
