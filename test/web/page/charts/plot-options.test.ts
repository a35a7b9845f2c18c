import { expect, test } from 'bun:test'
import { axisWidthPx } from '../../../../src/web/page/charts/plot-options.ts'

test.each([
  [['0 %', '50 %', '100 %'], 56],
  [['−500 %', '100 %'], 56],
  [['−12,500 %', '100 %'], 78],
  [[], 56],
] as const)('an axis with the labels %j is %p px wide, so that each is drawn whole', (labels, widthPx) => {
  expect(axisWidthPx(labels)).toBe(widthPx)
})
