import { expect, test } from 'bun:test'
import { formatMoment } from '../../../../src/web/page/format.ts'
import { formatCell } from '../../../../src/web/page/charts/cell.ts'

test.each([
  [99.9528591775, '99.9529'],
  [-38.2, '−38.2000'],
  [1833, '1833'],
  [0, '0'],
  [null, '–'],
  ['Page, 1h and 5m', 'Page, 1h and 5m'],
] as const)('a cell of %p is shown as %p', (cell, shown) => {
  expect(formatCell(cell, 0)).toBe(shown)
})

const nowMs = Date.parse('2026-11-18T13:00:00Z')

test('a time that is not a whole minute has its seconds', () => {
  const cells = ['2026-11-18T05:45:00.000Z', '2026-11-18T05:45:15.000Z'].map((cell) => formatCell(cell, nowMs))
  expect(cells.map((cell) => cell.split(':').length)).toEqual([2, 3])
})

test('a time is shown as a moment', () => {
  const ms = Date.parse('2026-10-19T18:00:00Z')
  expect(formatCell('2026-10-19T18:00:00.000Z', nowMs)).toBe(formatMoment(ms, nowMs))
})
