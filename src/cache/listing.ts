import type { Db } from '../db/open.ts'
import { type EntryRecord, type EntrySummary, isFresh } from './entry.ts'
import { type EntryRow, listEntries } from './entry-store.ts'
import type { Shelf } from './tiers/shelf.ts'

/** `page` counts from 1; `fresh` false wants the expired ones. */
export type PageWanted = { page: number; pageSize: number; sloId?: number | undefined; fresh?: boolean | undefined }

/** `total` counts the entries of all pages. */
export type EntryPage = { entries: EntrySummary[]; total: number }

/** The entries of an organization, the latest first. */
export async function listPage(
  db: Db,
  { catalogue, contents }: Pick<Shelf, 'catalogue' | 'contents'>,
  organizationId: number,
  { page, pageSize, sloId, fresh }: PageWanted,
  nowMs: number,
): Promise<EntryPage> {
  const meant = catalogue
    .of(organizationId)
    .filter(
      (record) =>
        (sloId === undefined || record.sloId === sloId) && (fresh === undefined || isFresh(record, nowMs) === fresh),
    )
  meant.sort((one, other) => other.id - one.id)
  const records = meant.slice((page - 1) * pageSize, page * pageSize)
  const held = new Map(records.map((record) => [record.id, contents.peek(record)]))
  const missing = records.filter(({ id }) => !held.get(id)).map(({ id }) => id)
  const rows = missing.length > 0 ? await listEntries(db, missing) : new Map<number, EntryRow>()
  const entries = records.flatMap((record) => {
    const row = held.get(record.id) ?? rows.get(record.id)
    return row ? [summary(row, record)] : [] // gone while it was looked up
  })
  return { entries, total: meant.length }
}

function summary(row: EntryRow, { hitCount, lastHitMs }: EntryRecord): EntrySummary {
  const { organizationId, key, query, sloId, timeWindow, queryHash, sizeBytes, cachedAtMs, expiresAtMs } = row
  const name = { organizationId, key, query, sloId, timeWindow }
  return { ...name, queryHash, sizeBytes, cachedAtMs, expiresAtMs, hitCount, lastHitMs }
}
