import { expect, test } from 'bun:test'
import { tableFigures } from '../../../../../src/web/page/pages/explore/table/table-figures.ts'

test('a series without a label has an empty cell, also if objects inherit the name of the label', () => {
  const result = [
    { metric: { constructor: 'a' }, value: [60, '1'] as [number, string] },
    { metric: {}, value: [60, 'NaN'] as [number, string] },
  ]
  expect(tableFigures({ resultType: 'vector', result })).toEqual({
    columns: ['constructor', 'Time', 'Value'],
    rows: [
      ['a', '1970-01-01T00:01:00.000Z', 1],
      [null, '1970-01-01T00:01:00.000Z', 'NaN'],
    ],
  })
})
