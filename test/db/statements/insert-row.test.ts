import { expect, spyOn, test } from 'bun:test'
import { SqliteQueryCompiler } from 'kysely'
import { insertRow } from '../../../src/db/statements/insert-row.ts'
import { emptyDatabase } from '../../support/empty-database.ts'

const db = emptyDatabase()

const stored = () => db.read.selectFrom('organizations').select(['id', 'name', 'created_at']).orderBy('id').execute()

test('an inserted row has its own values, by their names, and its id is given', async () => {
  expect(await insertRow(db.write, 'organizations', { name: 'a', created_at: 1 })).toBe(1)
  expect(await insertRow(db.write, 'organizations', { created_at: 2, name: 'b' })).toBe(2)
  expect(await insertRow(db.write, 'organizations', { name: 'c', created_at: 3, id: 7 })).toBe(7)
  expect(await stored()).toEqual([
    { id: 1, name: 'a', created_at: 1 },
    { id: 2, name: 'b', created_at: 2 },
    { id: 7, name: 'c', created_at: 3 },
  ])
})

test('a column without a value keeps its default', async () => {
  const row = { created_at: 1, name: 'a', next_team_id: undefined } as unknown as { created_at: number; name: string }
  await insertRow(db.write, 'organizations', row)
  await insertRow(db.write, 'organizations', { ...row, name: 'b' })
  expect(await stored()).toHaveLength(2)
})

test('the statement of a table and its columns is compiled once', async () => {
  const compile = spyOn(SqliteQueryCompiler.prototype, 'compileQuery')
  try {
    const row = { id: 1, name: 'a', created_at: 1, next_team_id: 5 }
    for (const id of [1, 2, 3]) await insertRow(db.write, 'organizations', { ...row, id })
    expect(compile).toHaveBeenCalledTimes(1)
  } finally {
    compile.mockRestore()
  }
})
