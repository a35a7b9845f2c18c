import { expect, test } from 'bun:test'
import { tableOf } from '../../../../src/web/page/charts/table-data.ts'

test('a chart has a row of its table for each of its rows, in the order of its columns', () => {
  const points = [
    { at: 'a', value: 1 },
    { at: 'b', value: null },
  ]
  const table = tableOf(points, [
    ['2', ({ at }) => at],
    ['1', ({ value }) => value],
    ['Place', (_, place) => place],
  ])
  expect(table).toEqual({
    columns: ['2', '1', 'Place'],
    rows: [
      ['a', 1, 0],
      ['b', null, 1],
    ],
  })
})
