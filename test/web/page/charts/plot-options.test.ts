import { expect, test } from 'bun:test'
import { axisWidthPx, timeLabel } from '../../../../src/web/page/charts/plot-options.ts'

test.each([
  [['0 %', '50 %', '100 %'], 56],
  [['−500 %', '100 %'], 56],
  [['−12,500 %', '100 %'], 78],
  [[], 56],
] as const)('an axis with the labels %j is %p px wide, so that each is drawn whole', (labels, widthPx) => {
  expect(axisWidthPx(labels)).toBe(widthPx)
})

const morning = Date.parse('2026-11-21T05:45:00Z') / 1000
const midnight = Date.parse('2026-11-21T00:00:00Z') / 1000

test.each([
  ['the time at steps of a minute', morning, 60, '05:45'],
  ['its seconds at steps below a minute', morning + 15, 15, '05:45:15'],
  ['nothing between whole seconds', morning + 0.5, 0.5, ''],
  ['the date at midnight', midnight, 15, '21 Nov'],
  ['the time just after midnight', midnight + 15, 15, '00:00:15'],
  ['the date at steps of a day', midnight, 86_400, '21 Nov'],
] as const)('a label of the time axis is %s', (_, seconds, stepSeconds, label) => {
  expect(timeLabel(seconds, stepSeconds)).toBe(label)
})
