import { afterAll, beforeAll, expect, test } from 'bun:test'
import type uPlot from 'uplot'
import { drawLevels } from '../../../../src/web/page/charts/drawing.ts'

const bbox = { left: 50, top: 8, width: 300, height: 170 }

/** Top and bottom of the label of a level that is drawn so many pixels below the top of the chart. */
function labelOf(px: number): [top: number, bottom: number] {
  const found: [number, number][] = []
  const line = () => undefined
  const ctx = {
    textBaseline: '',
    fillText: (_: string, __: number, y: number) =>
      found.push(ctx.textBaseline === 'top' ? [y - bbox.top, y - bbox.top + 11] : [y - bbox.top - 11, y - bbox.top]),
    ...Object.fromEntries(
      ['save', 'restore', 'setLineDash', 'beginPath', 'moveTo', 'lineTo', 'stroke', 'strokeText'].map((name) => [
        name,
        line,
      ]),
    ),
  }
  const plot = { ctx, bbox, valToPos: () => bbox.top + px } as unknown as uPlot
  drawLevels(plot, [{ value: 99.9, label: 'target 99.9', color: '--ink2' }], (token) => token, 'Inter')
  return found[0] ?? [0, 0]
}

beforeAll(() => void Object.assign(globalThis, { devicePixelRatio: 1 }))
afterAll(() => void Reflect.deleteProperty(globalThis, 'devicePixelRatio'))

test.each([0, 5, 11, 16, 27, 28, 60, 150])(
  'the label of a level %p px below the top is clear of flags and line',
  (px) => {
    const [top, bottom] = labelOf(px)
    expect(top).toBeGreaterThanOrEqual(13) // below the flags, which are 12 px high
    expect(top > px || bottom < px).toBe(true)
  },
)
