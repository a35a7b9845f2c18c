import { type Data, type Labels, lengthOf, numberOf, type Series, seriesName } from '../answer.ts'
import type { Columns } from '../../../charts/table-data.ts'
import type { Span } from '../../../address/time-text.ts'
import { histogramText } from '../words.ts'

/** Lowest, highest, mean and last value of a series; null if it has no finite one. */
export type Figures = Record<'last' | 'mean' | 'min' | 'max', number | null>
/** A series on the time grid of a graph: its value at each time, null if there is no finite one. */
export type Drawn = { name: string; labels: Labels; values: (number | null)[]; figures: Figures }

export type Graph = {
  /** Seconds since the epoch. */
  times: number[]
  series: Drawn[]
  /** Number of series in the response, drawn or not. */
  total: number
  /** Samples of the drawn series that are NaN or infinite. */
  unbounded: number
  /** Number of native-histogram series, which a line cannot show. */
  histograms: number
}

export const maxDrawn = 100

/** Series of a response for a graph, in its order; gaps stay gaps. Only a matrix gives series. */
export function graphOf(data: Data, { fromSeconds, toSeconds, stepSeconds }: Span): Graph {
  const all: Series[] = data.resultType === 'matrix' ? data.result : []
  const count = Math.floor((toSeconds - fromSeconds) / stepSeconds + 1e-9) + 1
  const times = Array.from({ length: count }, (_, at) => fromSeconds + at * stepSeconds)
  let unbounded = 0
  const drawable = all.filter(({ values }) => lengthOf(values) > 0)
  const series = drawable.slice(0, maxDrawn).map(({ metric, values = [] }) => {
    const drawn: (number | null)[] = Array.from({ length: count }, () => null)
    for (const [seconds, text] of values) {
      const at = Math.round((seconds - fromSeconds) / stepSeconds)
      const value = numberOf(text)
      if (!Number.isFinite(value)) unbounded++
      else if (at >= 0 && at < count) drawn[at] = value
    }
    return { name: seriesName(metric), labels: metric, values: drawn, figures: figuresOf(drawn) }
  })
  const histograms = all.filter(({ histograms }) => lengthOf(histograms) > 0).length
  return { times, series, total: all.length, unbounded, histograms }
}

function figuresOf(values: readonly (number | null)[]): Figures {
  let [last, min, max, sum, count]: [number | null, number, number, number, number] = [null, Infinity, -Infinity, 0, 0]
  for (const value of values) {
    if (value === null) continue
    last = value
    min = Math.min(min, value)
    max = Math.max(max, value)
    sum += value
    count++
  }
  return last === null ? { last, mean: null, min: null, max: null } : { last, mean: sum / count, min, max }
}

/** Series to read out at a point: the one marked in the legend first, then those with the highest values. */
export function seriesAt(series: readonly Drawn[], at: number, marked: string | null, max: number): Drawn[] {
  const known = series.filter(({ values }) => (values[at] ?? null) !== null)
  return known
    .toSorted(
      (a, b) => Number(b.name === marked) - Number(a.name === marked) || (b.values[at] ?? 0) - (a.values[at] ?? 0),
    )
    .slice(0, max)
}

/**
 * Columns of a table whose rows are the times of a graph, in seconds: the time, and one for each of the first `max` series of a
 * response. Values that are not finite stay text.
 */
export function graphColumns(data: Data, span: Span, max = Infinity): Columns<number> {
  const indexOf = (seconds: number) => Math.round((seconds - span.fromSeconds) / span.stepSeconds)
  const all = data.resultType === 'matrix' ? data.result.slice(0, max) : []
  const series = all.map(({ metric, values = [], histograms = [] }) => {
    const byIndex = new Map<number, string | number>()
    for (const [seconds, text] of values)
      byIndex.set(indexOf(seconds), Number.isFinite(numberOf(text)) ? Number(text) : text)
    for (const [seconds, { count, sum }] of histograms) byIndex.set(indexOf(seconds), histogramText({ count, sum }))
    return [seriesName(metric), (_: number, at: number) => byIndex.get(at) ?? null] as const
  })
  return [['Time', (seconds) => new Date(seconds * 1000).toISOString()], ...series]
}
