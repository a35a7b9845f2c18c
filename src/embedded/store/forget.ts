import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Connection } from '../../db/sqlite.ts'
import type { ChunkFile } from './chunk-file.ts'
import { type Heads, samplesOf } from './heads.ts'
import type { SeriesIndex } from './series-index.ts'

type Deps = { file: Connection; index: SeriesIndex; heads: Heads; chunks: ChunkFile; maxBytes: number }

/** Makes room in `samples.db`, in steps between which others have their turn. */
export type Forgetting = {
  /** After a flush: removes what is before a time, then the oldest beyond the bound, and the series that have nothing left. Ends with the file. */
  forget(beforeMs: number): Promise<void>
  usedBytes(): number
}

const chunksAtOnce = 100
const pagesAtOnce = 500

export function createForgetting({ file, index, heads, chunks, maxBytes }: Deps): Forgetting {
  const removeSeries = file.prepare('delete from series where id = ?')
  let suspects: number[] = [] // series that may have nothing left
  const pragma = (name: string) => Number(file.pragma(name, { simple: true }))

  function usedBytes(): number {
    return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
  }

  /** Of the series whose heads ended before. */
  function dropHeads(beforeMs: number): void {
    const over = [...heads.all()].filter(({ head }) => {
      const samples = head && samplesOf(head)
      return (samples?.timesMs[samples.length - 1] ?? beforeMs) < beforeMs
    })
    for (const series of over) heads.drop(series)
    suspects.push(...over.map(({ id }) => id))
  }

  /** Whether any chunk was removed. */
  function removeSome(beforeMs: number): boolean {
    const { any, empty } = file.transaction(() => {
      const touched = chunks.removeOldest(beforeMs, chunksAtOnce)
      const empty = [...touched, ...suspects].flatMap((id) => index.byId.get(id) ?? []).filter(isEmpty)
      for (const { id } of empty) removeSeries.run(id)
      return { any: touched.length > 0, empty }
    })()
    for (const series of empty) index.remove(series)
    suspects = []
    return any
  }

  const isEmpty = ({ id, head }: { id: number; head: unknown }) => !head && !chunks.has(id)

  return {
    usedBytes,
    async forget(beforeMs) {
      dropHeads(beforeMs)
      while (file.open && removeSome(usedBytes() > maxBytes ? Infinity : beforeMs)) await nextTurn()
      while (file.open && pragma('freelist_count') > pragma('page_count') / 4) {
        file.pragma(`incremental_vacuum(${pagesAtOnce})`)
        await nextTurn()
      }
    },
  }
}
