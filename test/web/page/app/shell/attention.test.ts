import { afterAll, beforeAll, expect, test } from 'bun:test'
import type * as AttentionModule from '../../../../../src/web/page/app/shell/attention.ts'
import { fakeBrowser } from '../../api/fake-browser.ts'

let browser: ReturnType<typeof fakeBrowser>
let attention: typeof AttentionModule // loaded once the browser globals exist

beforeAll(async () => {
  browser = fakeBrowser(() => Response.json({}))
  attention = await import('../../../../../src/web/page/app/shell/attention.ts')
})
afterAll(() => browser.restore())

test.each([
  [{}, 0, 'ok'],
  [{ recovering: 2, unknown: 1 }, 0, 'ok'],
  [{ burning: 1 }, 0, 'warning'],
  [{ burning: 1, down: 1, burning_fast: 1 }, 2, 'critical'],
] as const)('open incidents %j: %p need attention at once, and the worst is %p', (open, failing, worst) => {
  expect(attention.attentionOf({ down: 0, burning_fast: 0, burning: 0, recovering: 0, unknown: 0, ...open })).toEqual({
    failing,
    worst,
  })
})

test('the icons differ in shape, and not only in colour', () => {
  const outlineOf = (worst: 'critical' | 'warning') =>
    decodeURIComponent(attention.iconOf(worst)).split('d="')[1]?.split('"')[0]
  expect(outlineOf('critical')).not.toBe(outlineOf('warning'))
})

const luminance = (hex: string) => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
const contrast = (a: string, b: string) => {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].toSorted((one, other) => other - one)
  return (light + 0.05) / (dark + 0.05)
}

test.each(['critical', 'warning'] as const)('the icon of %s is readable on light and dark tabs', (worst) => {
  const color = attention.iconColors[worst]
  for (const tab of ['#ffffff', '#dee1e6', '#202124']) expect(contrast(color, tab)).toBeGreaterThan(3)
  expect(contrast(color, '#ffffff')).toBeGreaterThan(4) // of its mark
})
