import type { Clock } from '../../clock.ts'
import type { CooperativeTask } from '../../concurrency/cooperative.ts'
import type { Connection } from '../../db/sqlite.ts'
import { AppError } from '../../errors.ts'
import type { ChunkFile, OnDamage } from './chunk-file.ts'
import type { SampleValue } from './columns.ts'
import type { Heads } from './heads.ts'
import type { Outgoing } from './outgoing.ts'
import { addTo, emptyLogEntry, type LogEntry, type LogFile, logBytes } from './log-file.ts'
import { createPacker, withoutSync } from './packing.ts'
import type { SeriesIndex } from './series-index.ts'
import type { StoredSeries } from './series.ts'

type Deps = {
  file: Connection
  clock: Clock
  index: SeriesIndex
  heads: Heads
  chunks: ChunkFile
  log: LogFile
  outgoing: Pick<Outgoing, 'leavingLog' | 'minNextRow'>
  maxBytes: number
  /** Called for a series whose samples are dropped, because there is no undamaged place for them. */
  onDamage: OnDamage
}

/** Write path of a sample: into the head of its series; at a flush into the log; from a full or old head into a chunk. */
type SampleWriter = {
  append(series: StoredSeries, timeMs: number, value: SampleValue): void
  /** Throws `unavailable` if the disk accepts no writes and too many samples wait in memory. */
  assertRoom(): void
  /**
   * Writes pending samples to the log, in transactions of a few milliseconds. If a transaction fails, its samples stay pending.
   */
  writingLog(): CooperativeTask<void>
  /** Runs `writingLog`, then packs heads that are due, some hundred chunks at most. True if more are due. */
  flushing(): CooperativeTask<boolean>
  /** Throws if data that `restoring` reads is damaged. */
  assertUndamaged(): void
  /** Fills index and heads from the file. */
  restoring(): CooperativeTask<void>
  /** Number of samples in the log from an index in a row on, and of those that wait for a flush. */
  samplesFrom(row: number, index: number): number
}

const maxLogAgeMs = 2 * 60 * 60 * 1000
const maxLogBytes = 32 * 1024 * 1024
const maxPendingSamples = 1_000_000 // 20 MB, and as much again in heads
const maxCreatedSeries = 1000 // in one transaction
const maxSamplesPerRow = 32_768 // of the log
const [seriesPerBatch, samplesPerBatch] = [100, 1000] // while restoring

export function createSampleWriter({
  file,
  clock,
  index,
  heads,
  chunks,
  log,
  outgoing,
  maxBytes,
  onDamage,
}: Deps): SampleWriter {
  const insertSeries = file.prepare('insert into series (id, organization_id, labels) values (?, ?, ?)')
  let rows: { id: number; bytes: number; writtenMs: number }[] = [] // log rows, oldest first
  let nextRow = 1
  const fullRows: LogEntry[] = [] // full rows before `nextRow`, which is the row of `pending`
  let pending = emptyLogEntry()
  const { packing: packHeads } = createPacker({ file, heads, chunks, onDamage })
  let lastWritten = 0 // series up to this id are in the file

  /** First log row to keep; rows before it are too old, or exceed the size of the log. */
  function firstRowToKeep(): number {
    const allowed = Math.min(maxLogBytes, maxBytes / 4)
    let excess = rows.reduce((sum, { bytes }) => sum + bytes, 0) - allowed
    const firstKept = rows.find(({ bytes, writtenMs }) => {
      const isDeletable = excess > 0 || writtenMs < clock.now() - maxLogAgeMs
      excess -= bytes
      return !isDeletable
    })
    return firstKept?.id ?? nextRow
  }

  /** Writes one transaction: new series, and once there are no more the next row of the log. True if there is more to write. */
  function writeNext(): boolean {
    const created = index.createdAfter(lastWritten, maxCreatedSeries)
    const hasMore = created.length === maxCreatedSeries
    const entry = fullRows[0] ?? pending
    const row = nextRow - fullRows.length
    const bytes = hasMore ? 0 : logBytes(entry.samples.length)
    if (created.length === 0 && bytes === 0) return false
    file.transaction(() => {
      insertAll(created)
      if (bytes > 0) log.write(row, entry)
    })()
    lastWritten = created.at(-1)?.id ?? lastWritten
    if (bytes > 0) {
      rows.push({ id: row, bytes, writtenMs: clock.now() })
      if (fullRows.length > 0) {
        fullRows.shift()
      } else {
        pending.samples.length = 0 // reuses its memory
        nextRow += 1
      }
    }
    return hasMore || fullRows.length > 0
  }

  function* writingLog(): CooperativeTask<void> {
    while (file.open && writeNext()) yield
  }

  /** Deletes the log rows that no head needs. */
  function* trimmingLog(): CooperativeTask<void> {
    const firstNeeded = Math.min(heads.oldestLogRow() ?? nextRow, nextRow - fullRows.length)
    if ((rows[0]?.id ?? firstNeeded) >= firstNeeded) return
    yield* outgoing.leavingLog(firstNeeded)
    if (!file.open) return
    withoutSync(file, () => log.removeBefore(firstNeeded))
    rows = rows.filter(({ id }) => id >= firstNeeded)
  }

  function* packing(): CooperativeTask<boolean> {
    const hasMore = yield* packHeads(firstRowToKeep(), ({ id }) => id <= lastWritten)
    if (file.open) yield* trimmingLog()
    return hasMore
  }

  function insertAll(created: StoredSeries[]): void {
    for (const { id, organizationId, key } of created) insertSeries.run(id, organizationId, key)
  }

  return {
    append(series, timeMs, value) {
      heads.append(series, nextRow, timeMs, value)
      addTo(pending, series.id, timeMs, value)
      if (pending.samples.length < maxSamplesPerRow) return
      fullRows.push(pending)
      pending = emptyLogEntry()
      nextRow += 1
    },
    assertRoom() {
      if (fullRows.length * maxSamplesPerRow + pending.samples.length < maxPendingSamples) return
      throw new AppError('unavailable', 'Samples cannot be written', { details: 'samples.db takes no more samples' })
    },
    writingLog,
    *flushing() {
      yield* writingLog()
      return yield* packing()
    },
    assertUndamaged() {
      const areLabelsValid =
        file.prepare<[], number | null>('select min(json_valid(labels)) from series').pluck().get() !== 0
      if (!areLabelsValid) throw new Error('labels of a series are damaged')
      for (const row of log.read()) void row // throws for a damaged row
    },
    *restoring() {
      const seriesAfter = file.prepare<[number, number], [id: number, organizationId: number, labels: string]>(
        'select id, organization_id, labels from series where id > ? order by id limit ?',
      )
      for (let batch = seriesAfter.raw().all(0, seriesPerBatch); batch.length > 0 && file.open;) {
        for (const [id, organizationId, labels] of batch) {
          index.add(id, organizationId, labels)
          lastWritten = id
        }
        yield
        if (file.open) batch = seriesAfter.all(lastWritten, seriesPerBatch)
      }
      const previousOrder: (StoredSeries | undefined)[] = [] // a scrape has the same order as the one before
      for (const { id, entry } of file.open ? log.read() : []) {
        for (let at = 0; at < entry.samples.length; at += 1) {
          const seriesId = entry.seriesIds[at] ?? 0
          const series =
            previousOrder[at]?.id === seriesId ? previousOrder[at] : (previousOrder[at] = index.byId(seriesId))
          if (series) heads.appendFrom(series, id, entry.samples, at) // undefined: deleted since
          if (at % samplesPerBatch === 0) yield
        }
        rows.push({ id, bytes: logBytes(entry.samples.length), writtenMs: clock.now() })
        nextRow = id + 1
        if (!file.open) return
      }
      nextRow = Math.max(nextRow, outgoing.minNextRow())
    },
    samplesFrom(row, index) {
      const logged = rows.reduce((sum, { id, bytes }) => (id < row ? sum : sum + bytes / logBytes(1)), 0)
      return Math.max(0, logged - index) + fullRows.length * maxSamplesPerRow + pending.samples.length
    },
  }
}
