import type { Band, Level } from './drawing.ts'
import type { Mark } from './marks.ts'

/** A line of a chart. It has a gap at null values. */
export type Line = {
  label: string
  values: (number | null)[]
  /** Values to read out in place of `values`, if those are clamped to the scale. */
  read?: (number | null)[]
  /** CSS custom property, such as `--accent`. */
  color: string
  dash?: number[]
  fill?: string
  widthPx?: number
  isStepped?: boolean
  /** Indices of the values that get a dot. */
  dots?: number[]
}

/** Called with the time range to show; null: all data. */
export type Zoom = (range: { fromMs: number; toMs: number } | null) => void

export type PlotProps = {
  /** Seconds since the epoch, ascending. */
  times: number[]
  lines: Line[]
  /** Height of the chart; the style limits it to 160 on a phone. */
  heightPx: number
  /** Formats a value for the axis. `read` formats it for reading out, and may give a longer text. */
  format: (value: number) => string
  read?: (value: number) => string
  range?: [number, number] | undefined
  /** Distances between values of the axis to choose from; by default round decimal numbers. */
  increments?: number[] | undefined
  isLogarithmic?: boolean
  bands?: Band[]
  levels?: Level[]
  marks?: Mark[]
  /** Text to read out at a point, in place of the values of all lines. */
  reading?: (index: number) => string
  /** Label of the line that stands out; the others are dimmed. */
  marked?: string | null
  onZoom?: Zoom | undefined
  label: string
}
