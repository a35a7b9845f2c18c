import { type Data, type Labels, lengthOf, numberOf, type Series, seriesName } from '../answer.ts'
import type { Span } from '../../../address/time-text.ts'

/** A series on the time grid of a graph: its value at each time, null if there is no finite one. */
export type Drawn = { name: string; labels: Labels; values: (number | null)[] }

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

export const maxDrawn = 50

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
    return { name: seriesName(metric), labels: metric, values: drawn }
  })
  const histograms = all.filter(({ histograms }) => lengthOf(histograms) > 0).length
  return { times, series, total: all.length, unbounded, histograms }
}

const hues = ['--accent', '--ok', '--heat4', '--unknown', '--heat3'] as const
const dashes: (number[] | undefined)[] = [undefined, [6, 4], [2, 3], [10, 3, 2, 3]]

/** Line style of the series at an index: the accent first, then dashes, then other hues. */
export function styleOf(at: number): { color: string; dash?: number[] } {
  const dash = dashes[at % dashes.length]
  const color = hues[Math.floor(at / dashes.length) % hues.length] ?? hues[0]
  return dash ? { color, dash } : { color }
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
 * Series of a response as a table: a row for each time, a column for each of the first `most` series. Values that are not
 * finite stay text.
 */
export function graphFigures(data: Data, graph: Graph, span: Span, max = Infinity) {
  const all = data.resultType === 'matrix' ? data.result.slice(0, max) : []
  const columns = all.map(({ metric }) => seriesName(metric))
  const cells = all.map(({ values = [], histograms = [] }) => {
    const byPlace = new Map<number, string | number>()
    const placeOf = (seconds: number) => Math.round((seconds - span.fromSeconds) / span.stepSeconds)
    for (const [seconds, text] of values)
      byPlace.set(placeOf(seconds), Number.isFinite(numberOf(text)) ? Number(text) : text)
    for (const [seconds, { count, sum }] of histograms) byPlace.set(placeOf(seconds), `count ${count}, sum ${sum}`)
    return byPlace
  })
  const rows = graph.times.map((seconds, at) => [
    new Date(seconds * 1000).toISOString(),
    ...cells.map((byPlace) => byPlace.get(at) ?? null),
  ])
  return { columns: ['Time', ...columns], rows }
}
