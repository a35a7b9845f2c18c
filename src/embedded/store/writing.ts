import type { Clock } from '../../clock.ts'
import type { Connection } from '../../db/sqlite.ts'
import { AppError } from '../../errors.ts'
import type { ChunkFile } from './chunk-file.ts'
import type { SampleValue } from './columns.ts'
import { type Heads, samplesOf } from './heads.ts'
import { addTo, emptyEntry, type LogFile, logBytes } from './log-file.ts'
import type { Series, SeriesIndex } from './series-index.ts'

type Deps = {
  file: Connection
  clock: Clock
  index: SeriesIndex
  heads: Heads
  chunks: ChunkFile
  log: LogFile
  maxBytes: number
}

/** The way of a sample: into the head of its series and, with a flush, into the log; with a full or old head into a chunk. */
export type Writing = {
  append(series: Series, timeMs: number, value: SampleValue): void
  /** Throws `unavailable` while more waits to be written than memory should hold: the disk takes nothing. */
  assertRoom(): void
  /** One transaction; after one that fails everything is still to be written. */
  flush(): void
  /** Fills index and heads with what the file has. */
  restore(): void
}

const longestLogMs = 2 * 60 * 60 * 1000
const largestLog = 32 * 1024 * 1024
const mostPending = 1_000_000 // samples, 20 MB and as much again in heads
const mostPacked = 500 // in one flush, so that none takes long

export function createWriting({ file, clock, index, heads, chunks, log, maxBytes }: Deps): Writing {
  const insertSeries = file.prepare('insert into series (id, organization_id, labels) values (?, ?, ?)')
  let rows: { id: number; bytes: number; madeMs: number }[] = [] // of the log, oldest first
  let nextLog = 1
  let pending = emptyEntry()
  let lastWritten = 0 // series up to this id are in the file

  /** The first row of the log that may stay: what is before it is too old or too much. */
  function firstToStay(): number {
    const allowed = Math.min(largestLog, maxBytes / 4)
    let excess = rows.reduce((sum, { bytes }) => sum + bytes, 0) - allowed
    const stays = rows.find(({ bytes, madeMs }) => {
      const goes = excess > 0 || madeMs < clock.now() - longestLogMs
      excess -= bytes
      return !goes
    })
    return stays?.id ?? nextLog
  }

  return {
    append(series, timeMs, value) {
      heads.append(series, nextLog, timeMs, value)
      addTo(pending, series.id, timeMs, value)
    },
    assertRoom() {
      if (pending.samples.length < mostPending) return
      throw new AppError('unavailable', 'Samples cannot be written', { details: 'samples.db takes no more samples' })
    },
    flush() {
      const full = heads.due(firstToStay(), mostPacked)
      const bytes = logBytes(pending.samples.length)
      if (bytes === 0 && full.size === 0) return
      const keptFrom = heads.oldestLog(full) ?? nextLog + 1
      const made = index.madeAfter(lastWritten)
      file.transaction(() => {
        for (const { id, organizationId, key } of made) insertSeries.run(id, organizationId, key)
        if (bytes > 0) log.write(nextLog, pending)
        for (const { id, head } of full) if (head) chunks.write(id, samplesOf(head))
        log.removeBefore(keptFrom)
      })()
      for (const series of full) heads.drop(series)
      if (bytes > 0) rows.push({ id: nextLog, bytes, madeMs: clock.now() })
      rows = rows.filter(({ id }) => id >= keptFrom)
      nextLog += 1
      pending = emptyEntry()
      lastWritten = made.at(-1)?.id ?? lastWritten
    },
    restore() {
      const all = file.prepare<[], { id: number; organization_id: number; labels: string }>(
        'select id, organization_id, labels from series order by id',
      )
      for (const { id, organization_id, labels } of all.iterate()) {
        index.add(id, organization_id, labels)
        lastWritten = id
      }
      for (const { id, entry } of log.read()) {
        for (let at = 0; at < entry.samples.length; at += 1) {
          const series = index.byId.get(entry.seriesIds[at] ?? 0) // none where it was forgotten since
          if (series) heads.appendFrom(series, id, entry.samples, at)
        }
        rows.push({ id, bytes: logBytes(entry.samples.length), madeMs: clock.now() })
        nextLog = id + 1
      }
    },
  }
}
