import type uPlot from 'uplot'
import { effect, signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { drawMarks, type Mark } from './marks.ts'

export type { Mark }

/** A line of a chart. Values are null where there are none, and the line has a gap there. */
export type Line = {
  label: string
  values: (number | null)[]
  /** A token of the style, such as `--accent`. */
  color: string
  dash?: number[]
  fill?: string
  widthPx?: number
  isStepped?: boolean
}

/** A stretch of time behind the lines, or a height across them. */
export type Band = { fromSeconds: number; toSeconds: number; color: string; edge?: string }
export type Level = { value: number; label: string; color: string; dash?: number[] }

export type PlotProps = {
  /** Seconds since the epoch, ascending. */
  times: number[]
  lines: Line[]
  heightPx: number
  format: (value: number) => string
  range?: [number, number]
  isLogarithmic?: boolean
  bands?: Band[]
  levels?: Level[]
  marks?: Mark[]
  onZoom?: ((range: { fromMs: number; toMs: number } | null) => void) | undefined
  label: string
}

/** All charts of the page show one crosshair. */
const syncKey = 'page'
/** Changes with the theme: colours are read when a chart is drawn. */
const themed = signal(0)
new MutationObserver(() => themed.value++).observe(document.documentElement, { attributeFilter: ['data-theme'] })

/** A chart over time. Dragging over it zooms, a double click goes back; the library is loaded with the first chart. */
export function Plot(props: PlotProps) {
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  useEffect(() => {
    const element = place.current
    if (!element) return
    let plot: uPlot | undefined
    let isGone = false
    const draw = async () => {
      const { UPlot } = await import('./uplot.ts')
      if (isGone) return
      plot?.destroy()
      plot = new UPlot(optionsOf(UPlot, latest, element), dataOf(latest.current), element)
    }
    const stop = effect(() => {
      void themed.value
      void draw()
    })
    const observer = new ResizeObserver(() =>
      plot?.setSize({ width: element.clientWidth, height: latest.current.heightPx }),
    )
    observer.observe(element)
    return () => {
      isGone = true
      stop()
      observer.disconnect()
      plot?.destroy()
    }
  }, [props.times, props.lines, props.levels, props.bands, props.range])
  return <div ref={place} class="plot" role="img" aria-label={props.label} style={{ height: `${props.heightPx}px` }} />
}

function dataOf({ times, lines }: PlotProps): uPlot.AlignedData {
  return [times, ...lines.map(({ values }) => values)]
}

function optionsOf(UPlot: typeof uPlot, latest: { current: PlotProps }, element: HTMLElement): uPlot.Options {
  const props = latest.current
  const { range } = props
  const style = getComputedStyle(element)
  const color = (token: string) => style.getPropertyValue(token).trim() || token
  const axis = {
    stroke: color('--ink3'),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
  }
  const steps = UPlot.paths.stepped?.({ align: 1 })
  const stepped = (line: Line) => (line.isStepped && steps ? { paths: steps } : {})
  return {
    width: element.clientWidth,
    height: props.heightPx,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: {
      sync: { key: syncKey },
      drag: { x: true, y: false, setScale: false },
      points: { size: 6 },
      bind: {
        dblclick: () => () => {
          latest.current.onZoom?.(null)
          return null
        },
      },
    },
    scales: {
      x: { time: true },
      y: {
        ...(props.isLogarithmic ? { distr: 3 as const, log: 10 as const } : {}),
        ...(range && { range: () => range }),
      },
    },
    axes: [
      { ...axis, size: 28, space: 72, values: timeLabels },
      {
        ...axis,
        size: 56,
        space: 28,
        ...(props.isLogarithmic && { splits: decades }),
        values: (_, splits) => splits.map((value) => (value === null ? '' : props.format(value))),
      },
    ],
    series: [
      {},
      ...props.lines.map((line) => ({
        label: line.label,
        stroke: color(line.color),
        width: line.widthPx ?? 1.5,
        points: { show: false },
        spanGaps: false,
        ...(line.dash && { dash: line.dash }),
        ...(line.fill && { fill: color(line.fill) }),
        ...stepped(line),
      })),
    ],
    hooks: {
      drawClear: [(plot) => drawBands(plot, latest.current.bands ?? [], color)],
      draw: [
        (plot) => drawLevels(plot, latest.current.levels ?? [], color, style.fontFamily),
        (plot) => drawMarks(plot, latest.current.marks ?? [], color, style.fontFamily),
      ],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select
          if (width < 4) return
          latest.current.onZoom?.({
            fromMs: plot.posToVal(left, 'x') * 1000,
            toMs: plot.posToVal(left + width, 'x') * 1000,
          })
          plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false)
        },
      ],
    },
  }
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

/** The powers of ten of a logarithmic scale. */
function decades(_: uPlot, __: number, min: number, max: number): number[] {
  const first = Math.ceil(Math.log10(min) - 1e-9)
  return Array.from({ length: Math.max(0, Math.floor(Math.log10(max)) - first + 1) }, (_, at) => 10 ** (first + at))
}

/** The time of day below a day's step, with the date at midnight; the date from a day on. */
function timeLabels(_: uPlot, splits: number[]): string[] {
  const step = (splits[1] ?? 0) - (splits[0] ?? 0)
  return splits.map((seconds) => {
    const at = new Date(seconds * 1000)
    return step >= 86_400 || (at.getHours() === 0 && at.getMinutes() === 0) ? day.format(at) : clock.format(at)
  })
}

function drawBands(plot: uPlot, bands: Band[], color: (token: string) => string): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  for (const band of bands) {
    const from = plot.valToPos(band.fromSeconds, 'x', true)
    const width = Math.max(devicePixelRatio, plot.valToPos(band.toSeconds, 'x', true) - from)
    ctx.fillStyle = color(band.color)
    ctx.fillRect(from, bbox.top, width, bbox.height)
    if (band.edge) {
      ctx.fillStyle = color(band.edge)
      ctx.fillRect(from, bbox.top, width, 2 * devicePixelRatio)
    }
  }
  ctx.restore()
}

function drawLevels(plot: uPlot, levels: Level[], color: (token: string) => string, font: string): void {
  const { ctx, bbox } = plot
  const ratio = devicePixelRatio
  ctx.save()
  for (const { value, label, color: token, dash } of levels) {
    const y = Math.round(plot.valToPos(value, 'y', true))
    if (!(y >= bbox.top && y <= bbox.top + bbox.height)) continue
    ctx.strokeStyle = color(token)
    ctx.fillStyle = color(token)
    ctx.lineWidth = ratio
    ctx.setLineDash((dash ?? []).map((length) => length * ratio))
    ctx.beginPath()
    ctx.moveTo(bbox.left, y)
    ctx.lineTo(bbox.left + bbox.width, y)
    ctx.stroke()
    ctx.font = `${11 * ratio}px ${font}`
    ctx.textAlign = 'right'
    const isHigh = y - bbox.top < 16 * ratio
    ctx.textBaseline = isHigh ? 'top' : 'bottom'
    ctx.fillText(label, bbox.left + bbox.width - 4 * ratio, y + (isHigh ? 3 : -2) * ratio)
  }
  ctx.restore()
}
