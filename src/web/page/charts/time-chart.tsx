import type { ComponentChildren } from 'preact'
import { type Annotations, ChartAnnotations } from './annotations.ts'
import { Figure, type FigureProps } from './figure.tsx'
import { Plot } from './plot.tsx'
import type { PlotProps } from './plot-types.ts'

type Props<Row> = Omit<FigureProps<Row>, 'children'> &
  PlotProps & {
    /** True if there is no line to draw: the place of the chart stays free. */
    isEmpty?: boolean
    /** Annotations in place of those of the page. */
    annotations?: Annotations
    /** Parts below the lines, such as a legend. */
    children?: ComponentChildren
  }

/** A chart over time from one description: lines, a sentence, and the values as table, CSV and PNG. Example: src/web/page/README.md, "A chart". */
export function TimeChart<Row>({ isEmpty, annotations, children, ...props }: Props<Row>) {
  const plot = isEmpty ? <div class="nothing" style={`--height: ${props.heightPx}px`} /> : <Plot {...props} />
  return (
    <Figure {...props}>
      {annotations ? <ChartAnnotations.Provider value={annotations}>{plot}</ChartAnnotations.Provider> : plot}
      {children}
    </Figure>
  )
}
