import { expect, test } from 'bun:test'
import { csvOf } from '../../../../src/web/page/charts/csv.ts'

test('a CSV quotes what would break a line, and disarms what a spreadsheet would compute', () => {
  const rows = [
    ['=1+1', -1],
    ['a "b", c', null],
    ['-x', 0.5],
  ]
  expect(csvOf({ columns: ['Name', 'Value'], rows })).toBe('Name,Value\r\n\'=1+1,-1\r\n"a ""b"", c",\r\n\'-x,0.5\r\n')
})

test('a CSV disarms a formula behind what nobody sees, or in wide characters', () => {
  const hostile = ['＝1', '＋1', '－1', '＠a', ' =1', '\u200B-1', '\u00AD+1', '\u2060@a', '\uFEFF＝1']
  const csv = csvOf({ columns: ['Name'], rows: hostile.map((text) => [text]) })
  expect(csv).toBe(`Name\r\n${hostile.map((text) => `'${text}\r\n`).join('')}`)
})
