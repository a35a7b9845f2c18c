import type { Band, Level } from './drawing.ts'
import type { Mark } from './marks.ts'

/** A line of a chart. Values are null where there are none, and the line has a gap there. */
export type Line = {
  label: string
  values: (number | null)[]
  /** What is read out in place of the values, where those are held within the scale. */
  read?: (number | null)[]
  /** A token of the style, such as `--accent`. */
  color: string
  dash?: number[]
  fill?: string
  widthPx?: number
  isStepped?: boolean
}

export type Zoom = (range: { fromMs: number; toMs: number } | null) => void

export type PlotProps = {
  /** Seconds since the epoch, ascending. */
  times: number[]
  lines: Line[]
  /** On a phone 160 at most, by the style. */
  heightPx: number
  /** A value at the axis; `read`: where it is read out, and may be longer. */
  format: (value: number) => string
  read?: (value: number) => string
  range?: [number, number]
  isLogarithmic?: boolean
  bands?: Band[]
  levels?: Level[]
  marks?: Mark[]
  /** What is read out at a point, in place of the values of all lines. */
  reading?: (at: number) => string
  onZoom?: Zoom | undefined
  label: string
}
