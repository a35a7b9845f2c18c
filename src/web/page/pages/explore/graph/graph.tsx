import { useContext, useMemo, useState } from 'preact/hooks'
import { ChartAnnotations } from '../../../charts/annotations.ts'
import type { Zoom } from '../../../charts/plot-types.ts'
import { TimeChart } from '../../../charts/time-chart.tsx'
import { formatPoint } from '../../../format.ts'
import { nowMs } from '../../../ui/time.tsx'
import type { Data } from '../answer.ts'
import type { Drill } from '../drill.tsx'
import { type ExploreQuery, type Unit, units } from '../../../address/explore.ts'
import type { Span } from '../../../address/time-text.ts'
import { unitOfQuery } from '../query/unit-of-query.ts'
import { type Drawn, type Graph, graphColumns, graphOf, maxDrawn, seriesAt } from './graph-lines.ts'
import { Legend } from './legend.tsx'
import { inOrder, linesOf, maxDistinct, type Order, type StyleSlots, rangeOfStack } from './styles.ts'
import { unitFormats } from './units.ts'
import {
  andMoreWords,
  firstOfLegendSentence,
  firstOfTableSentence,
  gapsSentence,
  graphAsLabel,
  graphTitle,
  histogramsSentence,
  overTimeLabel,
  stepSentence,
  suggestedUnitWords,
  togetherWords,
  unitLabel,
} from '../words.ts'

/** Stacked or not, and the chosen unit, as in the address. */
export type Look = Pick<ExploreQuery, 'isStacked' | 'unit'>

type Props = {
  letter: string
  data: Data
  span: Span
  look: Look
  drill: Drill
  onLook: (look: Look) => void
  onZoom: Zoom
}

const heightPx = 240
const maxRead = 3
const maxInTable = 10

/** Graph of a query over the range, as lines or stacked, in a unit, with a legend. */
export function QueryGraph({ letter, data, span, look, drill, onLook, onZoom }: Props) {
  const { isStacked = false } = look
  const graph = useMemo(() => graphOf(data, span), [data, span])
  const unit: Unit = useMemo(() => unitOfQuery(drill.query), [drill.query])
  const { format, increments } = unitFormats[look.unit ?? unit]
  const [chosen, setChosen] = useState<StyleSlots | null>(null)
  const [alone, setAlone] = useState<string | null>(null)
  const [order, setOrder] = useState<Order>(null)
  const [marked, setMarked] = useState<string | null>(null)
  const { bands, markers } = useContext(ChartAnnotations)
  const view = useMemo(
    () => ({ bands, markers, view: { fromSeconds: span.fromSeconds, toSeconds: span.toSeconds } }),
    [bands, markers, span],
  )
  const isMany = graph.series.length > maxDistinct
  const usedOrder = order ?? (isMany ? highestFirst : null)
  const slots = useMemo(() => {
    const names = inOrder(graph.series, isMany ? highestFirst : null).map(({ name }) => name)
    if (!isMany || !chosen?.some((name) => names.includes(name ?? ''))) return names.slice(0, maxDistinct)
    return chosen.map((name) => (names.includes(name ?? '') ? name : null))
  }, [graph, chosen])
  const only = alone !== null && slots.includes(alone) ? alone : null
  const lines = useMemo(
    () => linesOf(graph.series, { slots, isStacked, only }),
    [graph, slots, isStacked, only, format], // a chart is drawn again for other lines, and with them its axis
  )
  const range = useMemo(() => (isStacked ? rangeOfStack(lines) : undefined), [lines, isStacked])
  const shown = graph.series.filter(({ name }) => (only === null ? slots.includes(name) : name === only))
  const reading = (at: number) => {
    const all = seriesAt(shown, at, marked, Infinity)
    const seriesText = ({ name, values }: Drawn) => `${name} ${format(values[at] ?? 0)}`
    const moment = formatPoint((graph.times[at] ?? 0) * 1000, nowMs.peek())
    return [
      moment,
      ...(all.length > 0 ? all.slice(0, maxRead).map(seriesText) : ['no data']),
      ...(all.length > maxRead ? [andMoreWords(all.length - maxRead)] : []),
      ...(isStacked && all.length > 1 ? [togetherWords(format(sumAt(all, at)))] : []),
    ].join(' · ')
  }
  return (
    <TimeChart
      title={graphTitle(letter)}
      name={`query-${letter}`}
      sentence={<Sentence graph={graph} span={span} />}
      rows={graph.times}
      columns={(of) => graphColumns(data, span, of === 'table' ? maxInTable : Infinity)}
      tools={<GraphChoices letter={letter} look={look} suggested={unit} onLook={onLook} />}
      annotations={view}
      times={graph.times}
      lines={lines}
      heightPx={heightPx}
      format={format}
      increments={increments}
      range={range}
      reading={reading}
      marked={isStacked ? null : marked}
      onZoom={onZoom}
      label={overTimeLabel(letter)}
    >
      <Legend
        series={graph.series}
        total={graph.total - graph.histograms}
        slots={slots}
        only={only}
        order={usedOrder}
        format={format}
        drill={drill}
        onSlots={setChosen}
        onOnly={setAlone}
        onOrder={setOrder}
        onMark={setMarked}
      />
    </TimeChart>
  )
}

function sumAt(series: readonly Drawn[], at: number): number {
  return series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0)
}

type ChoicesProps = { letter: string; look: Look; suggested: Unit; onLook: (look: Look) => void }

/** Choice of lines or stacked areas, and of the unit; the query suggests one. */
function GraphChoices({ letter, look, suggested, onLook }: ChoicesProps) {
  const { isStacked = false, unit } = look
  return (
    <>
      <select
        class="input small"
        aria-label={unitLabel(letter)}
        value={unit ?? ''}
        onChange={({ currentTarget: { value } }) => onLook({ unit: units.find((one) => one === value) })}
      >
        <option value="">{suggestedUnitWords[suggested]}</option>
        {units.map((one) => (
          <option key={one} value={one}>
            {unitFormats[one].word}
          </option>
        ))}
      </select>
      <div class="ranges" role="group" aria-label={graphAsLabel(letter)}>
        {[false, true].map((stacked) => (
          <button
            key={String(stacked)}
            type="button"
            aria-pressed={isStacked === stacked}
            onClick={() => onLook({ isStacked: stacked })}
          >
            {stacked ? 'Stacked' : 'Lines'}
          </button>
        ))}
      </div>
    </>
  )
}

/** Order of a legend whose series are not all drawn at first. */
const highestFirst: Order = { by: 'mean', isDescending: true }

function Sentence({ graph: { series, total, unbounded, histograms }, span }: { graph: Graph; span: Span }) {
  const sentences = [
    ...(total > series.length && series.length === maxDrawn ? [firstOfLegendSentence(maxDrawn, total)] : []),
    ...(total > maxInTable ? [firstOfTableSentence(maxInTable)] : []),
    stepSentence(span.stepSeconds),
    ...(unbounded > 0 ? [gapsSentence(unbounded)] : []),
    ...(histograms > 0 ? [histogramsSentence(histograms)] : []),
  ]
  return <>{sentences.join(' ')}</>
}
