import type { Clock } from '../clock.ts'
import { maxLeadMs } from './collection/series/series-writer.ts'
import { type BackfillSample, readBackfill } from './exposition/backfill.ts'
import { defaultLabelLimits } from './store/labels.ts'
import type { SampleStore, SeriesRef } from './store/sample-store.ts'

/**
 * Samples of a file that are on disk. `tooOld` and `tooNew` count skipped samples; `firstMs` and `lastMs` are the times of the
 * imported ones, null if there are none.
 */
export type Imported = {
  samples: number
  series: number
  tooOld: number
  tooNew: number
  firstMs: number | null
  lastMs: number | null
}

type Options = {
  store: SampleStore
  organizationId: number
  /** OpenMetrics text with timestamps, for `readBackfill`. */
  chunks: AsyncIterable<Uint8Array>
  clock: Clock
  /** Retention of the store; older samples are skipped. */
  keepMs: number
  /** Called after each flush. */
  onProgress?: (imported: Imported) => void
  /** Samples between two flushes. */
  flushEvery?: number
  /** Number of lines of the file before `chunks`, for line numbers in errors. */
  linesBefore?: number
}

export const nothingImported: Imported = { samples: 0, series: 0, tooOld: 0, tooNew: 0, firstMs: null, lastMs: null }

const flushesPerPrune = 25
const limits = {
  labels: defaultLabelLimits.labels,
  labelNameLength: defaultLabelLimits.nameLength,
  labelValueLength: defaultLabelLimits.valueLength,
}

/**
 * Imports the samples of a file into the store, in any order. A sample replaces an existing one at the same time, so the same
 * file may be imported again. Errors of `chunks` and `readBackfill` are rethrown after the samples read before are on disk and
 * were reported to `onProgress`.
 */
export async function importSamples({
  store,
  organizationId,
  chunks,
  clock,
  keepMs,
  onProgress = () => {},
  flushEvery = 200_000,
  linesBefore = 0,
}: Options): Promise<Imported> {
  const keys = new Set<string>() // of the series
  const oldestMs = clock.now() - keepMs
  let imported = nothingImported
  const counts = { ...nothingImported }
  let flushes = 0

  /** Series of a sample, kept on the text that the next samples of the series share. */
  function seriesOf(sample: BackfillSample): SeriesRef {
    const { text } = sample
    const known = text?.mark as SeriesRef | undefined
    if (known && !known.isRemoved) return known
    const series = store.refOf(organizationId, sample.labels)
    keys.add(series.key)
    if (text) text.mark = series
    return series
  }

  async function flush() {
    while (await store.flushCooperatively()); // go on only when all due samples are packed into chunks
    flushes += 1
    imported = { ...counts }
    onProgress(imported)
  }

  await store.whenFilled()
  try {
    for await (const samples of readBackfill(chunks, limits, linesBefore)) {
      const newestMs = clock.now() + maxLeadMs
      for (const sample of samples) {
        const { value, timestampMs } = sample
        if (timestampMs < oldestMs) counts.tooOld += 1
        else if (timestampMs > newestMs) counts.tooNew += 1
        else {
          store.appendTo(seriesOf(sample), timestampMs, value)
          counts.samples += 1
          counts.series = keys.size
          if (counts.firstMs === null || timestampMs < counts.firstMs) counts.firstMs = timestampMs
          if (counts.lastMs === null || timestampMs > counts.lastMs) counts.lastMs = timestampMs
        }
      }
      if (counts.samples - imported.samples < flushEvery) continue
      await flush()
      if (flushes % flushesPerPrune === 0) await store.pruneOld()
    }
  } finally {
    await flush()
  }
  await store.pruneOld()
  return imported
}
