import type { Clock } from '../../clock.ts'
import { atOnce, inTurns, type Steps } from '../../concurrency/steps.ts'
import type { Connection } from '../../db/sqlite.ts'
import { invalid, isDatabaseDamaged } from '../../errors.ts'
import type { Label } from '../exposition/sample.ts'
import type { Labels } from '../../promql/labels.ts'
import type { Matcher } from '../../promql/matchers.ts'
import type { Series } from '../promql/reader.ts'
import { createTurn } from '../../concurrency/turn.ts'
import type { Find, SeriesBatch } from '../jobs/messages.ts'
import { createChunkFile } from './chunk-file.ts'
import { columns, exactly, type SampleValue } from './columns.ts'
import { findFew, type Fitting, findSeries } from './find-series.ts'
import { createForgetting } from './forget.ts'
import { createHeads, samplesOf } from './heads.ts'
import { largestInteger } from './encoding/integers.ts'
import { defaultLabelLimits, type LabelLimits } from './labels.ts'
import { createLogFile } from './log-file.ts'
import { createSeriesIndex, type Declaration } from './series-index.ts'
import type { Series as StoredSeries } from './series.ts'
import { restored } from './restoration.ts'
import { seriesBatches } from './series-batches.ts'
import { createWriting } from './writing.ts'

/**
 * The samples of every organization. What is appended is seen at once, and is on disk after the next `flush`; without one
 * it grows in memory. Older than `keepMs` is never seen, and removed by `forgetOld`.
 */
export type SampleStore = {
  /**
   * A sample at a time (whole milliseconds) that is there already replaces it; the order does not matter. The same labels
   * object is found faster when it comes again. Throws `invalid` beyond the limits.
   */
  append(organizationId: number, labels: readonly Label[], timeMs: number, value: SampleValue): void
  /** Throws `unavailable` while the disk has taken nothing for so long that no more samples should come. */
  declare(organizationId: number): Declaration
  /** The series of these labels, for who appends to it time after time, until it is `removed`. Throws as `append`. */
  placeOf(organizationId: number, labels: readonly Label[]): Place
  appendAt(place: Place, timeMs: number, value: SampleValue): void
  /** Until `release`, samples of these series are seen only before a time: what is appended in turns is then seen at once. */
  holding(places: Iterable<Place>, fromMs: number): Steps<{ release(): void }>
  /** Samples before it are never seen. */
  oldestMs(): number
  flush(): void
  /** `flush` in turns with everything else: all is on disk then. Packs some hundred chunks, and says whether more are due. */
  flushInTurns(): Promise<boolean>
  /**
   * Removes what is too old; then, until each organization has at most `maxBytesOfOrganization` and the file `maxBytes`, the
   * oldest of the organization that has most. In small steps.
   */
  forgetOld(): Promise<void>
  /** The series that every matcher fits, read while they are iterated over, with their samples in [fromMs, toMs] where they have any. */
  select(organizationId: number, matchers: readonly Matcher[], fromMs: number, toMs: number): Iterable<Series>
  /**
   * As `select`, at once; undefined, or `too_large`, where it would take more than a look at a few series and samples. `known`:
   * what was read of the same times, to which it adds.
   */
  selectFew(
    organizationId: number,
    matchers: readonly Matcher[],
    fromMs: number,
    toMs: number,
    max: { series: number; samples: number },
    known?: Map<Labels, Series>,
  ): Series[] | undefined
  /** The labels of the series that every matcher fits, whenever their samples are. */
  series(organizationId: number, matchers: readonly Matcher[]): Labels[]
  /** As `select`, in turns with everything else, for `fileReader` on another thread: it has what only this thread knows. */
  find(organizationId: number, find: Find, fitting: Fitting): AsyncIterable<SeriesBatch>
  /** The file that `fileReader` is to read. */
  path: string
  /** Told by `fileReader` of series that have samples which cannot be read. */
  foundDamaged(seriesIds: readonly number[]): void
  labelNames(organizationId: number): Iterable<string>
  labelValues(organizationId: number, name: string): Iterable<string>
  /** Resolves once memory is filled, in turns with everything else; what needs the series before fills it at once. */
  filled(): Promise<void>
  /** What the file holds, in bytes. */
  usedBytes(): number
  /** How many series an organization has, and what its samples take. */
  usedBy(organizationId: number): SampleUse
  /** The time of an organization's oldest sample, null where it has none; in turns with everything else. */
  oldestOf(organizationId: number): Promise<number | null>
  /** The most that any organization has. */
  maxUsed(): SampleUse
  /** Flushes, and closes the file whatever comes of that; `forgetOld` ends where it is. */
  close(): void
}

type SampleUse = { series: number; bytes: number }

/** Where samples of one series go. */
export type Place = StoredSeries

type Options = {
  file: Connection
  clock: Clock
  keepMs: number
  maxBytes: number
  maxBytesOfOrganization?: number
  limits?: LabelLimits
  /** Called once for each series that has samples which cannot be read; a query of them fails. */
  onUnreadable?: (labels: Labels) => void
}

const seriesAtOnce = 200
const maxFewChunks = 1000
const noSamples = columns(0)
const hasSamples = ({ timesMs }: Series) => timesMs.length > 0

/**
 * `file`: what `openSamples` gives. Memory is filled from it in turns behind the caller, or by the first call that needs it;
 * what cannot be read is thrown here.
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
  const writing = createWriting({ file, clock, index, heads, chunks, log, maxBytes, onDamage: noteDamage })
  const forgetting = createForgetting({ file, index, heads, chunks, maxBytes, maxBytesOfOrganization })
  const oldestMs = () => clock.now() - keepMs
  writing.assertWhole()
  const { isOver: isWhole, finish: whole, finishInTurns: wholeInTurns } = restored(index, writing.restoring())
  const flushInTurns = () => wholeInTurns().then(() => inTurns('samples', writing.flushing()))

  function* read(some: readonly StoredSeries[], fromMs: number, toMs: number, maxChunks?: number): Generator<Series> {
    const selected = some.values().map(({ id, head, hold }) => ({
      id,
      head: head ? samplesOf(head, fromMs, toMs) : noSamples,
      toMs: Math.min(toMs, (hold?.fromMs ?? Infinity) - 1),
    }))
    let at = 0
    for (const found of chunks.read(selected, fromMs, toMs, maxChunks)) {
      yield { labels: some[at]?.labels ?? {}, ...exactly(found) }
      at += 1
    }
  }

  function assertTime(timeMs: number): void {
    if (Number.isInteger(timeMs) && Math.abs(timeMs) <= largestInteger) return
    throw invalid('timestamp', `must be whole milliseconds since 1970, not ${timeMs}`)
  }

  return {
    append(organizationId, labels, timeMs, value) {
      assertTime(timeMs)
      writing.append(whole().ensure(organizationId, labels), timeMs, value)
    },
    placeOf: (organizationId, labels) => whole().ensure(organizationId, labels),
    appendAt(place, timeMs, value) {
      assertTime(timeMs)
      writing.append(place, timeMs, value)
    },
    declare(organizationId) {
      writing.assertRoom()
      return whole().declare(organizationId)
    },
    *holding(places, fromMs) {
      const hold = { fromMs }
      let held = 0
      for (const place of places) {
        place.hold = hold
        held += 1
        if (held % seriesAtOnce === 0) yield
      }
      return { release: () => void (hold.fromMs = Infinity) }
    },
    oldestMs,
    flush() {
      whole()
      while (atOnce(writing.flushing()));
    },
    flushInTurns,
    async forgetOld() {
      await flushInTurns()
      await forgetting.forget(oldestMs())
    },
    *select(organizationId, matchers, fromMs, toMs) {
      const [from, to] = [Math.ceil(Math.max(fromMs, oldestMs())), Math.floor(toMs)]
      for (const series of read(whole().match(organizationId, matchers), from, to)) if (hasSamples(series)) yield series
    },
    selectFew(organizationId, matchers, fromMs, toMs, most, known = new Map()) {
      const [from, to] = [Math.ceil(Math.max(fromMs, oldestMs())), Math.floor(toMs)]
      const fitting = isWhole() && findFew(index, organizationId, matchers, most.series)
      if (!fitting) return undefined
      let samples = 0
      const unread = fitting.filter(({ labels }) => !known.has(labels))
      for (const series of read(unread, from, to, maxFewChunks)) {
        samples += series.timesMs.length
        if (samples > most.samples) return undefined
        known.set(series.labels, series)
      }
      return fitting.flatMap(({ labels }) => known.get(labels) ?? []).filter(hasSamples)
    },
    series: (organizationId, matchers) =>
      whole()
        .match(organizationId, matchers)
        .map(({ labels }) => labels),
    async *find(organizationId, { find, fromMs, toMs }, fitting) {
      const [from, to] = [Math.ceil(Math.max(fromMs, oldestMs())), Math.floor(toMs)]
      const found = await findSeries(await wholeInTurns(), organizationId, find, fitting, createTurn())
      yield* seriesBatches(found, from, to)
    },
    path: file.name,
    foundDamaged: (seriesIds) => seriesIds.forEach(noteDamage),
    labelNames: (organizationId) => whole().labelNames(organizationId),
    labelValues: (organizationId, name) => whole().byValue(organizationId, name).keys(),
    filled: async () => void (await wholeInTurns()),
    usedBytes: forgetting.usedBytes,
    usedBy: (organizationId) => ({
      series: whole().counts().get(organizationId) ?? 0,
      bytes: forgetting.bytesByOrganization().get(organizationId) ?? 0,
    }),
    oldestOf: (organizationId) => wholeInTurns().then(() => forgetting.oldestOf(organizationId)),
    maxUsed: () => ({
      series: Math.max(0, ...whole().counts().values()),
      bytes: Math.max(0, ...forgetting.bytesByOrganization().values()),
    }),
    close() {
      try {
        if (isWhole()) atOnce(writing.logging()) // else nothing has come
      } catch (error) {
        if (!isDatabaseDamaged(error)) throw error // else it has been said
      } finally {
        file.close()
      }
    },
  }
}
