import { setImmediate as nextTurn } from 'node:timers/promises'
import { inTurns, type Steps } from '../../concurrency/steps.ts'
import type { Connection } from '../../db/sqlite.ts'
import type { ChunkFile, FirstChunk } from './chunk-file.ts'
import { type Heads, samplesOf } from './heads.ts'
import type { SeriesIndex } from './series-index.ts'

type Deps = {
  file: Connection
  index: SeriesIndex
  heads: Heads
  chunks: ChunkFile
  maxBytes: number
  maxBytesOfOrganization: number
}

/** Makes room in `samples.db`, in steps between which others have their turn. */
export type Forgetting = {
  /**
   * After a flush: removes what is before a time, then the oldest of whichever organization holds most until all are within
   * the bounds, and the series that have nothing left. Ends with the file.
   */
  forget(beforeMs: number): Promise<void>
  usedBytes(): number
  /** What the chunks of each organization hold. */
  bytesByOrganization(): Map<number, number>
}

const chunksAtOnce = 100
const seriesAtOnce = 500
const suspectsAtOnce = 500
const headsAtOnce = 200
const pagesAtOnce = 500

export function createForgetting(deps: Deps): Forgetting {
  const { file, index, heads, chunks, maxBytes, maxBytesOfOrganization } = deps
  const removeSeries = file.prepare('delete from series where id = ?')
  const holdings = file.prepare<[], { organization_id: number; bytes: number }>(
    'select organization_id, bytes from chunk_bytes order by bytes desc, organization_id',
  )
  let suspects: number[] = [] // series that may have nothing left
  const pragma = (name: string) => Number(file.pragma(name, { simple: true }))

  function usedBytes(): number {
    return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
  }

  /** Of the series whose heads ended before. */
  function* dropHeads(beforeMs: number): Steps<void> {
    let seen = 0
    for (const series of heads.all()) {
      const samples = series.head && samplesOf(series.head)
      if ((samples?.timesMs[samples.length - 1] ?? beforeMs) < beforeMs) {
        heads.drop(series)
        suspects.push(series.id)
      }
      seen += 1
      if (seen % headsAtOnce === 0) yield
    }
  }

  /** Removes chunks, and the series that have nothing left by that; says whether there may be more to remove. */
  function removeSome(removeChunks: () => number[]): boolean {
    const { any, empty } = file.transaction(() => {
      const some = [...removeChunks(), ...suspects.slice(0, suspectsAtOnce)]
      const empty = some.flatMap((id) => index.byId.get(id) ?? []).filter(isEmpty)
      for (const { id } of empty) removeSeries.run(id)
      return { any: some.length > 0, empty }
    })()
    for (const series of empty) index.remove(series)
    suspects = suspects.slice(suspectsAtOnce)
    return any || suspects.length > 0
  }

  const isEmpty = ({ id, head }: { id: number; head: unknown }) => !head && !chunks.has(id)
  const removeOldest = (beforeMs: number) => removeSome(() => chunks.removeOldest(beforeMs, chunksAtOnce))

  /** Which organization has to give something up: of all bounds that are exceeded, the one that holds most. */
  function debtor(): number | undefined {
    const largest = holdings.get()
    const isOver = largest && (usedBytes() > maxBytes || largest.bytes > maxBytesOfOrganization)
    return isOver ? largest.organization_id : undefined
  }

  /** Takes the oldest chunks of an organization, as long as it is the debtor; says whether there was any. */
  async function takeFrom(organizationId: number): Promise<boolean> {
    const ids = [...index.all(organizationId)].map(({ id }) => id)
    const found: FirstChunk[] = []
    for (let from = 0; from < ids.length && file.open; from += seriesAtOnce) {
      found.push(...chunks.firstOf(ids.slice(from, from + seriesAtOnce)))
      await nextTurn()
    }
    const oldest = found.toSorted((one, other) => one.endMs - other.endMs).slice(0, Math.ceil(found.length / 4))
    for (let from = 0; file.open && from < oldest.length; from += chunksAtOnce) {
      if (from > 0 && debtor() !== organizationId) break
      const going = oldest.slice(from, from + chunksAtOnce)
      removeSome(() => {
        going.forEach(chunks.remove)
        return going.map(({ seriesId }) => seriesId)
      })
      await nextTurn()
    }
    return oldest.length > 0
  }

  return {
    usedBytes,
    bytesByOrganization: () => new Map(holdings.all().map(({ organization_id, bytes }) => [organization_id, bytes])),
    async forget(beforeMs) {
      await inTurns('samples', dropHeads(beforeMs))
      while (file.open && removeOldest(beforeMs)) await nextTurn()
      while (file.open) {
        const organizationId = debtor()
        if (organizationId === undefined) break
        if (!(await takeFrom(organizationId))) break
      }
      while (file.open && pragma('freelist_count') > pragma('page_count') / 4) {
        file.pragma(`incremental_vacuum(${pagesAtOnce})`)
        await nextTurn()
      }
    },
  }
}
