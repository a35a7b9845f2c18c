import { expect, test } from 'bun:test'
import schema from '../../schema.sql' with { type: 'text' }
import { Database } from '../../src/db/sqlite.ts'

test('no insert builds a table in memory for its CHECKs', () => {
  using db = opened()
  const tables = db
    .prepare<[], string>("SELECT name FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all()
  const building = tables.filter((table) => {
    const program = db.prepare<[], { opcode: string }>(`EXPLAIN INSERT INTO ${table} DEFAULT VALUES`).all()
    return program.some(({ opcode }) => opcode === 'OpenEphemeral')
  })
  expect(tables.length).toBeGreaterThan(8)
  expect(building).toEqual([])
})

function opened() {
  const db = new Database(':memory:')
  db.exec(schema)
  return Object.assign(db, { [Symbol.dispose]: () => void db.close() })
}
