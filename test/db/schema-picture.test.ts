import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import schema from '../../schema.sql' with { type: 'text' }
import { Database } from '../../src/db/sqlite.ts'

const db = new Database(':memory:')
db.exec(schema)
afterAll(() => db.close())

const text = readFileSync(join(import.meta.dir, '..', '..', 'docs', 'architecture.md'), 'utf8')
const [, picture = ''] = /```mermaid\nerDiagram\n([^]*?)```/.exec(text) ?? []

type Column = { name: string; notnull: number; pk: number }
const columnsOf = (table: string) =>
  db.prepare<[string], Column>('SELECT name, "notnull", pk FROM pragma_table_info(?)').all(table)
const keyOf = (table: string) => columnsOf(table).flatMap(({ name, pk }) => (pk > 0 ? [name] : []))

/** Tables that a column refers to by foreign keys. */
function referredBy(table: string, column: string): string[] {
  type Reference = { table: string; from: string }
  const all = db.prepare<[string], Reference>('SELECT "table", "from" FROM pragma_foreign_key_list(?)').all(table)
  return all.flatMap(({ from, table: parent }) => (from === column ? [parent] : []))
}

const relations = [...picture.matchAll(/^ {2}(\w+) (\|\||\|o)(--|\.\.)(o\{|o\|) (\w+) : (\w+)$/gm)].map(
  ([, parent = '', one, line, many, child = '', column = '']) => ({ parent, one, line, many, child, column }),
)

describe('the picture of the tables in the architecture', () => {
  test('has only lines that the test reads', () => {
    expect(relations.length).toBeGreaterThan(20)
    expect(picture.match(/ : \w+$/gm)).toHaveLength(relations.length)
  })

  test.each(relations)('draws $column of $child as the schema has it', ({ parent, one, line, many, child, column }) => {
    const { notnull, pk } = columnsOf(child).find(({ name }) => name === column) ?? { notnull: -1, pk: -1 }
    expect({ column, isRequired: notnull === 1 || pk > 0 }).toEqual({ column, isRequired: one === '||' })
    if (line === '--') expect(referredBy(child, column)).toContain(parent)
    else expect(referredBy(child, column)).toEqual([])
    expect(keyOf(child).join() === column).toBe(many === 'o|')
  })

  test('names the keys of all its tables that are not id', () => {
    const drawn = Object.fromEntries(
      [...picture.matchAll(/^ {2}(\w+) \{\n([^]*?)^ {2}\}/gm)].map(([, table = '', body = '']) => [
        table,
        [...body.matchAll(/^ {4}(?:int|text) (\w+) PK/gm)].map(([, name]) => name),
      ]),
    )
    const tables = new Set(relations.flatMap(({ parent, child }) => [parent, child]))
    const others = [...tables].filter((table) => keyOf(table).join() !== 'id')
    expect(drawn).toEqual(Object.fromEntries(others.map((table) => [table, keyOf(table)])))
  })
})
