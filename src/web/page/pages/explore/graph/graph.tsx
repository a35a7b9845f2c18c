import { useContext, useMemo, useState } from 'preact/hooks'
import { ChartHappenings } from '../../../charts/annotations.ts'
import { Figure } from '../../../charts/figure.tsx'
import { Plot, type Zoom } from '../../../charts/plot.tsx'
import { formatCount, formatDuration, formatMoment, formatNumber } from '../../../format.ts'
import { nowMs } from '../../../ui/time.tsx'
import type { Data } from '../answer.ts'
import type { Span } from '../../../address/time-text.ts'
import { type Graph, graphFigures, graphOf, maxDrawn, seriesAt, styleOf } from './graph-lines.ts'
import { Legend } from './legend.tsx'

type Props = { letter: string; data: Data; span: Span; onZoom: Zoom }

const heightPx = 240
const mostRead = 3
const maxInTable = 10

/** Graph of a query over the range. A click in the legend hides or shows a series, hovering highlights it. */
export function QueryGraph({ letter, data, span, onZoom }: Props) {
  const graph = useMemo(() => graphOf(data, span), [data, span])
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const [marked, setMarked] = useState<string | null>(null)
  const { bands, flags } = useContext(ChartHappenings)
  const view = useMemo(
    () => ({ bands, flags, view: { fromSeconds: span.fromSeconds, toSeconds: span.toSeconds } }),
    [bands, flags, span],
  )
  const shown = graph.series.filter(({ name }) => !hidden.has(name))
  const lines = useMemo(
    () =>
      graph.series.flatMap(({ name, values }, at) =>
        hidden.has(name)
          ? []
          : [
              {
                label: name,
                values,
                ...styleOf(at),
                widthPx: marked === name ? 3 : graph.series.length > 12 ? 1 : 1.5,
              },
            ],
      ),
    [graph, hidden, marked],
  )
  const reading = (at: number) => {
    const known = seriesAt(shown, at, marked, mostRead)
    const count = shown.filter(({ values }) => (values[at] ?? null) !== null).length
    const more = count > known.length ? [`and ${count - known.length} more`] : []
    const said = known.map(({ name, values }) => `${name} ${formatValue(values[at] ?? 0)}`)
    const moment = formatMoment((graph.times[at] ?? 0) * 1000, nowMs.peek())
    return [moment, ...(said.length > 0 ? said : ['no data']), ...more].join(' · ')
  }
  return (
    <ChartHappenings.Provider value={view}>
      <Figure
        title={`Graph of ${letter}`}
        name={`query-${letter}`}
        sentence={<Sentence graph={graph} span={span} />}
        figures={() => graphFigures(data, graph, span, maxInTable)}
        csv={() => graphFigures(data, graph, span)}
      >
        <Plot
          times={graph.times}
          lines={lines}
          heightPx={heightPx}
          format={formatValue}
          reading={reading}
          onZoom={onZoom}
          label={`Query ${letter} over time`}
        />
        <Legend series={graph.series} hidden={hidden} onHide={setHidden} onMark={setMarked} />
      </Figure>
    </ChartHappenings.Provider>
  )
}

function Sentence({ graph: { series, total, unbounded, histograms }, span }: { graph: Graph; span: Span }) {
  const said = [
    ...(total > series.length && series.length === maxDrawn
      ? [`The first ${maxDrawn} of ${formatNumber(total)} series are drawn; the CSV has all.`]
      : []),
    ...(total > maxInTable ? [`The table has the first ${maxInTable}.`] : []),
    `A point every ${formatDuration(span.stepSeconds)}.`,
    ...(unbounded > 0 ? [`${formatNumber(unbounded)} samples are NaN or infinite: the lines have gaps there.`] : []),
    ...(histograms > 0
      ? [`${formatNumber(histograms)} are native histograms: histogram_quantile or histogram_count make lines of them.`]
      : []),
  ]
  return <>{said.join(' ')}</>
}

/**
 * Formats a value for an axis or a legend: five significant digits, short from 10,000 on, with an exponent below 0.0001 and
 * from 1e13 on.
 */
export function formatValue(value: number): string {
  const size = Math.abs(value)
  if (size >= 1e13 || (size > 0 && size < 1e-4)) return value.toExponential(2).replace('-', '−').replace('e-', 'e−')
  if (size >= 1e4) return formatCount(value)
  return formatNumber(value, Math.min(6, decimalsOf(value)))
}

function decimalsOf(value: number): number {
  return (String(Number(value.toPrecision(5))).split('.')[1] ?? '').length
}
