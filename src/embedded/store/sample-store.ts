import type { Clock } from '../../clock.ts'
import { runSync, runCooperatively, type CooperativeTask } from '../../concurrency/cooperative.ts'
import type { Connection } from '../../db/sqlite.ts'
import { invalid, isDatabaseDamaged } from '../../errors.ts'
import type { Label } from '../exposition/sample.ts'
import type { Labels } from '../../promql/labels.ts'
import type { Matcher } from '../../promql/matchers.ts'
import { isStale, type Series } from '../promql/reader.ts'
import { createYielder } from '../../concurrency/yielder.ts'
import type { SelectRequest, SeriesBatch } from '../jobs/messages.ts'
import { createChunkFile } from './chunk-file.ts'
import { type Columns, columns, merged, withoutSpare, type SampleValue } from './columns.ts'
import { findFew, type ValueTester, findSeries, type SearchBounds } from './find-series.ts'
import { createOutgoing, type OutgoingBatch, type OutgoingSamples, readSome, type Span } from './outgoing.ts'
import { createOutgoingFile } from './outgoing-file.ts'
import { createPruner } from './prune.ts'
import { createHeads, samplesOf } from './heads.ts'
import { largestInteger } from './encoding/integers.ts'
import { defaultLabelLimits, type LabelLimits } from './labels.ts'
import { createLogFile } from './log-file.ts'
import { createSeriesIndex, type SeriesDeclaration } from './series-index.ts'
import type { StoredSeries } from './series.ts'
import { restoreInBackground } from './restoration.ts'
import { seriesBatches } from './series-batches.ts'
import { createSampleWriter } from './writing.ts'

/**
 * Samples of all organizations. Appended samples are visible at once, and on disk after the next `flush`; until then they
 * accumulate in memory. Samples older than `keepMs` are never visible; `pruneOld` deletes them.
 */
export type SampleStore = {
  /**
   * Appends a sample in whole milliseconds, in any order; replaces a sample at the same time. Passing the same labels object
   * again is faster. Throws `invalid` beyond the limits, and `conflict` beyond the quota of series.
   */
  append(organizationId: number, labels: readonly Label[], timeMs: number, value: SampleValue): void
  /** Throws `unavailable` while so many samples wait for the disk that no more should come. */
  assertRoom(): void
  /** Declares series that are about to be appended to. Throws like `assertRoom`. */
  declare(organizationId: number): SeriesDeclaration
  /** Series ref of these labels, for repeated appends until `isRemoved` is set. Throws like `append`. */
  refOf(organizationId: number, labels: readonly Label[]): SeriesRef
  appendTo(ref: SeriesRef, timeMs: number, value: SampleValue): void
  /** Time of the newest sample of a series, and the newest value that is no stale marker; undefined if no samples can be read. */
  newestOf(ref: SeriesRef): NewestSample | undefined
  /**
   * Hides samples of these series from `fromMs` on until `release`, so that samples appended in turns become visible at once.
   */
  raisingBarrier(refs: Iterable<SeriesRef>, fromMs: number): CooperativeTask<{ release(): void }>
  /** Samples before this time are never visible. */
  oldestMs(): number
  flush(): void
  /** `flush` that yields to the event loop; all samples are on disk then. Packs some hundred chunks; true if more are due. */
  flushCooperatively(): Promise<boolean>
  /**
   * Deletes samples that are too old, then the oldest of the organization that has most, until each organization has at most
   * `maxBytesOfOrganization` and the file at most `maxBytes`. Yields to the event loop.
   */
  pruneOld(): Promise<void>
  /**
   * Few series that match every matcher, with their samples in [fromMs, toMs]; skips series without any. Undefined while
   * memory is being filled, and beyond `max`; too many chunks may also throw `too_large`. `seriesByLabels`: series read before
   * with the same times; is extended.
   */
  selectSmall(
    organizationId: number,
    matchers: readonly Matcher[],
    fromMs: number,
    toMs: number,
    max: SelectBounds,
    seriesByLabels?: Map<Labels, Series>,
  ): Series[] | undefined
  /** Series for `fileReader` on another thread: gives what only this thread has, ids and heads. Yields to the event loop. */
  find(organizationId: number, request: SelectRequest, testValues: ValueTester): AsyncIterable<SeriesBatch>
  /** Path of the file, for `fileReader`. */
  path: string
  /** Records series that `fileReader` could not read: queries of them fail. */
  reportDamaged(seriesIds: readonly number[]): void
  labelNames(organizationId: number): Iterable<string>
  labelValues(organizationId: number, name: string): Iterable<string>
  /**
   * Resolves once memory is filled from the file, while yielding to the event loop. Calls that need the series earlier fill it
   * at once.
   */
  whenFilled(): Promise<void>
  /** Bytes used in the file. */
  usedBytes(): number
  /** Number of an organization's series, and bytes of its samples. */
  usedBy(organizationId: number): SampleUse
  /** `usedBy` of all organizations that have series or samples. Costs nothing per series. */
  usedByAll(): Map<number, SampleUse>
  /** Time of an organization's oldest sample; null if it has none that can be read. Yields to the event loop. */
  oldestOf(organizationId: number): Promise<number | null>
  /** Largest use by any organization. */
  maxUsed(): SampleUse
  /** Starts to note which samples are to be sent on: those that are not on disk at the first call, and later ones. */
  startOutgoing(): Promise<void>
  /** Stops noting which samples are to be sent on, and drops what was noted. */
  endOutgoing(): Promise<void>
  /** Next samples to be sent on, about `max`, once memory is filled; undefined: there are none. */
  nextOutgoing(max: number): Promise<OutgoingBatch | undefined>
  /** Records that a batch was sent. */
  acknowledge(batch: OutgoingBatch): Promise<void>
  /** Number of samples that are to be sent on. */
  outgoingSamples(): number
  /**
   * Reads about `max` samples of an organization's series with ids above `afterId`. `lastId`: of the last series that was read;
   * null: there are no more.
   */
  readSpan(span: Span): OutgoingSamples & { lastId: number | null }
  /** Writes pending samples to the log, and closes the file even if that fails. A running `pruneOld` stops. */
  close(): void
}

/** Bounds of `selectSmall`: those of the search, and of the samples and chunks that are read. */
type SelectBounds = SearchBounds & { samples: number; chunks: number }

type SampleUse = { series: number; bytes: number }

/** Newest sample of a series: `value` is undefined if its head and last chunk have stale markers only. */
export type NewestSample = { timeMs: number; value: number | undefined }

/** Series ref, for `appendTo`. */
export type SeriesRef = StoredSeries

type Options = {
  file: Connection
  clock: Clock
  keepMs: number
  maxBytes: number
  maxBytesOfOrganization?: number
  limits?: LabelLimits
  /** Called once for each series with samples that cannot be read; queries of it fail. */
  onUnreadable?: (labels: Labels) => void
}

const seriesPerBatch = 200
const noSamples = columns(0)
const hasSamples = ({ timesMs }: Series) => timesMs.length > 0

/**
 * Creates the store of a file that `openSamples` opened. Memory is filled from it in the background, or by the first call that
 * needs it. Throws if rows that are needed for that are damaged.
 */
export function createSampleStore({
  file,
  clock,
  keepMs,
  maxBytes,
  maxBytesOfOrganization = Infinity,
  limits = defaultLabelLimits,
  onUnreadable = () => {},
}: Options): SampleStore {
  const lastId = file.prepare<[], number>("select seq from sqlite_sequence where name = 'series'").pluck().get()
  const index = createSeriesIndex(limits, lastId ?? 0)
  const heads = createHeads()
  const damaged = new Set<number>()
  const noteDamage = (seriesId: number) => {
    if (!damaged.has(seriesId)) onUnreadable(index.byId(seriesId)?.labels ?? {})
    damaged.add(seriesId)
  }
  const chunks = createChunkFile(file, noteDamage)
  const log = createLogFile(file)
  const outgoing = createOutgoing({ file: createOutgoingFile(file), log, index, read: readUndamaged })
  const writing = createSampleWriter({
    file,
    clock,
    index,
    heads,
    chunks,
    log,
    outgoing,
    maxBytes,
    onDamage: noteDamage,
  })
  const pruner = createPruner({ file, index, heads, chunks, maxBytes, maxBytesOfOrganization })
  const oldestMs = () => clock.now() - keepMs
  writing.assertUndamaged()
  const {
    isOver: isRestored,
    finish: restoredIndex,
    finishCooperatively: whenRestored,
  } = restoreInBackground(index, writing.restoring())
  const flushCooperatively = () => whenRestored().then(() => runCooperatively('samples', writing.flushing()))

  function* read(series: readonly StoredSeries[], fromMs: number, toMs: number, maxChunks: number): Generator<Series> {
    const selected = series.values().map(({ id, head, barrier }) => ({
      id,
      head: head ? samplesOf(head, fromMs, toMs) : noSamples,
      toMs: Math.min(toMs, (barrier?.fromMs ?? Infinity) - 1),
    }))
    let at = 0
    for (const samples of chunks.read(selected, fromMs, toMs, maxChunks)) {
      yield { labels: series[at]?.labels ?? {}, ...withoutSpare(samples) }
      at += 1
    }
  }

  /** Samples of each series, hidden ones too; undefined for those that cannot be read. */
  function readUndamaged(series: readonly StoredSeries[], fromMs: number, toMs: number): (Columns | undefined)[] {
    const from = Math.ceil(Math.max(fromMs, oldestMs()))
    const selected = series.map(({ id, head }) => ({ id, head: head ? samplesOf(head, from, toMs) : noSamples, toMs }))
    try {
      return [...chunks.read(selected, from, toMs)]
    } catch (error) {
      if (!isDatabaseDamaged(error)) throw error
      return series.length === 1 ? [undefined] : series.flatMap((one) => readUndamaged([one], fromMs, toMs))
    }
  }

  function assertTime(timeMs: number): void {
    if (Number.isInteger(timeMs) && Math.abs(timeMs) <= largestInteger) return
    throw invalid('timestamp', `must be whole milliseconds since 1970, not ${timeMs}`)
  }

  return {
    append(organizationId, labels, timeMs, value) {
      assertTime(timeMs)
      writing.append(restoredIndex().ensure(organizationId, labels), timeMs, value)
    },
    refOf: (organizationId, labels) => restoredIndex().ensure(organizationId, labels),
    appendTo(ref, timeMs, value) {
      assertTime(timeMs)
      writing.append(ref, timeMs, value)
    },
    newestOf({ id, head }) {
      const samples = merged(chunks.last(id) ?? columns(0), head ? samplesOf(head) : noSamples)
      let at = samples.length - 1
      if (at < 0) return undefined
      const timeMs = samples.timesMs[at] ?? 0
      while (at >= 0 && isStale(samples.values, at)) at -= 1
      return { timeMs, value: samples.values[at] }
    },
    assertRoom: writing.assertRoom,
    declare(organizationId) {
      writing.assertRoom()
      return restoredIndex().declare(organizationId)
    },
    *raisingBarrier(refs, fromMs) {
      const barrier = { fromMs }
      let visited = 0
      for (const ref of refs) {
        ref.barrier = barrier
        visited += 1
        if (visited % seriesPerBatch === 0) yield
      }
      return { release: () => void (barrier.fromMs = Infinity) }
    },
    oldestMs,
    flush() {
      restoredIndex()
      while (runSync(writing.flushing()));
    },
    flushCooperatively,
    async pruneOld() {
      await flushCooperatively()
      await pruner.prune(oldestMs())
    },
    selectSmall(organizationId, matchers, fromMs, toMs, max, known = new Map()) {
      const [from, to] = [Math.ceil(Math.max(fromMs, oldestMs())), Math.floor(toMs)]
      const matching = isRestored() && findFew(index, organizationId, matchers, max)
      if (!matching) return undefined
      let samples = 0
      const unread = matching.filter(({ labels }) => !known.has(labels))
      for (const series of read(unread, from, to, max.chunks)) {
        samples += series.timesMs.length
        if (samples > max.samples) return undefined
        known.set(series.labels, series)
      }
      return matching.flatMap(({ labels }) => known.get(labels) ?? []).filter(hasSamples)
    },
    async *find(organizationId, { matchers, fromMs, toMs }, testValues) {
      const [from, to] = [Math.ceil(Math.max(fromMs, oldestMs())), Math.floor(toMs)]
      const matching = await findSeries(await whenRestored(), organizationId, matchers, testValues, createYielder())
      yield* seriesBatches(matching, from, to)
    },
    path: file.name,
    reportDamaged: (seriesIds) => seriesIds.forEach(noteDamage),
    labelNames: (organizationId) => restoredIndex().labelNames(organizationId),
    labelValues: (organizationId, name) => restoredIndex().byValue(organizationId, name).keys(),
    whenFilled: async () => void (await whenRestored()),
    usedBytes: pruner.usedBytes,
    usedBy: (organizationId) => ({
      series: restoredIndex().counts().get(organizationId) ?? 0,
      bytes: pruner.bytesByOrganization().get(organizationId) ?? 0,
    }),
    usedByAll() {
      const bytes = pruner.bytesByOrganization()
      const series = restoredIndex().counts()
      const ids = new Set([...bytes.keys(), ...series.keys()])
      return new Map([...ids].map((id) => [id, { series: series.get(id) ?? 0, bytes: bytes.get(id) ?? 0 }]))
    },
    oldestOf: (organizationId) => whenRestored().then(() => pruner.oldestOf(organizationId)),
    maxUsed: () => ({
      series: Math.max(0, ...restoredIndex().counts().values()),
      bytes: Math.max(0, ...pruner.bytesByOrganization().values()),
    }),
    startOutgoing: async () => outgoing.begin(log.nextRow()),
    endOutgoing: async () => outgoing.end(),
    async nextOutgoing(max) {
      await whenRestored()
      return file.open ? outgoing.next(max) : undefined
    },
    acknowledge: async (batch) => (file.open ? batch.acknowledge() : undefined),
    outgoingSamples() {
      const position = outgoing.position()
      return position ? position.inGaps + writing.samplesFrom(position.row, position.index) : 0
    },
    readSpan(span) {
      const read: OutgoingSamples = { series: [], firstSamples: [0], samples: columns(0) }
      const lastId = readSome(restoredIndex(), readUndamaged, span, read)
      return { ...read, lastId }
    },
    close() {
      try {
        if (isRestored()) runSync(writing.writingLog()) // otherwise nothing was appended
      } catch (error) {
        if (!isDatabaseDamaged(error)) throw error // damage has been reported already
      } finally {
        file.close()
      }
    },
  }
}
