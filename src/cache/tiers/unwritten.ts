import type { Counters, HourHits } from '../answers/analytics-store.ts'
import type { EntryContent, EntryRecord } from '../entry.ts'

type Added = { record: EntryRecord; content: EntryContent }

/** What one transaction writes. Until `done` or `giveBack`, `contentOf` still knows what it adds. */
export type Slice = {
  deleted: number[]
  added: Added[]
  touched: EntryRecord[]
  hits: HourHits[]
  counters: Counters[]
  done(): void
  /** Keeps everything for another try, but entries beyond what may wait, which it returns. */
  giveBack(): EntryRecord[]
}

/** Changes that are not on the disk yet; one slice at a time is on its way there. */
export type Unwritten = {
  isEmpty(): boolean
  /** Of results that wait. */
  bytes(): number
  contentOf(id: number): EntryContent | undefined
  add(record: EntryRecord, content: EntryContent): void
  delete(record: EntryRecord): void
  touch(record: EntryRecord): void
  countHit(hits: HourHits): void
  countersChanged(counters: Counters): void
  take(): Slice
}

const maxDeleted = 200
const maxAdded = 32
const maxAddedBytes = 512 * 1024
const maxCounted = 500
/** Of results that a disk has refused: they are in memory until it takes them. */
const maxBytesKept = 16 * 1024 * 1024

export function createUnwritten(): Unwritten {
  const added = new Map<number, Added>()
  const onTheWay = new Map<number, Added>()
  const deleted = new Set<number>()
  const touched = new Set<EntryRecord>()
  const hits = new Map<string, HourHits>()
  const counters = new Set<Counters>()
  let bytes = 0

  function add(record: EntryRecord, content: EntryContent) {
    added.set(record.id, { record, content })
    bytes += content.sizeBytes
  }

  function takeAdded(): Added[] {
    const taken: Added[] = []
    let takenBytes = 0
    for (const [id, one] of added) {
      if (taken.length === maxAdded || (taken.length > 0 && takenBytes + one.content.sizeBytes > maxAddedBytes)) break
      taken.push(one)
      takenBytes += one.content.sizeBytes
      added.delete(id)
      onTheWay.set(id, one)
    }
    bytes -= takenBytes
    return taken
  }

  function countHit({ hits: more, ...hit }: HourHits) {
    const name = `${hit.organizationId}:${hit.hour}:${hit.key}`
    const known = hits.get(name)
    if (known) known.hits += more
    else hits.set(name, { ...hit, hits: more })
  }

  function takeHits(): HourHits[] {
    const taken = [...hits.entries().take(maxCounted)]
    for (const [name] of taken) hits.delete(name)
    return taken.map(([, counted]) => counted)
  }

  return {
    isEmpty: () => added.size + deleted.size + touched.size + hits.size + counters.size === 0,
    bytes: () => bytes,
    contentOf: (id) => (added.get(id) ?? onTheWay.get(id))?.content,
    add,
    delete(record) {
      touched.delete(record)
      const waiting = added.get(record.id)
      if (!waiting) deleted.add(record.id)
      else bytes -= waiting.content.sizeBytes
      added.delete(record.id)
    },
    touch(record) {
      if (!added.has(record.id)) touched.add(record)
    },
    countHit,
    countersChanged: (changed) => void counters.add(changed),
    take() {
      const slice = {
        deleted: takeOf(deleted, maxDeleted),
        added: deleted.size === 0 ? takeAdded() : [], // what is new may have the key of what goes
        touched: takeOf(touched, maxCounted),
        hits: takeHits(),
        counters: takeOf(counters, maxCounted),
      }
      return {
        ...slice,
        done: () => onTheWay.clear(),
        giveBack() {
          for (const id of slice.deleted) deleted.add(id)
          for (const record of slice.touched) touched.add(record)
          for (const counted of slice.hits) countHit(counted)
          for (const changed of slice.counters) counters.add(changed)
          onTheWay.clear()
          const kept = slice.added.filter(({ record }) => !deleted.has(record.id))
          if (bytes > maxBytesKept) return kept.map(({ record }) => record)
          for (const { record, content } of kept) add(record, content)
          return []
        },
      }
    },
  }
}

function takeOf<T>(from: Set<T>, most: number): T[] {
  const taken = [...from.values().take(most)]
  for (const one of taken) from.delete(one)
  return taken
}
