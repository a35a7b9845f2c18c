import type { Clock } from '../../clock.ts'
import { atOnce, inTurns, type Steps } from '../../concurrency/steps.ts'
import type { Connection } from '../../db/sqlite.ts'
import { invalid } from '../../errors.ts'
import type { Label } from '../exposition/sample.ts'
import type { Labels } from '../promql/labels.ts'
import type { Matcher } from '../promql/matchers.ts'
import type { Series } from '../promql/reader.ts'
import { createChunkFile } from './chunk-file.ts'
import { columns, merged, placeOf, type SampleValue } from './columns.ts'
import { createForgetting } from './forget.ts'
import { createHeads, samplesOf } from './heads.ts'
import { largestInteger } from './integers.ts'
import { defaultLabelLimits, type LabelLimits } from './labels.ts'
import { createLogFile } from './log-file.ts'
import { createSeriesIndex, type Declaration, type Series as StoredSeries } from './series-index.ts'
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
  /** `flush` in turns with everything else. */
  flushInTurns(): Promise<void>
  /** Removes what is too old, then the oldest of all until the file holds at most `maxBytes`, in small steps. */
  forgetOld(): Promise<void>
  /** The series that every matcher fits, each read when it is asked for, with its samples in [fromMs, toMs] where it has any. */
  select(organizationId: number, matchers: readonly Matcher[], fromMs: number, toMs: number): Iterable<Series>
  /** The labels of the series that every matcher fits, whenever their samples are. */
  series(organizationId: number, matchers: readonly Matcher[]): Labels[]
  labelNames(organizationId: number, matchers: readonly Matcher[]): string[]
  labelValues(organizationId: number, name: string, matchers: readonly Matcher[]): string[]
  /** What the file holds, in bytes. */
  usedBytes(): number
  /** Flushes, and closes the file whatever comes of that; `forgetOld` ends where it is. */
  close(): void
}

/** Where samples of one series go. */
export type Place = StoredSeries

type Options = {
  file: Connection
  clock: Clock
  keepMs: number
  maxBytes: number
  limits?: LabelLimits
  /** Told once of each series that has samples which cannot be read; they are left out. */
  onDamage?: (labels: Labels) => void
}

const seriesAtOnce = 200

/** `file`: what `openSamples` gives. */
export function createSampleStore({
  file,
  clock,
  keepMs,
  maxBytes,
  limits = defaultLabelLimits,
  onDamage = () => {},
}: Options): SampleStore {
  const lastId = file.prepare<[], number>("select seq from sqlite_sequence where name = 'series'").pluck().get()
  const index = createSeriesIndex(limits, lastId ?? 0)
  const heads = createHeads()
  const damaged = new Set<number>()
  const chunks = createChunkFile(file, (seriesId) => {
    if (!damaged.has(seriesId)) onDamage(index.byId.get(seriesId)?.labels ?? {})
    damaged.add(seriesId)
  })
  const writing = createWriting({ file, clock, index, heads, chunks, log: createLogFile(file), maxBytes })
  const forgetting = createForgetting({ file, index, heads, chunks, maxBytes })
  const oldestMs = () => clock.now() - keepMs
  const flushInTurns = () => inTurns('samples', writing.flushing())
  writing.restore()

  function read({ id, labels, head, hold }: StoredSeries, fromMs: number, wantedToMs: number): Series {
    const toMs = Math.min(wantedToMs, (hold?.fromMs ?? Infinity) - 1)
    const fresh = head ? samplesOf(head) : columns(0)
    const all = merged(chunks.read(id, fromMs, toMs, fresh.length), fresh)
    const [from, to] = [placeOf(all, fromMs), placeOf(all, toMs + 1)] // times are whole milliseconds
    return { labels, timesMs: all.timesMs.subarray(from, to), values: all.values.subarray(from, to) }
  }

  function assertTime(timeMs: number): void {
    if (Number.isInteger(timeMs) && Math.abs(timeMs) <= largestInteger) return
    throw invalid('timestamp', `wanted whole milliseconds since 1970, not ${timeMs}`)
  }

  return {
    append(organizationId, labels, timeMs, value) {
      assertTime(timeMs)
      writing.append(index.ensure(organizationId, labels), timeMs, value)
    },
    placeOf: index.ensure,
    appendAt(place, timeMs, value) {
      assertTime(timeMs)
      writing.append(place, timeMs, value)
    },
    declare(organizationId) {
      writing.assertRoom()
      return index.declare(organizationId)
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
    flush: () => atOnce(writing.flushing()),
    flushInTurns,
    async forgetOld() {
      await flushInTurns()
      await forgetting.forget(oldestMs())
    },
    *select(organizationId, matchers, fromMs, toMs) {
      const [from, to] = [Math.ceil(Math.max(fromMs, oldestMs())), Math.floor(toMs)]
      for (const stored of index.match(organizationId, matchers)) {
        const found = read(stored, from, to)
        if (found.timesMs.length > 0) yield found
      }
    },
    series: (organizationId, matchers) => index.match(organizationId, matchers).map(({ labels }) => labels),
    labelNames(organizationId, matchers) {
      if (matchers.length === 0) return index.labelNames(organizationId)
      return sorted(index.match(organizationId, matchers).flatMap(({ labels }) => Object.keys(labels)))
    },
    labelValues(organizationId, name, matchers) {
      if (matchers.length === 0) return index.labelValues(organizationId, name)
      const all = index.match(organizationId, matchers)
      return sorted(all.flatMap(({ labels }) => (Object.hasOwn(labels, name) ? (labels[name] ?? []) : [])))
    },
    usedBytes: forgetting.usedBytes,
    close() {
      try {
        atOnce(writing.flushing())
      } finally {
        file.close()
      }
    },
  }
}

function sorted(all: string[]): string[] {
  return [...new Set(all)].toSorted()
}
