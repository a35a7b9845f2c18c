import { describe, expect, test } from 'bun:test'
import schema from '../../schema.sql' with { type: 'text' }

type Column = { name: string; comment: string }
type Table = { name: string; header: string; columns: Column[] }

/** Tables of a schema, with the comment above each and their numeric columns. */
function tablesIn(sql: string): Table[] {
  return [...sql.matchAll(/^((?:--[^\n]*\n)*)CREATE TABLE (\w+) \(\n([^]*?)\n\) STRICT/gm)].map(
    ([, header = '', name = '', body = '']) => ({
      name,
      header: header.replaceAll(/^-- ?/gm, '').replaceAll('\n', ' ').trim(),
      columns: [...body.matchAll(/^ {2}(\w+) (?:INTEGER|REAL)\b([^\n]*)/gm)].map(([, column = '', rest = '']) => ({
        name: column,
        comment: rest.split('--')[1]?.trim() ?? '',
      })),
    }),
  )
}

const isTime = ({ name }: Column) =>
  /(?:^|_)(?:at|ms|seconds|until|since|start|hour|resolution|interval|ttl|retention)$/.test(name)

/** Units that the header of a table gives to its times: of all that it does not list, and of those that it lists. */
function unitsOf({ header }: Table): { others: string | undefined; listed: Record<string, string> } {
  const [, others, list = '', unit = ''] =
    /\b(?:Times|Durations) in (ms|s)(?:; ([\w, ]+) in (ms|s))?\.$/.exec(header) ?? []
  return { others, listed: Object.fromEntries(list.split(', ').flatMap((name) => (name === '' ? [] : [[name, unit]]))) }
}

/** Units of a column by its name, by its own comment and by the header of its table, as far as these give one. */
function statedUnits(table: Table, { name, comment }: Column): { own: string | undefined; header: string | undefined } {
  const { others, listed } = unitsOf(table)
  const own = /_(ms|seconds)$/.exec(name)?.[1] ?? /\b(?:Unix )?(seconds)\b/.exec(comment)?.[1]
  if (name === 'hour' && table.header.includes('hours since 1970')) return { own: 'hours', header: undefined }
  return { own: own?.replace('seconds', 's'), header: listed[name] ?? others }
}

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
        const isInstant = !/_(?:ms|seconds)$|^resolution$/.test(column.name)
        return isInstant && own !== undefined && header !== undefined && own !== header
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
