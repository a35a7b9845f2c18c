import type uPlot from 'uplot'
import type { Signal } from '@preact/signals'
import { drawBands, drawLevels, drawZone } from './drawing.ts'
import { formatClock, formatClockSeconds, formatDay, zoneName } from '../format.ts'
import { wallTime, zone } from '../zone.ts'
import { drawMarks } from './marks.ts'
import type { Annotations } from './annotations.ts'
import type { PlotArea } from './plot-parts.tsx'
import type { Line, PlotProps } from './plot-types.ts'

/** Key that synchronizes the crosshair of all charts on the page. */
const syncKey = 'page'
const minDragPx = 4
const dotPx = 6
const dimmedAlpha = 0.25
const minAxisPx = 56
const characterPx = 7.25 // of digits at 12 px; separators are narrower
const axisGapPx = 12
const zoneCharacterPx = 7 // at 11 px, with a gap behind the name

type Latest = { current: PlotProps & Pick<Annotations, 'view'> }
/** Signals that a chart sets: the position of its drawing area, and the index of the point under the crosshair. */
type Signals = { area: Signal<PlotArea | null>; pointed: Signal<number | null> }

/** Data of a chart for uPlot: the times, then the values of each line. */
export function dataOf({ times, lines }: PlotProps): uPlot.AlignedData {
  return [times, ...lines.map(({ values }) => values)]
}

/** Options of a chart for uPlot, with colours of the present theme. Hooks read `latest`, which may change after the chart is made. */
export function optionsOf(
  UPlot: typeof uPlot,
  latest: Latest,
  element: HTMLElement,
  { area, pointed }: Signals,
): uPlot.Options {
  const props = latest.current
  const { range, view } = props
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
  const dotted = ({ dots, widthPx = 1.5 }: Line) =>
    dots ? { filter: () => dots, size: dotPx, width: widthPx, fill: color('--surface') } : {}
  const setArea = (plot: uPlot) => {
    const { min: from = null, max: to = null } = plot.scales['x'] ?? {}
    if (from === null || to === null) return
    const { offsetLeft: leftPx, offsetWidth: widthPx } = plot.over
    area.value = { leftPx, widthPx, fromSeconds: from, toSeconds: to }
  }
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    tzDate: axisDate,
    padding: [8, 20, 0, 0], // room for half of the last time label
    legend: { show: false },
    focus: { alpha: dimmedAlpha },
    cursor: {
      sync: { key: syncKey },
      drag: { x: true, y: false, setScale: false },
      points: { size: 6 },
      y: false,
      bind: {
        // in place of uPlot's own handler, which would reset the scales
        dblclick: () => () => {
          latest.current.onZoom?.(null)
          return null
        },
      },
    },
    scales: {
      x: { time: true, ...(view && { range: () => [view.fromSeconds, view.toSeconds] as [number, number] }) },
      y: {
        ...(props.isLogarithmic ? { distr: 3 as const, log: 10 as const } : {}),
        ...(range && { range: () => range }),
      },
    },
    axes: [
      { ...axis, size: 28, space: () => (zone.value.is12h ? 88 : 72), values: timeLabels },
      {
        ...axis,
        size: (_, labels) => axisWidthPx(labels ?? []), // null before the first labels
        space: 28,
        ...(props.isLogarithmic && { splits: decades }),
        ...(props.increments && { incrs: props.increments }),
        values: (_, splits) => splits.map((value) => (value === null ? '' : props.format(value))),
      },
    ],
    series: [
      {},
      ...props.lines.map((line) => ({
        label: line.label,
        stroke: color(line.color),
        width: line.widthPx ?? 1.5,
        points: { show: false, ...dotted(line) },
        spanGaps: false,
        ...(line.dash && { dash: line.dash }),
        ...(line.fill && { fill: color(line.fill) }),
        ...stepped(line),
      })),
    ],
    hooks: {
      ready: [setArea],
      setSize: [setArea],
      drawClear: [(plot) => drawBands(plot, latest.current.bands ?? [], color)],
      draw: [
        (plot) => drawLevels(plot, latest.current.levels ?? [], color, style.fontFamily),
        (plot) => drawMarks(plot, latest.current.marks ?? [], color, style.fontFamily),
        (plot) => drawZone(plot, color, style.fontFamily),
      ],
      setCursor: [(plot) => (pointed.value = (plot.cursor.left ?? -1) < 0 ? null : (plot.cursor.idx ?? null))],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select
          if (width < minDragPx) return
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

/** Powers of ten of a logarithmic scale. */
function decades(_: uPlot, __: number, min: number, max: number): number[] {
  const first = Math.ceil(Math.log10(min) - 1e-9)
  return Array.from({ length: Math.max(0, Math.floor(Math.log10(max)) - first + 1) }, (_, at) => 10 ** (first + at))
}

/** Date whose local fields (`getHours` …) are the time of day in the reader's zone: uPlot divides the time axis by them. */
function axisDate(seconds: number): Date {
  const at = wallTime(seconds * 1000)
  const time = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds(), at.getUTCMilliseconds()] as const
  return new Date(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), ...time)
}

/**
 * Labels of the time axis, made by `timeLabel`. A label that would overlap the name of the time zone, which is to the left of the axis, is
 * left out.
 */
function timeLabels(plot: uPlot, splits: number[]): string[] {
  const stepSeconds = (splits[1] ?? 0) - (splits[0] ?? 0)
  return splits.map((seconds) => {
    const text = timeLabel(seconds, stepSeconds)
    const leftPx = plot.bbox.left / devicePixelRatio + plot.valToPos(seconds, 'x') - (text.length * characterPx) / 2
    return leftPx < zoneName(seconds * 1000).length * zoneCharacterPx ? '' : text
  })
}

/**
 * Label of a moment on a time axis: the time of day if the step is below a day, with seconds if it is below a minute, and the date
 * at midnight; otherwise the date. Empty between whole seconds.
 */
export function timeLabel(seconds: number, stepSeconds: number): string {
  if (!Number.isInteger(seconds)) return ''
  const ms = seconds * 1000
  const isDay = stepSeconds >= 86_400 || wallTime(ms).getTime() % 86_400_000 === 0
  if (isDay) return formatDay(ms, ms)
  return stepSeconds < 60 ? formatClockSeconds(ms) : formatClock(ms)
}

/** Width of an axis that has room for its labels. */
export function axisWidthPx(labels: readonly string[]): number {
  const longest = labels.reduce((max, { length }) => Math.max(max, length), 0)
  return Math.max(minAxisPx, Math.ceil(longest * characterPx + axisGapPx))
}
