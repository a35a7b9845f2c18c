const marginPx = 12
const titlePx = 28
const keyGapPx = 6

/**
 * Draws the canvases and SVGs of an element below a title, as PNG in the resolution of the screen. SVGs are redrawn from their
 * rectangles, paths and texts, because the content security policy allows only images of the server.
 */
export async function pictureOf(element: HTMLElement, title: string): Promise<Blob | null> {
  const bounds = element.getBoundingClientRect()
  const ratio = devicePixelRatio
  const canvas = document.createElement('canvas')
  canvas.width = (bounds.width + 2 * marginPx) * ratio
  canvas.height = (bounds.height + titlePx + 2 * marginPx) * ratio
  const context = canvas.getContext('2d')
  if (!context) return null
  const style = getComputedStyle(element)
  const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name)
  context.scale(ratio, ratio)
  context.fillStyle = token('--surface')
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.fillStyle = token('--ink')
  context.font = `600 14px ${style.fontFamily}`
  context.textBaseline = 'middle'
  context.fillText(title, marginPx, marginPx + titlePx / 2)
  context.textBaseline = 'alphabetic'
  context.translate(marginPx - bounds.left, marginPx + titlePx - bounds.top)
  for (const drawn of element.querySelectorAll<HTMLCanvasElement | SVGSVGElement>('canvas, svg:not(.icon)')) {
    if (drawn.closest('button') && !drawn.closest('.key')) continue
    const { left, top, width, height } = drawn.getBoundingClientRect()
    if (drawn instanceof HTMLCanvasElement) context.drawImage(drawn, left, top, width, height)
    else drawSvg(drawn, context)
  }
  for (const key of element.querySelectorAll<HTMLElement>('.key')) drawKey(key, context)
  return new Promise((resolve) => canvas.toBlob(resolve))
}

/** Draws an entry of the legend: its swatch, unless that is an SVG, which is drawn already, and its text. */
function drawKey(key: HTMLElement, context: CanvasRenderingContext2D): void {
  const { color, fontSize, fontFamily } = getComputedStyle(key)
  const sign = key.firstElementChild
  if (!sign) return
  const { left, top, right, width, height } = sign.getBoundingClientRect()
  if (sign instanceof HTMLElement && sign.childElementCount === 0) {
    const { backgroundColor, borderTopColor, borderTopWidth } = getComputedStyle(sign)
    context.fillStyle = backgroundColor
    context.fillRect(left, top, width, height)
    context.fillStyle = borderTopColor
    context.fillRect(left, top, width, Number.parseFloat(borderTopWidth) || 1)
  }
  context.fillStyle = color
  context.font = `${fontSize} ${fontFamily}`
  context.textBaseline = 'middle'
  context.fillText(key.textContent?.trim() ?? '', right + keyGapPx, top + height / 2 + 1)
}

function drawSvg(svg: SVGSVGElement, context: CanvasRenderingContext2D): void {
  for (const shape of svg.querySelectorAll<SVGGraphicsElement>('rect, path, text')) {
    const matrix = shape.getScreenCTM()
    if (!matrix || shape.closest('defs, pattern')) continue
    const { fill, stroke, strokeWidth, strokeDasharray, fontSize, fontFamily } = getComputedStyle(shape)
    context.save()
    context.transform(matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)
    context.fillStyle = fill
    context.strokeStyle = stroke
    context.lineWidth = Number.parseFloat(strokeWidth)
    context.setLineDash((strokeDasharray.match(/[\d.]+/g) ?? []).map(Number))
    if (shape instanceof SVGTextElement) {
      context.font = `${fontSize} ${fontFamily}`
      context.fillText(shape.textContent ?? '', numberOf(shape, 'x'), numberOf(shape, 'y'))
    } else {
      const path = new Path2D(shape.getAttribute('d') ?? undefined)
      if (shape instanceof SVGRectElement) {
        path.rect(...(['x', 'y', 'width', 'height'].map((name) => numberOf(shape, name)) as Rectangle))
      }
      // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type -- a canvas, no array
      if (fill !== 'none') context.fill(path)
      if (stroke !== 'none') context.stroke(path)
    }
    context.restore()
  }
}

type Rectangle = [number, number, number, number]

function numberOf(shape: Element, name: string): number {
  return Number(shape.getAttribute(name) ?? 0)
}
