import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { among } from '../db/statements/among.ts'
import { insertRow } from '../db/statements/insert-row.ts'
import { flag } from '../db/tables/tables.ts'
import type { StoredResult } from './encoding.ts'
import { type EntryContent, type EntryRecord, type EntrySummary, isFresh, type StoredRecord } from './entry.ts'

/** Entry to insert. Its id, hits and uses are those of `record`. */
export type NewEntry = { record: EntryRecord; content: EntryContent; stored: StoredResult }

/** Entry as read from its row, without its result. */
export type EntryRow = Omit<EntryContent, 'result'>

const recordColumns = [
  'id',
  'organization_id as organizationId',
  'key',
  'slo_id as sloId',
  'size_bytes as sizeBytes',
  'cached_at as cachedAtMs',
  'expires_at as expiresAtMs',
] as const
const columns = [...recordColumns, 'query_hash as queryHash', 'query', 'time_window as timeWindow'] as const

/** Records of the rows after an id, ordered by id. Call again with the last id for more. */
export async function listRecordsAfter(db: Db, id: number, limit: number): Promise<StoredRecord[]> {
  return db
    .selectFrom('cache_entries')
    .select([...recordColumns, 'hit_count as hitCount', 'last_hit_at as lastHitMs', 'used'])
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** An entry with its result as stored; undefined if one of the two rows is missing. */
export async function findEntry(db: Db, id: number): Promise<{ entry: EntryRow; stored: StoredResult } | undefined> {
  const row = await db
    .selectFrom('cache_results')
    .innerJoin('cache_entries', 'cache_entries.id', 'cache_results.entry_id')
    .select([...columns, 'is_gzip', 'checksum', 'result'])
    .where('entry_id', '=', id)
    .executeTakeFirst()
  if (!row) return undefined
  const { is_gzip, checksum, result, id: _, ...entry } = row
  return { entry, stored: { isGzip: is_gzip === 1, checksum, bytes: result } }
}

/** `page` counts from 1. `fresh` false selects expired entries. */
export type EntryPageQuery = { page: number; pageSize: number; sloId?: number | undefined; fresh?: boolean | undefined }

/** `total` counts the entries of all pages. */
export type EntryPage = { entries: EntrySummary[]; total: number }

/** Page of these entries, newest first. */
export async function listPage(
  db: Db,
  records: EntryRecord[],
  { page, pageSize, sloId, fresh }: EntryPageQuery,
  nowMs: number,
): Promise<EntryPage> {
  const isListed = (record: EntryRecord) =>
    (sloId === undefined || record.sloId === sloId) && (fresh === undefined || isFresh(record, nowMs) === fresh)
  const listed = records.filter(isListed)
  listed.sort((one, other) => other.id - one.id)
  const ofPage = listed.slice((page - 1) * pageSize, page * pageSize).map((record) => ({ record, row: record.content }))
  const missing = ofPage.filter(({ row }) => !row).map(({ record }) => record.id)
  const rows = await listEntries(db, missing)
  const entries = ofPage.flatMap(({ record, row = rows.get(record.id) }) => {
    if (!row) return [] // the entry was removed during the lookup
    const { result: _, ...content } = { result: '', ...row } // leaves out the result, which only a row from memory has
    return [{ ...content, hitCount: record.hitCount, lastHitMs: record.lastHitMs }]
  })
  return { entries, total: listed.length }
}

/** The rows of these ids, without their results; missing rows are left out. */
async function listEntries(db: Db, ids: number[]): Promise<Map<number, EntryRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('cache_entries').select(columns).where('id', 'in', among(ids)).execute()
  return new Map(rows.map(({ id, ...entry }) => [id, entry]))
}

export async function insertEntry(trx: Db, { record, content, stored }: NewEntry): Promise<void> {
  await insertRow(trx, 'cache_entries', {
    id: record.id,
    organization_id: content.organizationId,
    key: content.key,
    query_hash: content.queryHash,
    query: content.query,
    slo_id: content.sloId,
    time_window: content.timeWindow,
    size_bytes: content.sizeBytes,
    cached_at: content.cachedAtMs,
    expires_at: content.expiresAtMs,
    hit_count: record.hitCount,
    last_hit_at: record.lastHitMs,
    used: record.used,
  })
  const { isGzip, checksum, bytes } = stored
  await insertRow(trx, 'cache_results', { entry_id: record.id, is_gzip: flag(isGzip), checksum, result: bytes })
}

/** Stores the hits and uses of entries that still exist. */
export async function updateUses(trx: Db, records: EntryRecord[]): Promise<void> {
  if (records.length === 0) return
  const rows = records.map(({ id, hitCount, lastHitMs, used }) => [id, hitCount, lastHitMs, used])
  await sql`
    update cache_entries set hit_count = value->>1, last_hit_at = value->>2, used = value->>3
    from json_each(${JSON.stringify(rows)}) where cache_entries.id = value->>0`.execute(trx)
}

export async function deleteEntries(trx: Db, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`delete from cache_entries where id in ${among(ids)}`.execute(trx)
}

/** Deletes the entries of an organization that never expire. */
export async function deleteLastingEntries(trx: Db, organizationId: number): Promise<void> {
  await trx
    .deleteFrom('cache_entries')
    .where('organization_id', '=', organizationId)
    .where('expires_at', 'is', null)
    .execute()
}
