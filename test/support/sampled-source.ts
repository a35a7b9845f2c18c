import { evaluateRange } from '../../src/embedded/promql/query.ts'
import type { Source } from '../../src/sources/source.ts'
import type { Labels } from '../../src/promql/labels.ts'
import { pointsOf } from '../embedded/promql/outcomes.ts'
import { readerOf } from '../embedded/promql/samples.ts'

/** A series with its samples in order of time; `stale`: the source sees it end. */
export type SampledSeries = { labels: Labels; samples: { atMs: number; value: number | 'stale' }[] }

/** A source that holds these samples, evaluated as the embedded source does, and what it was asked. */
export type SampledSource = Source & { asked: string[] }

const limits = { maxSamples: 50_000_000, maxSeries: 10_000, expired: () => false }

export function sampledSource(series: SampledSeries[]): SampledSource {
  const reader = readerOf(series)
  const asked: string[] = []
  return {
    name: 'sampled',
    asked,
    instant: () => Promise.reject(new Error('must be a range')),
    async range(expression, { startSeconds, endSeconds, stepSeconds }) {
      asked.push(expression)
      const grid = { startMs: startSeconds * 1000, endMs: endSeconds * 1000, stepMs: stepSeconds * 1000 }
      const result = evaluateRange(reader, expression, grid, { limits })
      if (result.type !== 'matrix') throw new Error('must be a matrix')
      const data = result.series.map((one) => ({
        metric: one.labels,
        values: pointsOf(one).map(([timeMs, value]): [number, string] => [timeMs / 1000, String(value)]),
      }))
      return { data, warnings: [], infos: [], partial: false, durationMs: 0 }
    },
  }
}
