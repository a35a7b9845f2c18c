import { afterEach, describe, expect, test } from 'bun:test'
import schema from '../../schema.sql' with { type: 'text' }
import { closeAll } from '../support/closing.ts'
import { dump } from '../support/populated.ts'
import { populatedApp } from '../support/populated-app.ts'
import { isInstant, isTime, statedUnits, tablesIn, unitsOf } from './schema-text.ts'

afterEach(closeAll)

/** Sentences about what the comments of a schema lack. */
function problemsOf(sql: string): string[] {
  return tablesIn(sql).flatMap((table) => {
    const times = table.columns.filter(isTime)
    const unknown = Object.keys(unitsOf(table).listed).filter((listed) => !times.some(({ name }) => name === listed))
    return [
      ...(table.header === '' ? [`${table.name} has no comment above it`] : []),
      ...unknown.map((name) => `${table.name} gives a unit to ${name}, which is no time of it`),
      ...times.flatMap((column) => {
        const { own, header } = statedUnits(table, column)
        if (own === undefined && header === undefined) return [`${table.name}.${column.name} has no unit`]
        return isInstant(column) && own !== undefined && header !== undefined && own !== header
          ? [`${table.name}.${column.name} is in ${own} by its own comment, in ${header} by that of the table`]
          : []
      }),
    ]
  })
}

test('each table of schema.sql has a comment above it, and each time a unit', () => {
  expect(tablesIn(schema)).toHaveLength(schema.match(/^CREATE TABLE/gm)?.length ?? 0)
  expect(problemsOf(schema)).toEqual([])
})

test('schema.sql has eight sections, and each table is in one', () => {
  const sections = [...schema.matchAll(/^-- (\d) · /gm)]
  expect(sections.map(([, number]) => Number(number))).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect(schema.indexOf('CREATE TABLE')).toBeGreaterThan(sections[0]?.index ?? Infinity)
})

test('rows have their times in the unit that the schema states', async () => {
  const { nines } = await populatedApp({ ada: 2 })
  const rows = dump(nines)
  await nines.close()
  const firstSeconds = 1_000_000_000 // smaller values are made up by the test data
  const seen = tablesIn(schema).flatMap((table) =>
    table.columns.filter(isInstant).flatMap((column) => {
      const values = (rows[table.name] ?? []).map((row) => Number((row as Record<string, unknown>)[column.name]))
      const known = values.filter((value) => value >= firstSeconds)
      if (known.length === 0) return []
      const { own, header } = statedUnits(table, column)
      const actual = new Set(known.map((value) => (value >= 100 * firstSeconds ? 'ms' : 's')))
      return [{ column: `${table.name}.${column.name}`, stated: own ?? header, actual: [...actual].join(' and ') }]
    }),
  )
  expect(seen.length).toBeGreaterThan(60)
  expect(seen.filter(({ stated, actual }) => stated !== actual)).toEqual([])
})

describe('the checker of the schema', () => {
  const table = (header: string, columns: string) => `${header}\nCREATE TABLE odd (\n${columns}\n) STRICT;\n`

  test.each([
    ['a table without a comment', '', '  name TEXT', 'odd has no comment above it'],
    ['a time without a unit', '-- A row.', '  sent_at INTEGER -- the last one', 'odd.sent_at has no unit'],
    [
      'a listed name that is no time',
      '-- A row. Times in ms; gone_at in s.',
      '  at INTEGER',
      'odd gives a unit to gone_at, which is no time of it',
    ],
    [
      'two units',
      '-- A row. Times in ms.',
      '  at INTEGER -- Unix seconds',
      'odd.at is in s by its own comment, in ms by that of the table',
    ],
  ])('finds %s', (_, header, columns, problem) => {
    expect(problemsOf(table(header, columns))).toEqual([problem])
  })

  test.each([
    ['a unit of the table', '-- A row. Times in ms.', '  at INTEGER NOT NULL'],
    ['a unit of the column', '-- A row.', '  at INTEGER, -- Unix seconds'],
    ['a unit in the name', '-- A row. Times in s.', '  duration_ms INTEGER,\n  until INTEGER'],
    [
      'a listed column',
      '-- A row,\n-- in two lines. Times in ms; since, until in s.',
      '  since INTEGER,\n  until INTEGER,\n  at INTEGER',
    ],
  ])('takes %s', (_, header, columns) => {
    expect(problemsOf(table(header, columns))).toEqual([])
  })
})
