import type { CooperativeTask } from '../../concurrency/cooperative.ts'
import { hourMs } from '../../clock.ts'
import { type Columns, columns, picked, pushRange } from './columns.ts'
import { emptyLogEntry, type LogEntry, type LogFile } from './log-file.ts'
import { type Gap, type OutgoingFile, placeOf, rowAt } from './outgoing-file.ts'
import type { SeriesIndex } from './series-index.ts'
import type { StoredSeries } from './series.ts'

/**
 * Samples of several series, one series after the other, each sorted by time. `firstSamples`: index in `samples` of the first sample
 * of each series; the last entry is the number of samples.
 */
export type OutgoingSamples = { series: StoredSeries[]; firstSamples: number[]; samples: Columns }

/**
 * Samples to be sent; may be empty. `isCurrent` returns false once the samples have left the log; a gap has them then, and they
 * come again.
 */
export type OutgoingBatch = OutgoingSamples & { isCurrent(): boolean; acknowledge(): void }

/**
 * Samples of all organizations for remote write, in the order of their commits, each at least once. They are read from the log. For
 * samples that leave the log before they are sent, their hours are stored as gaps, and the samples are read from the chunks.
 */
export type Outgoing = {
  /** Starts sending with the log row `nextRow`; no effect if it has started before. */
  begin(nextRow: number): void
  /** Stops sending, and drops the position and the gaps. */
  end(): void
  /** Next samples, about `max`; returns the same samples of the log until they are acknowledged. Undefined: all have been sent. */
  next(max: number): OutgoingBatch | undefined
  /** Stores gaps for unsent samples in log rows below `firstKept`. Call it before these rows are deleted. */
  leavingLog(firstKept: number): CooperativeTask<void>
  /** Lowest id that the next log row may have: the row of the first unsent sample; 0 before sending has started. */
  minNextRow(): number
  /** Log row and index of the next sample, and number of samples in gaps; undefined: sending has not started. */
  position(): { row: number; index: number; inGaps: number } | undefined
}

type Deps = {
  file: OutgoingFile
  log: LogFile
  index: SeriesIndex
  /** Samples of series in [fromMs, toMs], without those that cannot be read. */
  read: (series: readonly StoredSeries[], fromMs: number, toMs: number) => Iterable<Columns | undefined>
}

const seriesPerRead = 20

export function createOutgoing({ file, log, index, read }: Deps): Outgoing {
  /** Gap that is being read; its series with ids up to `lastId` have been sent. */
  let openGap: { gap: Gap; lastId: number } | undefined

  let lastRow: ReturnType<LogFile['rowFrom']> // several batches are taken from a large row

  function rowFrom(id: number): ReturnType<LogFile['rowFrom']> {
    if (lastRow?.id !== id) lastRow = log.rowFrom(id)
    return lastRow
  }

  function nextOfGap(max: number): OutgoingBatch | undefined {
    openGap ??= opened(file.open())
    if (!openGap) return undefined
    const { gap } = openGap
    const batch: OutgoingSamples = { series: [], firstSamples: [0], samples: columns(max) }
    const readTo = readSome(index, read, { ...gap, afterId: openGap.lastId, max }, batch)
    return {
      ...batch,
      isCurrent: () => true,
      acknowledge() {
        if (openGap?.gap !== gap) return
        if (readTo !== null) {
          openGap.lastId = readTo
          return
        }
        file.close(gap)
        openGap = undefined
      },
    }
  }

  function nextOfLog(max: number): OutgoingBatch | undefined {
    const progress = file.progress()
    if (!progress) return undefined
    const { sentTo, tryingTo } = progress
    const found = takeFrom(rowFrom, sentTo, tryingTo > sentTo ? tryingTo : undefined, max)
    if (found.samples.length === 0) {
      if (tryingTo === sentTo) return undefined
      file.move({ sentTo: tryingTo, tryingTo }) // its rows were damaged
      return nextOfLog(max)
    }
    if (found.to !== tryingTo) file.move({ sentTo, tryingTo: found.to })
    const isCurrent = () => file.progress()?.sentTo === sentTo
    return {
      ...bySeries(found, index),
      isCurrent,
      acknowledge() {
        if (isCurrent()) file.move({ sentTo: found.to, tryingTo: found.to })
      },
    }
  }

  return {
    begin(nextRow) {
      if (!file.progress()) file.begin(placeOf(nextRow, 0))
    },
    end() {
      openGap = undefined
      lastRow = undefined
      if (file.progress()) file.end()
    },
    next: (max) => (file.progress() ? (nextOfGap(max) ?? nextOfLog(max)) : undefined),
    *leavingLog(firstKept) {
      for (let progress = file.progress(); progress; progress = file.progress()) {
        const { row, index: first } = rowAt(progress.sentTo)
        if (row >= firstKept) return
        const found = log.rowFrom(row)
        const isLeaving = found && found.id < firstKept
        const gaps = isLeaving ? gapsOf(found.entry, found.id === row ? first : 0, index) : []
        file.addGaps(gaps, placeOf(isLeaving ? found.id + 1 : firstKept, 0))
        yield
      }
    },
    minNextRow: () => rowAt(file.progress()?.sentTo ?? 0).row,
    position() {
      const progress = file.progress()
      return progress && { ...rowAt(progress.sentTo), inGaps: file.samplesInGaps() }
    },
  }
}

function opened(gap: Gap | undefined) {
  return gap && { gap, lastId: 0 }
}

/** Samples in [fromMs, toMs] of an organization's series with ids above `afterId`; about `max` of them. */
export type Span = { organizationId: number; fromMs: number; toMs: number; afterId: number; max: number }

/** Reads about `max` samples, or fewer after `maxReads`. Returns the id of the last series that was read; null: no series remain. */
export function readSome(index: SeriesIndex, read: Deps['read'], span: Span, into: OutgoingSamples): number | null {
  const { organizationId, fromMs, toMs, max } = span
  let lastId = span.afterId
  for (let reads = 0; into.samples.length < max; reads += 1) {
    if (reads >= maxReads) return lastId
    const some = index.createdAfter(lastId, seriesPerRead)
    const last = some.at(-1)
    if (!last) return null
    lastId = last.id
    const ofOrganization = some.filter((series) => series.organizationId === organizationId)
    let at = 0
    for (const samples of read(ofOrganization, fromMs, toMs)) {
      const series = ofOrganization[at]
      at += 1
      if (!series || !samples || samples.length === 0) continue
      pushRange(into.samples, samples)
      into.series.push(series)
      into.firstSamples.push(into.samples.length)
    }
  }
  return lastId
}

const maxReads = 50 // limits the time for series of other organizations and series without samples

/** Samples of the log from `place` up to `limit`, or about `max` samples without a limit. `to`: place after the last one. */
function takeFrom(
  rowFrom: LogFile['rowFrom'],
  place: number,
  limit: number | undefined,
  max: number,
): LogEntry & { to: number } {
  const taken = emptyLogEntry()
  const ids: number[] = []
  const isFull = (at: number) => (limit === undefined ? taken.samples.length >= max : at >= limit)
  let to = place
  while (!isFull(to)) {
    const { row, index: first } = rowAt(to)
    const found = rowFrom(row)
    if (!found || (limit !== undefined && placeOf(found.id, 0) >= limit))
      return { ...withIds(taken, ids), to: limit ?? to }
    const { samples, seriesIds } = found.entry
    const from = found.id === row ? first : 0
    const room = limit === undefined ? max - taken.samples.length : limit - placeOf(found.id, from)
    const end = Math.min(samples.length, from + room)
    pushRange(taken.samples, samples, from, end)
    for (let at = from; at < end; at += 1) ids.push(seriesIds[at] ?? 0)
    to = end === samples.length ? placeOf(found.id + 1, 0) : placeOf(found.id, end)
  }
  return { ...withIds(taken, ids), to }
}

function withIds({ samples }: LogEntry, ids: readonly number[]): LogEntry {
  return { samples, seriesIds: Uint32Array.from(ids) }
}

/** Groups samples by series and sorts them by time. Of several at the same time, keeps the last; drops removed series. */
function bySeries({ samples, seriesIds }: LogEntry, index: SeriesIndex): OutgoingSamples {
  const time = (at: number) => samples.timesMs[at] ?? 0
  const last = new Map<number, number>() // index of the last sample of each series so far
  const previous = new Int32Array(seriesIds.length) // index of the sample of the same series before, or -1
  for (let at = 0; at < seriesIds.length; at += 1) {
    const id = seriesIds[at] ?? 0
    previous[at] = last.get(id) ?? -1
    last.set(id, at)
  }
  const grouped: OutgoingSamples = { series: [], firstSamples: [0], samples: columns(0) }
  const order = new Uint32Array(seriesIds.length)
  let length = 0
  for (const [id, lastIndex] of last) {
    const series = index.byId(id)
    if (!series) continue
    const ofSeries: number[] = []
    for (let at = lastIndex; at >= 0; at = previous[at] ?? -1) ofSeries.push(at)
    if (ofSeries.length > 1) ofSeries.sort((a, b) => time(a) - time(b) || b - a)
    let lastMs: number | undefined
    for (const at of ofSeries) {
      if (time(at) === lastMs) continue
      lastMs = time(at)
      order[length] = at
      length += 1
    }
    grouped.series.push(series)
    grouped.firstSamples.push(length)
  }
  return { ...grouped, samples: picked(samples, order.subarray(0, length)) }
}

/** Gaps for the samples of a log row from the index `from` on: one for each organization and hour. */
function gapsOf({ samples, seriesIds }: LogEntry, from: number, index: SeriesIndex): Iterable<Gap> {
  const gaps = new Map<string, Gap>()
  let [lastId, organizationId, gap]: [number, number | undefined, Gap | undefined] = [0, undefined, undefined]
  for (let at = from; at < samples.length; at += 1) {
    const timeMs = samples.timesMs[at] ?? 0
    const id = seriesIds[at] ?? 0
    if (id !== lastId) organizationId = index.byId(id)?.organizationId
    lastId = id
    if (organizationId === undefined) continue
    const hourStartMs = Math.floor(timeMs / hourMs) * hourMs
    if (gap?.hourStartMs !== hourStartMs || gap.organizationId !== organizationId) {
      const fresh = { organizationId, hourStartMs, fromMs: timeMs, toMs: timeMs, samples: 0 }
      gap = gaps.getOrInsertComputed(`${organizationId} ${hourStartMs}`, () => fresh)
    }
    gap.samples += 1
    gap.fromMs = Math.min(gap.fromMs, timeMs)
    gap.toMs = Math.max(gap.toMs, timeMs)
  }
  return gaps.values()
}
