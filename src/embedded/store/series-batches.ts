import type { SeriesBatch } from '../jobs/messages.ts'
import { type Columns, columns, lowerBound, pushRange } from './columns.ts'
import { samplesOf } from './heads.ts'
import type { StoredSeries } from './series.ts'

const [seriesPerBatch, samplesPerBatch, charactersPerBatch] = [512, 16_384, 131_072]

/**
 * Batches of series with the samples of their heads in [fromMs, toMs] at the time of the batch, small enough to send quickly.
 * Samples that are hidden when the iteration begins are left out of all batches: a query sees all of a scrape or nothing.
 */
export function* seriesBatches(matching: StoredSeries[], fromMs: number, toMs: number): Generator<SeriesBatch> {
  const visibleToMs = Float64Array.from(matching, ({ barrier }) => Math.min(toMs, (barrier?.fromMs ?? Infinity) - 1))
  let at = 0
  do {
    const [ids, keys, counts]: [number[], string[], number[]] = [[], [], []]
    const samples = columns(0)
    for (let characters = 0; at < matching.length; at += 1) {
      const series = matching[at]
      if (
        !series ||
        ids.length >= seriesPerBatch ||
        samples.length >= samplesPerBatch ||
        characters >= charactersPerBatch
      )
        break
      ids.push(series.id)
      keys.push(series.key)
      counts.push(copyHead(series, fromMs, visibleToMs[at] ?? toMs, samples))
      characters += series.key.length
    }
    yield {
      ids: Float64Array.from(ids),
      keys: `[${keys.join()}]`,
      counts: Uint32Array.from(counts),
      timesMs: samples.timesMs.slice(0, samples.length),
      values: samples.values.slice(0, samples.length),
      isLast: at >= matching.length,
    }
  } while (at < matching.length)
}

/** Copies samples of a head; gives their number. */
function copyHead({ head }: StoredSeries, fromMs: number, toMs: number, into: Columns): number {
  if (!head) return 0
  const samples = samplesOf(head, fromMs, toMs)
  const [from, to] = [lowerBound(samples, fromMs), lowerBound(samples, toMs + 1)] // times are whole milliseconds
  pushRange(into, samples, from, to)
  return Math.max(0, to - from)
}
