import type { Clock } from '../clock.ts'
import { furthestAheadMs } from './collection/series/series-writer.ts'
import { readBackfill } from './exposition/backfill.ts'
import type { Label } from './exposition/sample.ts'
import { defaultLabelLimits } from './store/labels.ts'
import type { SampleStore } from './store/sample-store.ts'

/**
 * What is on disk of a file. `tooOld` and `tooNew` count samples that were left out; `firstMs` and `lastMs` are the times of
 * the others, null where there are none.
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
  /** OpenMetrics text with timestamps: what `readBackfill` reads. */
  chunks: AsyncIterable<Uint8Array>
  clock: Clock
  /** What the store keeps: samples that are older are left out. */
  keepMs: number
  /** Told after each flush. */
  onProgress?: (imported: Imported) => void
  /** After how many samples there is one. */
  flushEvery?: number
  /** How many lines of the file come before these. */
  linesBefore?: number
}

export const nothingImported: Imported = { samples: 0, series: 0, tooOld: 0, tooNew: 0, firstMs: null, lastMs: null }

const flushesUntilForgetting = 25
const limits = {
  labels: defaultLabelLimits.labels,
  labelNameLength: defaultLabelLimits.nameLength,
  labelValueLength: defaultLabelLimits.valueLength,
}

/**
 * Brings the samples of a file into the store, in any order; one that is there already is replaced, so that the same file
 * may be imported again. What `chunks` and `readBackfill` throw is thrown on, after what was read before is on disk and
 * `onProgress` was called with it.
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
  const ownLabels = createOwnLabels()
  const oldestMs = clock.now() - keepMs
  let imported = nothingImported
  const read = { ...nothingImported }
  let flushes = 0

  async function flush() {
    while (await store.flushInTurns()); // what comes next waits until chunks have what is due
    flushes += 1
    imported = { ...read }
    onProgress(imported)
  }

  await store.filled()
  try {
    for await (const samples of readBackfill(chunks, limits, linesBefore)) {
      const newestMs = clock.now() + furthestAheadMs
      for (const { labels, value, timestampMs } of samples) {
        if (timestampMs < oldestMs) read.tooOld += 1
        else if (timestampMs > newestMs) read.tooNew += 1
        else {
          store.append(organizationId, ownLabels.of(labels), timestampMs, value)
          read.samples += 1
          read.series = ownLabels.count()
          if (read.firstMs === null || timestampMs < read.firstMs) read.firstMs = timestampMs
          if (read.lastMs === null || timestampMs > read.lastMs) read.lastMs = timestampMs
        }
      }
      if (read.samples - imported.samples < flushEvery) continue
      await flush()
      if (flushes % flushesUntilForgetting === 0) await store.forgetOld()
    }
  } finally {
    await flush()
  }
  await store.forgetOld()
  return imported
}

/** The same array for the same labels, with strings of its own: those of the reader keep the whole text alive. */
function createOwnLabels(): { of(labels: readonly Label[]): readonly Label[]; count(): number } {
  const byKey = new Map<string, readonly Label[]>()
  let last: readonly Label[] = []
  return {
    of(labels) {
      if (isSame(labels, last)) return last
      const key = JSON.stringify(labels)
      const own: readonly Label[] = byKey.get(key) ?? JSON.parse(key)
      byKey.set(key, own)
      last = own
      return own
    },
    count: () => byKey.size,
  }
}

/** Files tend to have the samples of a series together. */
function isSame(labels: readonly Label[], others: readonly Label[]): boolean {
  if (labels.length !== others.length) return false
  for (let at = labels.length - 1; at >= 0; at -= 1) {
    if (labels[at]?.[1] !== others[at]?.[1] || labels[at]?.[0] !== others[at]?.[0]) return false
  }
  return true
}
