import type { Annotator } from './annotations.ts'
import type { Budget } from './budget.ts'
import { type Column, emptyColumn, type Frame, put, timeAt } from './columns.ts'
import { inOrderOfLabels } from '../../promql/labels.ts'
import { isStale, type SampleReader, type Series, withoutStale } from './reader.ts'
import type { Matcher } from '../../promql/matchers.ts'
import type { Shift } from '../../promql/durations.ts'

/** State shared by all parts of a query; `startMs` and `endMs` are those of the whole query. */
export type EvaluationContext = {
  reader: SampleReader
  budget: Budget
  notes: Annotator
  startMs: number
  endMs: number
  lookbackMs: number
  subqueryStepMs: number
}

/** Matchers and time shift of a selector. */
export type Selection = Shift & { matchers: readonly Matcher[] }

/** Times at which a selector reads instead of those of the frame, by its offset and `@`. */
export function shiftedFrame(world: EvaluationContext, frame: Frame, { at, offsetMs }: Shift): Frame {
  if (at === null) return { ...frame, startMs: frame.startMs - offsetMs }
  const pinned = at === 'start' ? world.startMs : at === 'end' ? world.endMs : at
  return { startMs: pinned - offsetMs, stepMs: 0, count: frame.count }
}

function read(
  { reader, budget }: EvaluationContext,
  matchers: readonly Matcher[],
  frame: Frame,
  backMs: number,
): Series[] {
  const series = reader.select(matchers, frame.startMs - backMs, timeAt(frame, frame.count - 1))
  budget.series(series.length)
  for (const { values } of series) budget.samples(values.length)
  return inOrderOfLabels(series)
}

/** Latest value of each series at each time, if younger than the lookback; with `asTimes`, its time in seconds instead. */
export function selectInstant(world: EvaluationContext, frame: Frame, look: Selection, asTimes = false): Column[] {
  const looked = shiftedFrame(world, frame, look)
  const columns = read(world, look.matchers, looked, world.lookbackMs).map(({ labels, timesMs, values }) => {
    const column = emptyColumn(labels, frame)
    let next = 0
    world.budget.samples(frame.count)
    for (let step = 0; step < frame.count; step += 1) {
      const time = timeAt(looked, step)
      while (next < timesMs.length && (timesMs[next] ?? 0) <= time) next += 1
      const last = next - 1
      const takenMs = timesMs[last]
      if (takenMs === undefined || takenMs <= time - world.lookbackMs || isStale(values, last)) continue
      put(column, step, asTimes ? takenMs / 1000 : (values[last] ?? NaN))
    }
    return column
  })
  return columns.filter(({ has }) => has.includes(1))
}

/** Series that are read in windows: at each step, the samples in `(end - rangeMs, end]` of the frame `ends`. */
export type Windowed = { series: Series[]; rangeMs: number; ends: Frame }

export function selectRange(world: EvaluationContext, frame: Frame, look: Selection, rangeMs: number): Windowed {
  const ends = shiftedFrame(world, frame, look)
  return { series: read(world, look.matchers, ends, rangeMs).map(withoutStale), rangeMs, ends }
}
