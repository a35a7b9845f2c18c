import { LRUCache } from 'lru-cache'
import { mostEntries } from './config.ts'
import type { EntryRecord } from './entry.ts'

type Name = { organizationId: number; key: string }

/** Which entries there are, in both tiers and of all organizations, from the least to the most recently used. */
export type Catalogue = {
  readonly size: number
  find(name: Name): EntryRecord | undefined
  /** False once the entry was removed, or replaced under its key. */
  holds(record: EntryRecord): boolean
  /** Puts it in as the last used; the key must be free. */
  add(record: EntryRecord): void
  /** Makes it the last used. */
  touch(record: EntryRecord): void
  delete(record: EntryRecord): void
  takeLeastUsed(): EntryRecord | undefined
  filter(isMeant: (record: EntryRecord) => boolean): EntryRecord[]
}

export function createCatalogue(): Catalogue {
  const records = new LRUCache<string, EntryRecord>({ max: mostEntries })
  let uses = 0
  return {
    get size() {
      return records.size
    },
    find: (name) => records.peek(idOf(name)),
    holds: (record) => records.peek(idOf(record)) === record,
    add(record) {
      uses = Math.max(uses + 1, record.used)
      record.used = uses
      records.set(idOf(record), record)
    },
    touch(record) {
      uses += 1
      record.used = uses
      records.get(idOf(record))
    },
    delete: (record) => void records.delete(idOf(record)),
    takeLeastUsed: () => records.pop(),
    filter(isMeant) {
      const meant: EntryRecord[] = []
      records.forEach((record) => {
        if (isMeant(record)) meant.push(record)
      })
      return meant
    },
  }
}

/** Unambiguous, for an organization is a number. */
export function idOf({ organizationId, key }: Name): string {
  return `${organizationId}:${key}`
}
