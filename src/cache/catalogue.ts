import type { EntryRecord } from './entry.ts'
import { createFairLru } from './tiers/fair-lru.ts'

type Name = { organizationId: number; key: string }

/** Which entries there are, in both tiers and of all organizations, of each from the least to the most recently used. */
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
  /** The least used entry of an organization; without one, of the one that has most entries. */
  takeLeastUsed(organizationId?: number): EntryRecord | undefined
  organizations(): number[]
  of(organizationId: number): EntryRecord[]
  /** Of the results of an organization. */
  bytesOf(organizationId: number): number
  filter(isMeant: (record: EntryRecord) => boolean): EntryRecord[]
}

export function createCatalogue(): Catalogue {
  const records = createFairLru<string, EntryRecord>({ rank: 'size', weigh: ({ sizeBytes }) => Math.max(1, sizeBytes) })
  let uses = 0
  const find = ({ organizationId, key }: Name) => records.peek(organizationId, key)
  return {
    get size() {
      return records.size
    },
    find,
    holds: (record) => find(record) === record,
    add(record) {
      uses = Math.max(uses + 1, record.used)
      record.used = uses
      records.set(record.organizationId, record.key, record)
    },
    touch(record) {
      uses += 1
      record.used = uses
      records.get(record.organizationId, record.key)
    },
    delete: ({ organizationId, key }) => records.delete(organizationId, key),
    takeLeastUsed: (organizationId) =>
      organizationId === undefined ? records.takeOfLargest() : records.takeOf(organizationId),
    organizations: records.owners,
    of: records.of,
    bytesOf: records.weightOf,
    filter: (isMeant) => records.owners().flatMap((organizationId) => records.of(organizationId).filter(isMeant)),
  }
}

/** Unambiguous, for an organization is a number. */
export function idOf({ organizationId, key }: Name): string {
  return `${organizationId}:${key}`
}
