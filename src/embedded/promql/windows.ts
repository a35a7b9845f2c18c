import type { Budget } from './budget.ts'
import { type Column, emptyColumn, type Frame, put, timeAt } from './columns.ts'
import { queryFailed } from '../../promql/errors.ts'
import { type Labels, labelOf, labelsKey, metadataLabels, withoutMetadata } from '../../promql/labels.ts'
import type { Series } from './reader.ts'
import type { WindowedSeries } from './selectors.ts'

/** Samples [from, to) of a series, at least one. `endMs` closes the window; `evaluatedMs` is the time of the step. */
export type Window = {
  timesMs: Float64Array
  values: Float64Array
  from: number
  to: number
  startMs: number
  endMs: number
  evaluatedMs: number
  step: number
}

/** Computes a value from a window; undefined leaves the step out. */
export type WindowFunction = (window: Window) => number | undefined

/**
 * Gives a column for each series, with a value at each step whose window has samples. `functionFor` is called once per series,
 * to prepare what all its windows share. Throws if two columns have the same labels.
 */
export function overWindows(
  budget: Budget,
  frame: Frame,
  { series, rangeMs, windowEnds }: WindowedSeries,
  functionFor: (timesMs: Float64Array, values: Float64Array, labels: Labels) => WindowFunction,
  keepsName = false,
): Column[] {
  const columns = series.map(({ labels, timesMs, values }) => {
    const column = emptyColumn(keepsName ? labels : withoutMetadata(labels), frame)
    const apply = functionFor(timesMs, values, labels)
    const window: Window = { timesMs, values, from: 0, to: 0, startMs: 0, endMs: 0, evaluatedMs: 0, step: 0 }
    for (let step = 0; step < frame.count; step += 1) {
      window.endMs = timeAt(windowEnds, step)
      window.startMs = window.endMs - rangeMs
      window.evaluatedMs = timeAt(frame, step)
      window.step = step
      while (window.to < timesMs.length && (timesMs[window.to] ?? 0) <= window.endMs) window.to += 1
      while (window.from < window.to && (timesMs[window.from] ?? 0) <= window.startMs) window.from += 1
      budget.addSteps(1 + window.to - window.from)
      const value = window.from < window.to ? apply(window) : undefined
      if (value !== undefined) put(column, step, value)
    }
    budget.addSamples(frame.count)
    return column
  })
  const filled = columns.filter(({ has }) => has.includes(1))
  if (!areOfOneMetric(series) && new Set(filled.map(({ labels }) => labelsKey(labels))).size < filled.length)
    throw queryFailed('vector cannot contain metrics with the same labelset')
  return filled
}

/** True if all series have the same metadata labels: label sets that differ still do so without these. */
function areOfOneMetric(series: readonly Series[]): boolean {
  const [first] = series
  return metadataLabels.every((name) => {
    const value = first && labelOf(first.labels, name)
    return series.every(({ labels }) => labelOf(labels, name) === value)
  })
}
