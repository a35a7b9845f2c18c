import { setImmediate as nextTurn } from 'node:timers/promises'
import { inTurns, type Steps } from '../../concurrency/steps.ts'
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
const suspectsAtOnce = 500
const headsAtOnce = 200
const pagesAtOnce = 500

export function createForgetting({ file, index, heads, chunks, maxBytes }: Deps): Forgetting {
  const removeSeries = file.prepare('delete from series where id = ?')
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

  /** Whether there may be more to remove. */
  function removeSome(beforeMs: number): boolean {
    const { any, empty } = file.transaction(() => {
      const touched = chunks.removeOldest(beforeMs, chunksAtOnce)
      const some = [...touched, ...suspects.slice(0, suspectsAtOnce)]
      const empty = some.flatMap((id) => index.byId.get(id) ?? []).filter(isEmpty)
      for (const { id } of empty) removeSeries.run(id)
      return { any: touched.length > 0, empty }
    })()
    for (const series of empty) index.remove(series)
    suspects = suspects.slice(suspectsAtOnce)
    return any || suspects.length > 0
  }

  const isEmpty = ({ id, head }: { id: number; head: unknown }) => !head && !chunks.has(id)

  return {
    usedBytes,
    async forget(beforeMs) {
      await inTurns('samples', dropHeads(beforeMs))
      while (file.open && removeSome(usedBytes() > maxBytes ? Infinity : beforeMs)) await nextTurn()
      while (file.open && pragma('freelist_count') > pragma('page_count') / 4) {
        file.pragma(`incremental_vacuum(${pagesAtOnce})`)
        await nextTurn()
      }
    },
  }
}
