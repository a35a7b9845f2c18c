import type { Removal } from '../../src/cache/removal.ts'

export type ModelEntry = {
  organizationId: number
  key: string
  sloId: number
  result: string
  cachedAtMs: number
  expiresAtMs: number | null
  hitCount: number
  lastHitMs: number | null
}

/** Reference model of the cache: a Map in the order of use. `maxBytes`: limit of the results of each organization. */
export function cacheModel(maxBytes: number) {
  const entries = new Map<string, ModelEntry>()
  const counts = new Map([1, 2].map((organizationId) => [organizationId, { hits: 0, misses: 0 }]))
  let maxEntries = 10_000
  const idOf = (organizationId: number, key: string) => `${organizationId} ${key}`
  const isFresh = ({ expiresAtMs }: ModelEntry, nowMs: number) => expiresAtMs === null || expiresAtMs > nowMs
  const heldBy = (organizationId: number) =>
    [...entries.values()].filter((one) => one.organizationId === organizationId)
  const bytesOf = (organizationId: number) =>
    heldBy(organizationId).reduce((sum, { result }) => sum + Buffer.byteLength(result), 0)
  const dropFirst = (isMeant: (entry: ModelEntry) => boolean) => {
    const first = [...entries].find(([, entry]) => isMeant(entry))
    if (first) entries.delete(first[0])
  }
  const makeRoom = () => {
    for (const organizationId of counts.keys()) {
      while (bytesOf(organizationId) > maxBytes) dropFirst((entry) => entry.organizationId === organizationId)
    }
    while (entries.size > maxEntries) {
      const max = Math.max(...[...counts.keys()].map((organizationId) => heldBy(organizationId).length))
      dropFirst(({ organizationId }) => heldBy(organizationId).length === max)
    }
  }
  const use = (id: string, entry: ModelEntry, nowMs: number) => {
    entries.delete(id)
    entries.set(id, entry)
    entry.hitCount += 1
    entry.lastHitMs = nowMs
    countsOf(entry.organizationId).hits += 1
  }
  const countsOf = (organizationId: number) => counts.get(organizationId) ?? { hits: 0, misses: 0 }

  return {
    countsOf,
    put(entry: Omit<ModelEntry, 'hitCount' | 'lastHitMs'>) {
      const id = idOf(entry.organizationId, entry.key)
      entries.delete(id)
      entries.set(id, { ...entry, hitCount: 0, lastHitMs: null })
      makeRoom()
    },
    read(organizationId: number, key: string, nowMs: number, { freshOnly = false } = {}): ModelEntry | null {
      const id = idOf(organizationId, key)
      const entry = entries.get(id)
      if (entry && (!freshOnly || isFresh(entry, nowMs))) {
        use(id, entry, nowMs)
        return entry
      }
      countsOf(organizationId).misses += 1
      return null
    },
    remove(organizationId: number | null, removal: Removal, nowMs: number): number {
      const removed = [...entries].filter(
        ([, entry]) =>
          (organizationId ?? entry.organizationId) === entry.organizationId && isMeant(entry, removal, nowMs),
      )
      for (const [id] of removed) entries.delete(id)
      return removed.length
    },
    configure(max: number) {
      maxEntries = max
      makeRoom()
    },
    of: heldBy,
    bytesOf,
    isFresh,
  }

  function isMeant(entry: ModelEntry, removal: Removal, nowMs: number): boolean {
    if (removal.type === 'all') return true
    if (removal.type === 'key') return entry.key === removal.key
    if (removal.type === 'slo') return entry.sloId === removal.sloId
    if (removal.type === 'expired') return !isFresh(entry, nowMs)
    const { pattern } = removal
    if (!/[*?]/.test(pattern)) return entry.key.startsWith(pattern)
    return new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`).test(entry.key)
  }
}
