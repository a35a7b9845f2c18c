import type uPlot from 'uplot'
import { zoneName } from '../format.ts'

/**
 * A time range behind the lines: filled with a colour, hatched with another, with an edge at its top. Colours are CSS custom
 * properties.
 */
export type Band = { fromSeconds: number; toSeconds: number; color: string; edge?: string; hatch?: string }
/** A horizontal line across the chart, such as a threshold. */
export type Level = { value: number; label: string; color: string; dash?: number[] }

type Color = (token: string) => string

export function drawBands(plot: uPlot, bands: readonly Band[], color: Color): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  for (const band of bands) {
    const from = plot.valToPos(band.fromSeconds, 'x', true)
    const width = Math.max(2 * devicePixelRatio, plot.valToPos(band.toSeconds, 'x', true) - from)
    ctx.fillStyle = color(band.color)
    ctx.fillRect(from, bbox.top, width, bbox.height)
    if (band.hatch) {
      ctx.fillStyle = hatch(ctx, color(band.hatch)) ?? color(band.hatch)
      ctx.fillRect(from, bbox.top, width, bbox.height)
    }
    if (band.edge) {
      ctx.fillStyle = color(band.edge)
      ctx.fillRect(from, bbox.top, width, 2 * devicePixelRatio)
    }
  }
  ctx.restore()
}

/** Pattern of thin strokes from the lower left to the upper right. */
function hatch(ctx: CanvasRenderingContext2D, color: string): CanvasPattern | null {
  const size = 6 * devicePixelRatio
  const tile = document.createElement('canvas')
  tile.width = size
  tile.height = size
  const strokes = tile.getContext('2d')
  if (!strokes) return null
  strokes.strokeStyle = color
  strokes.globalAlpha = 0.45
  strokes.lineWidth = devicePixelRatio
  strokes.beginPath()
  for (const shift of [-size, 0, size]) {
    strokes.moveTo(shift, size)
    strokes.lineTo(shift + size, 0)
  }
  strokes.stroke()
  return ctx.createPattern(tile, 'repeat')
}

const flagsPx = 14 // height of the flags of changes at the top of a chart, which would cover a label
const labelPx = 14

/** Draws each level as a line, with its label above it, or below where flags may be. */
export function drawLevels(plot: uPlot, levels: readonly Level[], color: Color, font: string): void {
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
    const isHigh = y - bbox.top < (flagsPx + labelPx) * ratio
    ctx.textBaseline = isHigh ? 'top' : 'bottom'
    const baseline = isHigh ? Math.max(y + 3 * ratio, bbox.top + flagsPx * ratio) : y - 2 * ratio
    const x = bbox.left + bbox.width - 4 * ratio
    ctx.strokeStyle = color('--surface')
    ctx.lineWidth = 3 * ratio
    ctx.lineJoin = 'round'
    ctx.setLineDash([])
    ctx.strokeText(label, x, baseline) // an outline, so that lines behind the label do not cross it
    ctx.fillText(label, x, baseline)
  }
  ctx.restore()
}

/** Writes the reader's time zone to the left of the time axis. */
export function drawZone(plot: uPlot, color: Color, font: string): void {
  const { ctx, bbox } = plot
  const ratio = devicePixelRatio
  ctx.save()
  ctx.fillStyle = color('--ink3')
  ctx.font = `${11 * ratio}px ${font}`
  ctx.textAlign = 'left'
  ctx.textBaseline = 'top'
  ctx.fillText(zoneName((plot.scales['x']?.max ?? 0) * 1000), 0, bbox.top + bbox.height + 6 * ratio)
  ctx.restore()
}
