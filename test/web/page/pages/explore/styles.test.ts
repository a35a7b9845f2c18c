import { describe, expect, test } from 'bun:test'
import type { Drawn } from '../../../../../src/web/page/pages/explore/graph/graph-lines.ts'
import {
  inOrder,
  linesOf,
  maxDistinct,
  rangeOfStack,
  styleOf,
  withToggled,
} from '../../../../../src/web/page/pages/explore/graph/styles.ts'

const drawn = (name: string, values: (number | null)[], mean: number | null = 0): Drawn => ({
  name,
  labels: {},
  values,
  figures: { last: values.at(-1) ?? null, mean, min: null, max: null },
})

test('eight series differ in colour, and in dash or dots; thirty-two in colour or dash', () => {
  const styles = (count: number) => Array.from({ length: count }, (_, at) => styleOf(at))
  expect(new Set(styles(maxDistinct).map(({ color }) => color)).size).toBe(maxDistinct)
  expect(new Set(styles(maxDistinct).map(({ dash, hasDots }) => JSON.stringify([dash, hasDots]))).size).toBe(
    maxDistinct,
  )
  expect(new Set(styles(32).map((style) => JSON.stringify(style))).size).toBe(32)
})

test('a series that is hidden frees its place, and the others keep theirs', () => {
  const slots = withToggled(['a', 'b', 'c'], 'b')
  expect(slots).toEqual(['a', null, 'c'])
  expect(withToggled(slots, 'd')).toEqual(['a', 'd', 'c'])
  expect(withToggled(['a'], 'd')).toEqual(['a', 'd'])
})

describe('lines', () => {
  const series = [drawn('a', [1, null, 3]), drawn('b', [10, 20, null]), drawn('c', [-1, null, 5])]
  const usual = { slots: ['b', null, 'a'], isStacked: false, only: null }

  test('lines are those of the series with a place, in its style', () => {
    const lines = linesOf(series, usual)
    expect(lines.map(({ label, color }) => [label, color])).toEqual([
      ['b', '--series1'],
      ['a', '--series3'],
    ])
    expect(linesOf(series, { ...usual, only: 'a' }).map(({ label, color }) => [label, color])).toEqual([
      ['a', '--series3'],
    ])
  })

  test('lines have a dot at each value without neighbours', () => {
    expect(linesOf(series, { ...usual, slots: ['a'] })[0]?.dots).toEqual([0, 2])
  })

  test('that are stacked are sums of those below, the highest first, and gaps stay gaps', () => {
    const lines = linesOf(series, { ...usual, isStacked: true })
    expect(lines.map(({ label, values }) => [label, values])).toEqual([
      ['a', [11, null, 3]],
      ['b', [10, 20, null]],
    ])
    expect(lines.map(({ fill }) => fill)).toEqual(['--series3-area', '--series1-area'])
    expect(rangeOfStack(lines)).toEqual([0, 21])
    expect(rangeOfStack([])).toEqual([0, 1])
  })
})

test('series are sorted by a column, those without a value last', () => {
  const series = [drawn('a10', [], 1), drawn('a9', [], null), drawn('b', [], 3)]
  const names = (...order: Parameters<typeof inOrder>[1][]) =>
    order.map((one) => inOrder(series, one).map(({ name }) => name))
  expect(
    names(
      null,
      { by: 'mean', isDescending: true },
      { by: 'mean', isDescending: false },
      { by: 'name', isDescending: false },
    ),
  ).toEqual([
    ['a10', 'a9', 'b'],
    ['b', 'a10', 'a9'],
    ['a10', 'b', 'a9'],
    ['a9', 'a10', 'b'],
  ])
})
