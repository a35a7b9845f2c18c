import { copyEntries, type CooperativeTask } from '../../../concurrency/cooperative.ts'
import type { Label } from '../../exposition/sample.ts'
import type { CachedText } from '../../exposition/scrape-cache.ts'
import type { SeriesRef } from '../../store/sample-store.ts'
import type { SeriesDeclaration } from '../../store/series-index.ts'
import type { CollectedSample } from '../target.ts'
import { mergedInOrder, mergedLabels } from './target-labels.ts'

/**
 * Series of a target or probe. `key`: labels as JSON, which takes less memory than the labels. `plain`: the entry whose exposed
 * labels and the target's labels together are this series, without renaming any; there is at most one. `lastMs`: time of the
 * newest sample. `seenIn`: number of the newest write with a sample of the series. `aliveIn`: number of the newest write with a
 * sample at the time of the write, not at a timestamp of its own.
 */
export type CollectedSeries = {
  key: string
  plain: SeriesEntry | undefined
  ref: SeriesRef | undefined
  lastMs: number
  seenIn: number
  aliveIn: number
}

/**
 * Label set as exposed. Two of them may belong to the same series. `owner`: identifies the series entries to which it
 * belongs, until these are cleared; undefined once the entry is dropped.
 */
class SeriesEntry {
  readonly series: CollectedSeries
  owner: object | undefined
  seenIn = -1

  constructor(series: CollectedSeries, owner: object) {
    this.series = series
    this.owner = owner
  }
}

/** Series entries of samples, one for each. The maps hold entries and series that did not exist before. */
export type ResolvedSamples = {
  entries: SeriesEntry[]
  /** Keyed by the key of the series. */
  newPlainEntries: Map<string, SeriesEntry>
  newOtherEntries: Map<string, SeriesEntry>
  /** Entries by the cached texts that are to be marked with them. */
  newTextMarks: Map<CachedText, SeriesEntry>
  createdSeries: Map<string, CollectedSeries>
  declaration: SeriesDeclaration
}

/** Labels that one target or probe exposes, and the series that they give. */
type SeriesEntries = {
  /** Number of label sets. */
  count(): number
  series(): IteratorObject<CollectedSeries>
  seriesCount(): number
  /** Looks up the series entries of samples and declares missing series. `also`: other series to declare. */
  finding(
    samples: readonly CollectedSample[],
    declaration: SeriesDeclaration,
    also: readonly CollectedSeries[],
  ): CooperativeTask<ResolvedSamples>
  /** Creates what is missing, all or nothing. */
  creating(found: ResolvedSamples): CooperativeTask<void>
  /** Drops label sets and series without a sample in the write with this number. */
  droppingUnseen(write: number): CooperativeTask<void>
  clear(): void
}

type Options = { labels: readonly Label[]; honorLabels: boolean }

/** Samples between two yields if they are looked up by their labels. */
const lookupsPerYield = 50
/** Samples between two yields if they have a valid mark, which is faster; also entries that are only visited. */
const samplesPerYield = 500

export function createSeriesEntries({ labels: targetLabels, honorLabels }: Options): SeriesEntries {
  const byExposedLabels = new Map<string, SeriesEntry>() // entries that are not plain
  let plainCount = 0
  const byLabels = new Map<string, CollectedSeries>()
  let owner = {} // a cached text's mark is valid if it is an entry with this owner; a valid mark saves reading the labels

  return {
    count: () => plainCount + byExposedLabels.size,
    series: () => byLabels.values(),
    seriesCount: () => byLabels.size,
    *finding(samples, declaration, also) {
      const newPlainEntries = new Map<string, SeriesEntry>()
      const newOtherEntries = new Map<string, SeriesEntry>()
      const newTextMarks = new Map<CachedText, SeriesEntry>()
      const createdSeries = new Map<string, CollectedSeries>()
      const entries: SeriesEntry[] = []

      function seriesOf(labels: readonly Label[]): CollectedSeries {
        const key = JSON.stringify(labels)
        const known = byLabels.get(key) ?? createdSeries.get(key)
        if (known) return known
        const series = newSeries(key)
        declaration.add(labels, series)
        createdSeries.set(key, series)
        return series
      }

      function find(labels: readonly Label[]): SeriesEntry {
        const inOrder = mergedInOrder(labels, targetLabels)
        return inOrder ? findPlain(inOrder) : findOther(labels)
      }

      function findPlain(merged: readonly Label[]): SeriesEntry {
        const series = seriesOf(merged)
        const known = series.plain ?? newPlainEntries.get(series.key)
        if (known) return known
        const entry = new SeriesEntry(series, owner)
        newPlainEntries.set(series.key, entry)
        return entry
      }

      function findOther(labels: readonly Label[]): SeriesEntry {
        const key = JSON.stringify(labels)
        const known = byExposedLabels.get(key) ?? newOtherEntries.get(key)
        if (known) return known
        const entry = new SeriesEntry(seriesOf(mergedLabels(labels, targetLabels, honorLabels)), owner)
        newOtherEntries.set(key, entry)
        return entry
      }

      for (const series of also) declaration.add(JSON.parse(series.key), series)
      let steps = 0
      for (const sample of samples) {
        const { text } = sample
        const mark = text?.mark
        let entry = mark instanceof SeriesEntry && mark.owner === owner ? mark : undefined
        if (!entry) {
          entry = find(sample.labels)
          if (text) newTextMarks.set(text, entry)
          steps += samplesPerYield / lookupsPerYield
        }
        entries.push(entry)
        steps += 1
        if (steps < samplesPerYield) continue
        steps = 0
        yield
      }
      return {
        entries,
        newPlainEntries,
        newOtherEntries,
        newTextMarks,
        createdSeries,
        declaration,
      }
    },
    *creating({ newPlainEntries, newOtherEntries, newTextMarks, createdSeries, declaration }) {
      yield* declaration.creating()
      yield* copyEntries(
        createdSeries.values().map((series) => [series.key, series] as const),
        byLabels,
      )
      const plain = { set: (_: string, entry: SeriesEntry) => void (entry.series.plain = entry) } // a property, in place of a map
      yield* copyEntries(newPlainEntries, plain)
      plainCount += newPlainEntries.size
      yield* copyEntries(newOtherEntries, byExposedLabels)
      yield* copyEntries(newTextMarks, { set: (text, entry) => void (text.mark = entry) })
    },
    *droppingUnseen(write) {
      let visited = 0
      for (const [key, entry] of byExposedLabels) {
        visited += 1
        if (visited % samplesPerYield === 0) yield
        if (entry.seenIn === write) continue
        byExposedLabels.delete(key)
        entry.owner = undefined
        if (entry.series.seenIn !== write) byLabels.delete(entry.series.key)
      }
      for (const series of byLabels.values()) {
        visited += 1
        if (visited % samplesPerYield === 0) yield
        if (!series.plain || series.plain.seenIn === write) continue
        plainCount -= 1
        series.plain.owner = undefined
        series.plain = undefined
        if (series.seenIn !== write) byLabels.delete(series.key)
      }
    },
    clear() {
      byExposedLabels.clear()
      plainCount = 0
      byLabels.clear()
      owner = {}
    },
  }
}

export function newSeries(key: string): CollectedSeries {
  return { key, plain: undefined, ref: undefined, lastMs: -Infinity, seenIn: -1, aliveIn: -1 }
}
