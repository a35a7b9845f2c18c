import type uPlot from 'uplot'
import { effect, signal, useSignal } from '@preact/signals'
import { useContext, useEffect, useMemo, useRef } from 'preact/hooks'
import { formatPoint } from '../format.ts'
import { nowMs } from '../ui/time.tsx'
import { zone } from '../zone.ts'
import type { Band } from './drawing.ts'
import { bandsOf, ChartAnnotations, type Annotations, annotationsIn } from './annotations.ts'
import { Below, type PlotArea, Markers } from './plot-parts.tsx'
import { dataOf, optionsOf } from './plot-options.ts'
import type { PlotProps } from './plot-types.ts'
import { chartLabel } from './words.ts'

/** Counts theme changes. A chart reads its colours when it is drawn, so each change redraws it. */
const themeChanges = signal(0)
new MutationObserver(() => themeChanges.value++).observe(document.documentElement, { attributeFilter: ['data-theme'] })

const none: Band[] = []
const quickSteps = 10

/**
 * A chart over time with annotations behind it. Dragging zooms, a double click or Escape zooms out. Arrow keys move the
 * crosshair, and its point is read out. uPlot is loaded with the first chart.
 */
export function Plot(props: PlotProps) {
  const element = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const annotations = useContext(ChartAnnotations)
  const { view } = annotations
  const shown = useMemo(() => annotationsIn(annotations, ...spanOf(props.times, view)), [annotations, props.times])
  const bands = useMemo(() => [...(props.bands ?? none), ...bandsOf(shown.bands)], [props.bands, shown])
  const area = useSignal<PlotArea | null>(null)
  const pointed = useSignal<number | null>(null)
  const spoken = useSignal('')
  const chosen = useRef<number | null>(null) // time in seconds of the point that a key led to; it stays when the chart is redrawn
  const latest = useRef({ ...props, bands, view })
  latest.current = { ...props, bands, view }
  useEffect(() => {
    const container = element.current
    if (!container) return
    let isGone = false
    const draw = async () => {
      const { UPlot } = await import('./uplot.ts')
      if (isGone) return
      plot.current?.destroy()
      const options = optionsOf(UPlot, latest, container, { area, pointed })
      plot.current = new UPlot(options, dataOf(latest.current), container)
      if (chosen.current !== null) pointAt(plot.current, chosen.current)
    }
    const stop = effect(() => {
      void [themeChanges.value, zone.value]
      void draw()
    })
    const observer = new ResizeObserver(() =>
      plot.current?.setSize({ width: container.clientWidth, height: container.clientHeight }),
    )
    observer.observe(container)
    return () => {
      isGone = true
      stop()
      observer.disconnect()
      plot.current?.destroy()
      plot.current = undefined
    }
  }, [props.times, props.lines, props.levels, bands, props.range, view?.fromSeconds, view?.toSeconds])

  useEffect(() => {
    const at = props.lines.findIndex(({ label }) => label === props.marked)
    plot.current?.setSeries(at < 0 ? null : at + 1, { focus: at >= 0 })
  }, [props.marked])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const at = actOn(event, pointed.peek(), latest.current)
    if (at === undefined) return
    event.preventDefault()
    if (at === null) return
    chosen.current = props.times[at] ?? 0
    if (plot.current) pointAt(plot.current, chosen.current)
    spoken.value = pointText(latest.current, shown, at)
  }
  return (
    <div class="plot-around">
      <div
        ref={element}
        class="plot"
        role="application"
        aria-roledescription="chart"
        aria-label={chartLabel(props.label)}
        tabIndex={0}
        style={`--height: ${props.heightPx}px`}
        onKeyDown={onKeyDown}
        onBlur={() => {
          chosen.current = null
          plot.current?.setCursor({ left: -10, top: -10 })
        }}
      />
      <Markers markers={shown.markers} area={area} />
      <Below shown={shown} pointed={pointed} reading={(at) => pointText(latest.current, shown, at)} />
      <p class="hidden-text" aria-live="polite">
        {spoken}
      </p>
    </div>
  )
}

function pointAt(plot: uPlot, seconds: number): void {
  plot.setCursor({ left: plot.valToPos(seconds, 'x'), top: plot.over.clientHeight / 2 })
}

/** Visible time range in seconds. */
function spanOf(times: readonly number[], view: Annotations['view']): [number, number] {
  return view ? [view.fromSeconds, view.toSeconds] : [times[0] ?? 0, times.at(-1) ?? 0]
}

/** Point that a key leads to; null: the key zoomed; undefined: the key has no effect here. */
function actOn(
  { key, shiftKey }: KeyboardEvent,
  here: number | null,
  { times, onZoom, view }: PlotProps & Pick<Annotations, 'view'>,
): number | null | undefined {
  const [first, last] = spanOf(times, view)
  const inView = times.flatMap((time, at) => (time >= first && time <= last ? [at] : []))
  const [from, to] = [inView[0] ?? 0, inView.at(-1) ?? 0]
  const step = shiftKey ? quickSteps : 1
  const at = { ArrowLeft: (here ?? to + 1) - step, ArrowRight: (here ?? from - 1) + step, Home: from, End: to }[key]
  if (at !== undefined) return Math.max(from, Math.min(to, at))
  if (key === 'Escape' && onZoom) {
    onZoom(null)
    return null
  }
  if (key !== '+' || !onZoom) return undefined
  const middle = here === null ? (first + last) / 2 : (times[here] ?? 0)
  const quarter = (last - first) / 4
  const begin = Math.max(first, Math.min(last - 2 * quarter, middle - quarter))
  onZoom({ fromMs: begin * 1000, toMs: (begin + 2 * quarter) * 1000 })
  return null
}

/** Text of a point: the time, the value of each line, and the annotations at that time. */
function pointText(
  { times, lines, format, read: formatRead = format, reading }: PlotProps,
  { bands, markers }: Pick<Annotations, 'bands' | 'markers'>,
  at: number,
): string {
  if (reading) return reading(at)
  const seconds = times[at] ?? 0
  const next = times[at + 1] ?? seconds
  const values = lines.flatMap(({ label, values, read = values }) => {
    const value = read[at] ?? null
    return value === null ? [] : [`${label} ${formatRead(value)}`]
  })
  const annotationTexts = [
    ...new Set(bands.filter((one) => one.fromSeconds <= seconds && one.toSeconds > seconds).map(({ text }) => text)),
    ...markers.filter(({ atSeconds }) => atSeconds >= seconds && atSeconds < next).map(({ text }) => text),
  ]
  const readings = values.length === 0 ? ['no data'] : values
  return [formatPoint(seconds * 1000, nowMs.peek()), ...readings, ...annotationTexts].join(' · ')
}
