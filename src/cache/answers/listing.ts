import type { Db } from '../../db/open.ts'
import { type EntryRecord, type EntrySummary, isFresh } from '../entry.ts'
import { listEntries } from '../entry-store.ts'
import type { Entries } from '../tiers/entries.ts'

/** `page` counts from 1. `fresh` false selects expired entries. */
export type PageQuery = { page: number; pageSize: number; sloId?: number | undefined; fresh?: boolean | undefined }

/** `total` counts the entries of all pages. */
export type EntryPage = { entries: EntrySummary[]; total: number }

/** Entries of an organization, latest first. */
export async function listPage(
  db: Db,
  { records }: Pick<Entries, 'records'>,
  organizationId: number,
  { page, pageSize, sloId, fresh }: PageQuery,
  nowMs: number,
): Promise<EntryPage> {
  const isMeant = (record: EntryRecord) =>
    (sloId === undefined || record.sloId === sloId) && (fresh === undefined || isFresh(record, nowMs) === fresh)
  const matching = records.of(organizationId).filter(isMeant)
  matching.sort((one, other) => other.id - one.id)
  const pageEntries = matching
    .slice((page - 1) * pageSize, page * pageSize)
    .map((record) => ({ record, row: record.content }))
  const missing = pageEntries.filter(({ row }) => !row).map(({ record }) => record.id)
  const rows = await listEntries(db, missing)
  const entries = pageEntries.flatMap(({ record, row = rows.get(record.id) }) => {
    if (!row) return [] // removed while it was looked up
    const { result: _, ...content } = { result: '', ...row }
    return [{ ...content, hitCount: record.hitCount, lastHitMs: record.lastHitMs }]
  })
  return { entries, total: matching.length }
}
