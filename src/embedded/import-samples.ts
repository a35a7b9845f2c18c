import type { Clock } from '../clock.ts'
import { furthestAheadMs } from './collection/series/series-writer.ts'
import { readBackfill } from './exposition/backfill.ts'
import type { Label } from './exposition/sample.ts'
import { defaultLabelLimits } from './store/labels.ts'
import type { SampleStore } from './store/sample-store.ts'

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

const flushesUntilForgetting = 25
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
  const ownLabels = createOwnLabels()
  const oldestMs = clock.now() - keepMs
  let imported = nothingImported
  const read = { ...nothingImported }
  let flushes = 0

  async function flush() {
    while (await store.flushInTurns()); // go on only when all due samples are packed into chunks
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

/** Interns labels: one array per label set. Its strings are copies, because those of the reader keep the whole text alive. */
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

/** Cheap check that usually succeeds, because files tend to list the samples of a series together. */
function isSame(labels: readonly Label[], others: readonly Label[]): boolean {
  if (labels.length !== others.length) return false
  for (let at = labels.length - 1; at >= 0; at -= 1) {
    if (labels[at]?.[1] !== others[at]?.[1] || labels[at]?.[0] !== others[at]?.[0]) return false
  }
  return true
}
