import { describe, expect, test } from 'bun:test'
import {
  type Item,
  listItems,
  maxNewRows,
  nextRows,
  offsetsOf,
  piecesOf,
  type Range,
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
    const { seen, around } = rowsBetween(offsetsOf(many(1000), heights), top, bottom)
    const [first, end] = around
    expect(first <= seen[0] && seen[1] <= end).toBe(true)
    expect(seen[1] - seen[0]).toBeLessThanOrEqual(20)
    expect(first <= shown && shown < end).toBe(true)
    expect(first * 44).toBeLessThanOrEqual(top)
    expect(Math.min(end * 44, 44_000)).toBeGreaterThanOrEqual(Math.min(bottom, 44_000))
    expect(end - first).toBeLessThan(60)
  })

  test('of none are none, and of a list that has become short the last', () => {
    expect(rowsBetween(offsetsOf([], heights), 0, 800)).toEqual({ seen: [0, 0], around: [0, 0] })
    expect(rowsBetween(offsetsOf(many(3), heights), 9000, 9800)).toEqual({ seen: [2, 3], around: [2, 3] })
  })

  test.each([
    ['none is drawn', [0, 0], [0, 19], [0, 26]],
    ['the list jumps to its end', [0, 26], [481, 500], [474, 500]],
    ['it jumps to its start', [474, 500], [0, 19], [0, 26]],
    ['it scrolls down', [0, 26], [9, 28], [2, 35]],
    ['it scrolls up', [40, 73], [38, 57], [31, 64]],
    ['the drawn rows are a part of those in the window', [110, 112], [100, 119], [93, 126]],
    ['it has become short', [474, 500], [2, 3], [0, 3]],
    ['it has become empty', [3, 20], [0, 0], [0, 0]],
  ] as [string, Range, Range, Range][])(
    'if %s, each frame adds a few rows, first those in the window, until all near it are drawn',
    (_, from, seen, around) => {
      const places = ([first, end]: Range) => Array.from({ length: end - first }, (__, at) => first + at)
      const frames = [from]
      for (let frame = 0; frame < 5; frame++) frames.push(nextRows(frames.at(-1) ?? from, { seen, around }))
      expect(frames.at(-1)).toEqual(around)
      for (const [at, frame] of frames.slice(1).entries()) {
        const before = new Set(places(frames[at] ?? from))
        const added = places(frame).filter((place) => !before.has(place))
        expect(added.length).toBeLessThanOrEqual(maxNewRows)
        const isSeen = (place: number) => seen[0] <= place && place < seen[1]
        const isComplete = places(seen).every((place) => before.has(place) || added.includes(place))
        if (!isComplete) expect(added.filter((place) => !isSeen(place))).toEqual([])
      }
    },
  )

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
