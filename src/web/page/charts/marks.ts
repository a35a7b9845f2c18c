import type uPlot from 'uplot'

/** A point of a chart with a label. */
export type Mark = { atSeconds: number; value: number; label: string; color: string }

const gapPx = 6

/** Draws each mark as a dot, with its label above it unless another label is in the way. */
export function drawMarks(plot: uPlot, marks: readonly Mark[], color: (token: string) => string, font: string): void {
  const { ctx, bbox } = plot
  const ratio = devicePixelRatio
  const taken: { left: number; right: number; y: number }[] = []
  ctx.save()
  ctx.font = `500 ${11 * ratio}px ${font}`
  ctx.textAlign = 'left'
  ctx.textBaseline = 'bottom'
  for (const { atSeconds, value, label, color: token } of marks) {
    const x = plot.valToPos(atSeconds, 'x', true)
    const y = plot.valToPos(value, 'y', true)
    if (x < bbox.left || x > bbox.left + bbox.width + 1) continue
    ctx.fillStyle = color(token)
    ctx.beginPath()
    ctx.arc(x, y, 2.5 * ratio, 0, 2 * Math.PI)
    ctx.fill()
    const { width } = ctx.measureText(label)
    // to the left, since lines continue to the right
    const left = Math.max(bbox.left, Math.min(x + gapPx * ratio, bbox.left + bbox.width) - width)
    const top = Math.max(bbox.top + 14 * ratio, y - gapPx * ratio)
    const isFree = taken.every(
      (other) =>
        left > other.right + gapPx * ratio || left + width < other.left || Math.abs(other.y - top) > 14 * ratio,
    )
    if (!isFree) continue
    ctx.strokeStyle = color('--surface')
    ctx.lineWidth = 3 * ratio
    ctx.lineJoin = 'round'
    ctx.strokeText(label, left, top) // an outline, so that lines behind the label do not cross it
    ctx.fillText(label, left, top)
    taken.push({ left, right: left + width, y: top })
  }
  ctx.restore()
}
