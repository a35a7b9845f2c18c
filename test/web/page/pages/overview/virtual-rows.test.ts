import { describe, expect, test } from 'bun:test'
import {
  type Item,
  listItems,
  offsetsOf,
  piecesOf,
  rowsBetween,
} from '../../../../../src/web/page/pages/overview/virtual-rows.ts'
import { slo } from './slo.ts'

const heights = { slo: 44, group: 36 }
const many = (count: number): Item[] =>
  listItems([{ title: '', slos: Array.from({ length: count }, (_, id) => slo({ id })) }])

describe('rows of which only some are drawn', () => {
  test('rows of which only some are drawn are the groups with their heads, in order', () => {
    const groups = [
      { title: 'Shop', slos: [slo({ id: 1 }), slo({ id: 2 })] },
      { title: 'Web', slos: [slo({ id: 3 })] },
    ]
    expect(listItems(groups).map(({ key }) => key)).toEqual(['group Shop', '1', '2', 'group Web', '3'])
    expect([...offsetsOf(listItems(groups), heights)]).toEqual([0, 36, 80, 124, 160, 204])
  })

  test.each([
    [0, 800, 0],
    [8800, 9600, 200],
    [43_200, 44_000, 999],
  ])('between %p and %p px of 1,000 are those in the window, and few more', (top, bottom, shown) => {
    const [first, end] = rowsBetween(offsetsOf(many(1000), heights), top, bottom)
    expect(first <= shown && shown < end).toBe(true)
    expect(first * 44).toBeLessThanOrEqual(top)
    expect(Math.min(end * 44, 44_000)).toBeGreaterThanOrEqual(Math.min(bottom, 44_000))
    expect(end - first).toBeLessThan(60)
  })

  test('of none are none, and of a list that has become short the last', () => {
    expect(rowsBetween(offsetsOf([], heights), 0, 800)).toEqual([0, 0])
    expect(rowsBetween(offsetsOf(many(3), heights), 9000, 9800)).toEqual([2, 3])
  })

  test.each([
    [[0, 5], []],
    [
      [40, 60],
      [2, 99],
    ],
    [
      [95, 100],
      [-1, 100],
    ],
    [[0, 100], [7]],
  ] as const)('%p with %p kept are as high together as all of them', (range, kept) => {
    const offsets = offsetsOf(many(100), heights)
    const pieces = piecesOf(offsets, [...range], kept)
    const heightPx = pieces.reduce((sum, piece) => sum + (piece.kind === 'gap' ? piece.heightPx : 44), 0)
    const places = pieces.flatMap((piece) => (piece.kind === 'row' ? [piece.place] : []))
    const inRange = Array.from({ length: range[1] - range[0] }, (_, at) => range[0] + at)
    expect(heightPx).toBe(4400)
    expect(places).toEqual(
      [...new Set([...inRange, ...kept.filter((at) => at >= 0 && at < 100)])].toSorted((a, b) => a - b),
    )
  })
})
