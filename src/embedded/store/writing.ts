import type { Clock } from '../../clock.ts'
import type { Steps } from '../../concurrency/steps.ts'
import type { Connection } from '../../db/sqlite.ts'
import { AppError, isDatabaseDamaged } from '../../errors.ts'
import type { ChunkFile, OnDamage } from './chunk-file.ts'
import { columns, type SampleValue } from './columns.ts'
import { largestChunk } from './encoding/chunk.ts'
import { type Heads, readAll } from './heads.ts'
import { addTo, emptyEntry, type Entry, type LogFile, logBytes } from './log-file.ts'
import type { SeriesIndex } from './series-index.ts'
import type { Series } from './series.ts'

type Deps = {
  file: Connection
  clock: Clock
  index: SeriesIndex
  heads: Heads
  chunks: ChunkFile
  log: LogFile
  maxBytes: number
  /** Called for a series whose samples are given up, because there is no place for them that is not damaged. */
  onDamage: OnDamage
}

/** The way of a sample: into the head of its series and, with a flush, into the log; with a full or old head into a chunk. */
type Writing = {
  append(series: Series, timeMs: number, value: SampleValue): void
  /** Throws `unavailable` while more waits to be written than memory should hold: the disk takes nothing. */
  assertRoom(): void
  /** In transactions of a few milliseconds; after one that fails all that it was to write is still to be written. */
  flushing(): Steps<void>
  /** Throws where what `restoring` reads is not as it was written. */
  assertWhole(): void
  /** Fills index and heads with what the file has. */
  restoring(): Steps<void>
}

const maxLogMs = 2 * 60 * 60 * 1000
const largestLog = 32 * 1024 * 1024
const maxPending = 1_000_000 // samples, 20 MB and as much again in heads
const maxPacked = 500 // in one flush, so that none takes long
const maxMade = 4000 // series in one transaction
const maxLogged = 32_768 // samples in one row of the log
const [seriesAtOnce, samplesAtOnce] = [100, 1000] // restored

export function createWriting({ file, clock, index, heads, chunks, log, maxBytes, onDamage }: Deps): Writing {
  const insertSeries = file.prepare('insert into series (id, organization_id, labels) values (?, ?, ?)')
  let rows: { id: number; bytes: number; madeMs: number }[] = [] // of the log, oldest first
  let nextLog = 1
  const whole: Entry[] = [] // the rows before `nextLog`, which is that of `pending`
  let pending = emptyEntry()
  let isCareful = false // once damage was met, heads are packed in transactions of their own
  const stuck = new WeakSet<Series>()
  const packing = columns(largestChunk) // the same memory for all
  let lastWritten = 0 // series up to this id are in the file

  /** The first row of the log that may stay: what is before it is too old or too much. */
  function firstToStay(): number {
    const allowed = Math.min(largestLog, maxBytes / 4)
    let excess = rows.reduce((sum, { bytes }) => sum + bytes, 0) - allowed
    const stays = rows.find(({ bytes, madeMs }) => {
      const goes = excess > 0 || madeMs < clock.now() - maxLogMs
      excess -= bytes
      return !goes
    })
    return stays?.id ?? nextLog
  }

  /** One transaction: new series, and once there are no more the next row of the log. Whether there is more to write. */
  function flushSome(): boolean {
    const made = index.madeAfter(lastWritten, maxMade)
    const hasMore = made.length === maxMade
    if (hasMore) {
      file.transaction(() => insertAll(made))()
    } else {
      const row = nextLog - whole.length
      const entry = whole[0] ?? pending
      const due = isCareful ? new Set<Series>() : heads.due(firstToStay(), maxPacked)
      const bytes = logBytes(entry.samples.length)
      if (bytes === 0 && due.size === 0) return false
      const keptFrom = heads.oldestLog(due) ?? nextLog + 1
      file.transaction(() => {
        insertAll(made)
        if (bytes > 0) log.write(row, entry)
        packAll(due)
        log.removeBefore(keptFrom)
      })()
      for (const series of due) heads.drop(series)
      if (bytes > 0) rows.push({ id: row, bytes, madeMs: clock.now() })
      rows = rows.filter(({ id }) => id >= keptFrom)
      if (whole.length > 0) {
        whole.shift()
      } else {
        pending.samples.length = 0 // in the same memory again
        nextLog += 1
      }
    }
    lastWritten = made.at(-1)?.id ?? lastWritten
    return hasMore || whole.length > 0
  }

  function flushAround(): boolean {
    try {
      return flushSome()
    } catch (error) {
      if (isCareful || !isDatabaseDamaged(error)) throw error
      isCareful = true
      return flushSome()
    }
  }

  function packAll(series: Iterable<Series>): void {
    for (const { id, head } of series) if (head) chunks.write(id, readAll(head, packing))
  }

  /** As `packAll`, in halves until what is damaged is alone, because SQLite ends a transaction that meets damage; gives the others. */
  function packAround(some: Series[]): Series[] {
    try {
      file.transaction(() => packAll(some))()
      return some
    } catch (error) {
      if (!isDatabaseDamaged(error)) throw error
      if (some.length === 1) some.forEach((one) => stuck.add(one))
      const half = Math.ceil(some.length / 2)
      return some.length > 1 ? [...packAround(some.slice(0, half)), ...packAround(some.slice(half))] : []
    }
  }

  /** A head for whose chunk there is no place stays as long as the log has room for it, and is tried once more then. */
  function packDue(): void {
    const firstRow = firstToStay()
    const isOld = ({ head }: Series) => (head?.firstLog ?? firstRow) < firstRow
    const due = [...heads.due(firstRow, maxPacked)]
    const packed = new Set(packAround(due.filter((one) => !stuck.has(one) || isOld(one))))
    for (const series of due) {
      if (!packed.has(series) && !isOld(series)) {
        heads.postpone(series)
        continue
      }
      if (!packed.has(series)) onDamage(series.id)
      heads.drop(series)
    }
  }

  function insertAll(made: Series[]): void {
    for (const { id, organizationId, key } of made) insertSeries.run(id, organizationId, key)
  }

  return {
    append(series, timeMs, value) {
      heads.append(series, nextLog, timeMs, value)
      addTo(pending, series.id, timeMs, value)
      if (pending.samples.length < maxLogged) return
      whole.push(pending)
      pending = emptyEntry()
      nextLog += 1
    },
    assertRoom() {
      if (whole.length * maxLogged + pending.samples.length < maxPending) return
      throw new AppError('unavailable', 'Samples cannot be written', { details: 'samples.db takes no more samples' })
    },
    *flushing() {
      while (file.open && flushAround()) yield
      if (isCareful && file.open) packDue()
    },
    assertWhole() {
      const isWhole = file.prepare<[], number | null>('select min(json_valid(labels)) from series').pluck().get() !== 0
      if (!isWhole) throw new Error('the labels of a series are not as they were written')
      for (const row of log.read()) void row
    },
    *restoring() {
      const after = file.prepare<[number, number], [id: number, organizationId: number, labels: string]>(
        'select id, organization_id, labels from series where id > ? order by id limit ?',
      )
      for (let some = after.raw().all(0, seriesAtOnce); some.length > 0 && file.open;) {
        for (const [id, organizationId, labels] of some) {
          index.add(id, organizationId, labels)
          lastWritten = id
        }
        yield
        if (file.open) some = after.all(lastWritten, seriesAtOnce)
      }
      const places: (Series | undefined)[] = [] // a scrape comes in the order of the one before
      for (const { id, entry } of file.open ? log.read() : []) {
        for (let at = 0; at < entry.samples.length; at += 1) {
          const seriesId = entry.seriesIds[at] ?? 0
          const series = places[at]?.id === seriesId ? places[at] : (places[at] = index.byId(seriesId))
          if (series) heads.appendFrom(series, id, entry.samples, at) // none where it was forgotten since
          if (at % samplesAtOnce === 0) yield
        }
        rows.push({ id, bytes: logBytes(entry.samples.length), madeMs: clock.now() })
        nextLog = id + 1
        if (!file.open) return
      }
    },
  }
}
