import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { runCooperatively, type CooperativeTask } from '../../concurrency/cooperative.ts'
import type { Connection } from '../../db/sqlite.ts'
import { isDatabaseDamaged } from '../../errors.ts'
import type { ChunkFile, ChunkKey, FirstChunk } from './chunk-file.ts'
import { type Heads, spanOf } from './heads.ts'
import type { SeriesIndex } from './series-index.ts'

type Deps = {
  file: Connection
  index: SeriesIndex
  heads: Heads
  chunks: ChunkFile
  maxBytes: number
  maxBytesOfOrganization: number
}

/** Prunes `samples.db`. Yields to the event loop between steps. */
type Pruner = {
  /**
   * To be called after a flush: deletes samples before a time, then the oldest chunks of the organization that holds most until
   * all bounds are met, and series without samples. Stops once the file is closed.
   */
  prune(beforeMs: number): Promise<void>
  usedBytes(): number
  /** Time of an organization's first sample; null if it has none that can be read. */
  oldestOf(organizationId: number): Promise<number | null>
  /** Bytes of chunks by organization. */
  bytesByOrganization(): Map<number, number>
}

const chunksPerBatch = 100
const seriesPerBatch = 500
const suspectsPerBatch = 500
const headsPerBatch = 200
const pagesPerBatch = 500

export function createPruner(deps: Deps): Pruner {
  const { file, index, heads, chunks, maxBytes, maxBytesOfOrganization } = deps
  const removeSeries = file.prepare('delete from series where id = ?')
  const holdings = file.prepare<[], { organization_id: number; bytes: number }>(
    'select organization_id, bytes from chunk_bytes order by bytes desc, organization_id',
  )
  let suspects: number[] = [] // ids of series that may have no samples left
  const pragma = (name: string) => Number(file.pragma(name, { simple: true }))

  function usedBytes(): number {
    return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
  }

  /** Drops heads that ended before a time. */
  function* dropHeads(beforeMs: number): CooperativeTask<void> {
    let visited = 0
    for (const series of heads.all()) {
      if (series.head && spanOf(series.head).toMs < beforeMs) {
        heads.drop(series)
        suspects.push(series.id)
      }
      visited += 1
      if (visited % headsPerBatch === 0) yield
    }
  }

  /** Deletes chunks, and series that have no samples left. */
  function removeChunks(keys: ChunkKey[]): void {
    const empty = file.transaction(() => {
      keys.forEach(chunks.remove)
      const ids = [...keys.map(({ seriesId }) => seriesId), ...suspects.slice(0, suspectsPerBatch)]
      const empty = [...new Set(ids)].flatMap((id) => index.byId(id) ?? []).filter(isEmpty)
      for (const { id } of empty) removeSeries.run(id)
      return empty
    })()
    for (const series of empty) index.remove(series)
    suspects = suspects.slice(suspectsPerBatch)
  }

  /** Like `removeChunks`, but skips damaged chunks; returns the number of deleted ones. */
  function removeUndamaged(keys: ChunkKey[]): number {
    try {
      removeChunks(keys)
      return keys.length
    } catch (error) {
      if (!isDatabaseDamaged(error)) throw error
      suspects = [] // one of them may be damaged; a series that stays costs only its labels
      return keys.length > 1 ? keys.reduce((removed, one) => removed + removeUndamaged([one]), 0) : 0
    }
  }

  const isEmpty = ({ id, head }: { id: number; head: unknown }) => !head && !chunks.has(id)

  async function removeOldest(beforeMs: number): Promise<void> {
    let skipped = 0
    for (let keys = chunks.oldest(beforeMs, chunksPerBatch, 0); file.open;) {
      if (keys.length === 0 && suspects.length === 0) break
      skipped += keys.length - removeUndamaged(keys)
      await yieldToEventLoop()
      if (file.open) keys = chunks.oldest(beforeMs, chunksPerBatch, skipped)
    }
  }

  /** Returns free pages to the disk; stops at damage, because the pages that move must be readable. */
  async function shrink(): Promise<void> {
    try {
      while (file.open && pragma('freelist_count') > pragma('page_count') / 4) {
        file.pragma(`incremental_vacuum(${pagesPerBatch})`)
        await yieldToEventLoop()
      }
    } catch (error) {
      if (!isDatabaseDamaged(error)) throw error
    }
  }

  /** Organization that holds most, if a bound is exceeded: it must delete samples. */
  function largestHolder(): number | undefined {
    const largest = holdings.get()
    const isOver = largest && (usedBytes() > maxBytes || largest.bytes > maxBytesOfOrganization)
    return isOver ? largest.organization_id : undefined
  }

  /** Deletes the oldest chunks of an organization while it is the `largestHolder`; true if any was deleted. */
  async function pruneOldest(organizationId: number): Promise<boolean> {
    const ids = [...index.all(organizationId)].map(({ id }) => id)
    const firstChunks: FirstChunk[] = []
    for (let from = 0; from < ids.length && file.open; from += seriesPerBatch) {
      firstChunks.push(...chunks.firstChunksOf(ids.slice(from, from + seriesPerBatch)))
      await yieldToEventLoop()
    }
    const oldest = await firstToEnd(firstChunks, Math.ceil(firstChunks.length / 4)) // only a quarter: later chunks of these series may be older than the first chunks of others
    let removed = 0
    for (let from = 0; file.open && from < oldest.length; from += chunksPerBatch) {
      if (from > 0 && largestHolder() !== organizationId) break
      removed += removeUndamaged(oldest.slice(from, from + chunksPerBatch))
      await yieldToEventLoop()
    }
    return removed > 0
  }

  return {
    usedBytes,
    bytesByOrganization: () => new Map(holdings.all().map(({ organization_id, bytes }) => [organization_id, bytes])),
    async oldestOf(organizationId) {
      const all = [...index.all(organizationId)]
      let oldestMs = Infinity
      for (let from = 0; from < all.length && file.open; from += seriesPerBatch) {
        const batch = all.slice(from, from + seriesPerBatch)
        for (const { startMs } of chunks.firstChunksOf(batch.map(({ id }) => id)))
          oldestMs = Math.min(oldestMs, startMs)
        for (const { head } of batch) if (head) oldestMs = Math.min(oldestMs, spanOf(head).fromMs)
        await yieldToEventLoop()
      }
      return Number.isFinite(oldestMs) ? oldestMs : null
    },
    async prune(beforeMs) {
      await runCooperatively('samples', dropHeads(beforeMs))
      if (file.open) await removeOldest(beforeMs)
      while (file.open) {
        const organizationId = largestHolder()
        if (organizationId === undefined) break
        if (!(await pruneOldest(organizationId))) break
      }
      await shrink()
    },
  }
}

/** The `count` chunks that end first, sorted. Yields to the event loop, because sorting all of 100,000 takes too long. */
async function firstToEnd(firstChunks: readonly FirstChunk[], count: number): Promise<FirstChunk[]> {
  const endsMs = Float64Array.from(firstChunks, ({ endMs }) => endMs).toSorted()
  await yieldToEventLoop()
  const lastMs = endsMs[count - 1] ?? -Infinity
  const early = firstChunks.filter(({ endMs }) => endMs <= lastMs)
  await yieldToEventLoop()
  return early.toSorted((one, other) => one.endMs - other.endMs).slice(0, count)
}
