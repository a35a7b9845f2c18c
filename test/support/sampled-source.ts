import { evaluateRange } from '../../src/embedded/promql/query.ts'
import type { Source } from '../../src/sources/source.ts'
import type { Labels } from '../../src/promql/labels.ts'
import { pointsOf } from '../embedded/promql/outcomes.ts'
import { fitsAll } from './fits-all.ts'
import { markStale, type SampleReader, type Series } from '../../src/embedded/promql/reader.ts'

/** A series with its samples in order of time; `stale`: a staleness marker. */
export type SampledSeries = { labels: Labels; samples: { atMs: number; value: number | 'stale' }[] }

/** A source that holds these samples and evaluates like the embedded source. `asked`: expressions queried so far. */
export type SampledSource = Source & { asked: string[] }

const limits = { maxSamples: 50_000_000, maxSeries: 10_000, expired: () => false }

/** `isClosed`: a range and the lookback include the sample at their very beginning, as before Prometheus 3. */
export function sampledSource(series: SampledSeries[], { isClosed = false } = {}): SampledSource {
  const lookbackMs = isClosed ? 300_001 : 300_000
  const reader = readerOf(series)
  const asked: string[] = []
  return {
    name: 'sampled',
    asked,
    instant: () => Promise.reject(new Error('must be a range')),
    async range(expression, { startSeconds, endSeconds, stepSeconds }) {
      asked.push(expression)
      const grid = { startMs: startSeconds * 1000, endMs: endSeconds * 1000, stepMs: stepSeconds * 1000 }
      const asWritten = isClosed ? expression.replace(/\[(\d+)(ms|s)(?=[:\]])/g, aMillisecondMore) : expression
      const result = evaluateRange(reader, asWritten, grid, { limits, lookbackMs })
      if (result.type !== 'matrix') throw new Error('must be a matrix')
      const data = result.series.map((one) => ({
        metric: one.labels,
        values: pointsOf(one).map(([timeMs, value]): [number, string] => [timeMs / 1000, String(value)]),
      }))
      return { data, warnings: [], infos: [], isPartial: false, durationMs: 0 }
    },
  }
}

/** Makes a range one millisecond longer: samples are at whole milliseconds, so the open range then equals the closed one. */
function aMillisecondMore(_range: string, length: string, unit: string): string {
  return `[${Number(length) * (unit === 's' ? 1000 : 1) + 1}ms`
}

/** Reader that finds the samples between two times by binary search. */
function readerOf(sampled: SampledSeries[]): SampleReader {
  const all = sampled.map(({ labels, samples }): Series => {
    const values = Float64Array.from(samples, ({ value }) => (value === 'stale' ? NaN : value))
    samples.forEach(({ value }, at) => value === 'stale' && markStale(values, at))
    return { labels, timesMs: Float64Array.from(samples, ({ atMs }) => atMs), values }
  })
  return {
    select(matchers, fromMs, toMs) {
      const fitting = all.filter(({ labels }) => fitsAll(matchers, labels))
      return fitting.map(({ labels, timesMs, values }) => {
        const [from, to] = [firstFrom(timesMs, fromMs), firstFrom(timesMs, toMs + 1)]
        return { labels, timesMs: timesMs.subarray(from, to), values: values.subarray(from, to) }
      })
    },
  }
}

function firstFrom(timesMs: Float64Array, fromMs: number): number {
  let [low, high] = [0, timesMs.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((timesMs[middle] ?? 0) < fromMs) low = middle + 1
    else high = middle
  }
  return low
}
