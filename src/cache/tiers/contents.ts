import type { Database } from '../../db/open.ts'
import type { Log } from '../../log.ts'
import { decodeResult } from './encoding.ts'
import type { EntryContent, EntryRecord } from '../entry.ts'
import { findEntry } from '../entry-store.ts'
import type { MemoryTier } from './memory-tier.ts'

export type Found = { content: EntryContent; source: 'memory' | 'disk' }

type Deps = {
  db: Pick<Database, 'read'>
  log: Log
  memory: MemoryTier
  contentOfUnwritten: (id: number) => EntryContent | undefined
  /** False once the entry was removed or replaced: then it matters no more what its row holds. */
  isHeld: (record: EntryRecord) => boolean
  /** Called for a row that is not what was stored. */
  onCorrupt: (record: EntryRecord) => void
}

/**
 * Finds the content of an entry in whichever tier has it; undefined where the row is not what was stored. Throws where the
 * database cannot be read. Several who ask the disk for the same at once share one look.
 */
export function createContents({ db, log, memory, contentOfUnwritten, isHeld, onCorrupt }: Deps) {
  const looks = new Map<number, Promise<Found | undefined>>()

  async function look(record: EntryRecord): Promise<Found | undefined> {
    const row = await findEntry(db.read, record.id)
    try {
      if (!row) throw new Error('a row is missing')
      if (!isOf(row.entry, record)) throw new Error('the row is of another entry')
      const result = decodeResult(row.entry, row.stored)
      const content = { ...row.entry, result }
      if (isHeld(record)) memory.set(record, content)
      return { content, source: 'disk' }
    } catch (error) {
      if (!isHeld(record)) return undefined
      const reason = error instanceof Error ? error.message : String(error)
      log.warn('a corrupt row of the cache was dropped', { id: record.id, reason })
      onCorrupt(record)
      return undefined
    }
  }

  return {
    /** What is known without the disk; no use. */
    peek: (record: EntryRecord) => memory.peek(record) ?? contentOfUnwritten(record.id),

    async find(record: EntryRecord): Promise<Found | undefined> {
      const held = memory.get(record) ?? contentOfUnwritten(record.id)
      if (held) return { content: held, source: 'memory' }
      const known = looks.get(record.id)
      if (known) return known
      const looking = look(record)
      looks.set(record.id, looking)
      try {
        return await looking
      } finally {
        looks.delete(record.id)
      }
    },
  }
}

/** What was read at the start and what is read now are told apart by the checksum only if they agree. */
function isOf(entry: Omit<EntryContent, 'result'>, record: EntryRecord): boolean {
  return (
    entry.organizationId === record.organizationId &&
    entry.key === record.key &&
    entry.sloId === record.sloId &&
    entry.sizeBytes === record.sizeBytes &&
    entry.cachedAtMs === record.cachedAtMs &&
    entry.expiresAtMs === record.expiresAtMs
  )
}
