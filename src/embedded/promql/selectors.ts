import type { Annotator } from './annotations.ts'
import type { Budget } from './budget.ts'
import { type Column, emptyColumn, type Frame, put, timeAt } from './columns.ts'
import { inOrderOfLabels } from '../../promql/labels.ts'
import { isStale, type SampleReader, type Series, withoutStale } from './reader.ts'
import type { Matcher } from '../../promql/matchers.ts'
import type { Shift } from '../../promql/durations.ts'

/**
 * State that all parts of a query share. `startMs` and `endMs`: first and last time of the whole query, which `@ start()` and
 * `@ end()` stand for. `lookbackMs`: age up to which an instant selector takes a sample. `subqueryStepMs`: default step of a
 * subquery.
 */
export type EvaluationContext = {
  reader: SampleReader
  budget: Budget
  annotator: Annotator
  startMs: number
  endMs: number
  lookbackMs: number
  subqueryStepMs: number
}

/** Matchers and time shift of a selector. */
export type Selection = Shift & { matchers: readonly Matcher[] }

/** Times at which a selector reads: those of the frame, moved by its `offset` or replaced by its `@`. */
export function shiftedFrame(context: EvaluationContext, frame: Frame, { at, offsetMs }: Shift): Frame {
  if (at === null) return { ...frame, startMs: frame.startMs - offsetMs }
  const atMs = at === 'start' ? context.startMs : at === 'end' ? context.endMs : at
  return { startMs: atMs - offsetMs, stepMs: 0, count: frame.count }
}

/** Series that match, sorted by labels, with samples from `beforeMs` before the frame to its end. Counts both for the budget. */
function readSeries(
  { reader, budget }: EvaluationContext,
  matchers: readonly Matcher[],
  frame: Frame,
  beforeMs: number,
): Series[] {
  const series = reader.select(matchers, frame.startMs - beforeMs, timeAt(frame, frame.count - 1))
  budget.addSeries(series.length)
  for (const { values } of series) budget.addSamples(values.length)
  return inOrderOfLabels(series)
}

/**
 * Columns of an instant selector: at each time of the frame the latest value of each series, if younger than the lookback. With
 * `asTimes`, the time of that sample in Unix seconds instead of its value. Leaves out series without any.
 */
export function selectInstant(
  context: EvaluationContext,
  frame: Frame,
  selection: Selection,
  asTimes = false,
): Column[] {
  const readFrame = shiftedFrame(context, frame, selection)
  const columns = readSeries(context, selection.matchers, readFrame, context.lookbackMs).map(
    ({ labels, timesMs, values }) => {
      const column = emptyColumn(labels, frame)
      let next = 0
      context.budget.addSamples(frame.count)
      for (let step = 0; step < frame.count; step += 1) {
        const timeMs = timeAt(readFrame, step)
        while (next < timesMs.length && (timesMs[next] ?? 0) <= timeMs) next += 1
        const last = next - 1
        const sampleMs = timesMs[last]
        if (sampleMs === undefined || sampleMs <= timeMs - context.lookbackMs || isStale(values, last)) continue
        put(column, step, asTimes ? sampleMs / 1000 : (values[last] ?? NaN))
      }
      return column
    },
  )
  return columns.filter(({ has }) => has.includes(1))
}

/**
 * Range vector: series with all samples of the query. Each step reads those in its window `(end - rangeMs, end]`. `windowEnds`: one
 * for each step.
 */
export type WindowedSeries = { series: Series[]; rangeMs: number; windowEnds: Frame }

/** Range vector of a range selector, without stale markers. */
export function selectRange(
  context: EvaluationContext,
  frame: Frame,
  selection: Selection,
  rangeMs: number,
): WindowedSeries {
  const windowEnds = shiftedFrame(context, frame, selection)
  return { series: readSeries(context, selection.matchers, windowEnds, rangeMs).map(withoutStale), rangeMs, windowEnds }
}
