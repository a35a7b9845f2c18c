import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import schema from '../../schema.sql' with { type: 'text' }
import { openDatabase } from '../../src/db/open.ts'
import { Database } from '../../src/db/sqlite.ts'
import { newDataDir } from '../support/app.ts'
import { schemaIn } from './schema-in.ts'

const db = new Database(':memory:')
db.exec(schema)
afterAll(() => db.close())

/** Columns by table, as `number`, `string`, `bytes`, with `?` if NULL is allowed. */
type Kinds = Record<string, Record<string, string>>

const tables = db
  .prepare<[], { name: string; strict: number }>(
    "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  )
  .all()
const stored: Kinds = Object.fromEntries(tables.map(({ name }) => [name, columnsOf(name)]))
const sources = [
  'tables.ts',
  'measurement-tables.ts',
  'cache-tables.ts',
  'collection-tables.ts',
  'notification-tables.ts',
].map((name) => readFileSync(join(import.meta.dir, '..', '..', 'src', 'db', 'tables', name), 'utf8'))
const typed = typedTables(sources.join('\n'))

function columnsOf(table: string): Record<string, string> {
  type Column = { name: string; type: string; notnull: number; pk: number }
  const columns = db.prepare<[string], Column>('SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?)').all(table)
  const kinds: Record<string, string> = { TEXT: 'string', BLOB: 'bytes' }
  const kindOf = ({ type, notnull, pk }: Column) => `${kinds[type] ?? 'number'}${notnull === 1 || pk > 0 ? '' : '?'}`
  return Object.fromEntries(columns.map((column) => [column.name, kindOf(column)]))
}

/** Parses the type `Tables` and its parts as text, because types do not exist at run time. */
function typedTables(source: string): Kinds {
  const text = source.replace(/\/\*[^]*?\*\/|\/\/.*/g, '')
  const bodies = [...text.matchAll(/^export type \w*Tables = (?:\w+ & )?\{\n([^]*?)^\}/gm)].map(([, body = '']) => body)
  const kindOf = (type: string) =>
    `${/\bUint8Array\b/.test(type) ? 'bytes' : /\b(?:number|Flag)\b/.test(type) ? 'number' : 'string'}${/\bnull\b/.test(type) ? '?' : ''}`
  const columnsIn = (columns: string) =>
    Object.fromEntries([...columns.matchAll(/(\w+): ([^;\n]+)/g)].map(([, name, type = '']) => [name, kindOf(type)]))
  return Object.fromEntries(
    [...bodies.join('').matchAll(/^ {2}(\w+): \{([^}]*)\}/gm)].map(([, name, columns = '']) => [
      name,
      columnsIn(columns),
    ]),
  )
}

describe('schema.sql', () => {
  test('is what a new database is made of', async () => {
    const dataDir = newDataDir()
    await openDatabase({ dataDir }).close()
    const made = new Database(join(dataDir, 'nines.db'), { readonly: true })
    expect(schemaIn(made)).toEqual(schemaIn(db))
    made.close()
    rmSync(dataDir, { recursive: true })
  })

  test('has the tables that src/db/tables types, and no other', () => {
    expect(tables.length).toBeGreaterThan(8)
    expect(Object.keys(typed).toSorted()).toEqual(tables.map(({ name }) => name))
  })

  test.each(tables)('has the columns of $name that src/db/tables types, in kind and NULL, and no other', ({ name }) => {
    expect(typed[name]).toEqual(stored[name])
  })

  test.each(tables)('declares $name STRICT', ({ strict }) => {
    expect(strict).toBe(1)
  })
})

test('the reader of types knows every way to write a column', () => {
  const source = `
type Other = { a: string }
export type Tables = {
  // a comment: string
  short: { id: Generated<number>; name: string | null }
  long: {
    flag: Flag
    role: Role /* aside: number */
    since: Once<number>
    until: ColumnType<number | null, number | null, never>
    state: 'on' | 'off'
  }
}
export type Row = { b: string }
`
  expect(typedTables(source)).toEqual({
    short: { id: 'number', name: 'string?' },
    long: { flag: 'number', role: 'string', since: 'number', until: 'number?', state: 'string' },
  })
})
