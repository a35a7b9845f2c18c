import { expect, spyOn, test } from 'bun:test'
import { Database } from '../../src/db/sqlite.ts'
import { withStatementCache } from '../../src/db/statement-cache.ts'

const connection = new Database(':memory:')
connection.exec(`
  create table owners (id integer primary key, name text);
  create table things (id integer primary key, owner_id integer, is_best integer, note);
  insert into owners values (1, 'one'), (2, 'two');
  insert into things values (1, 1, 1, '= ?'), (2, 2, 0, null);`)
const { prepare } = withStatementCache(connection)

test.each([
  'select things.id, owners.name from things join owners on owners.id = things.owner_id where things.is_best = ?',
  'select things.id, owners.name from things left join owners on owners.id = ? where things.owner_id = ?',
])('%s is planned once, whatever is bound', (text) => {
  // better-sqlite3 creates a function from the columns each time SQLite plans a statement
  using compile = spyOn(globalThis, 'Function')
  for (let times = 0; times < 5; times += 1) {
    for (const value of [1, 0, 2]) prepare(text).all(Array(text.split('?').length - 1).fill(value))
  }
  expect(compile).toHaveBeenCalledTimes(1)
})

test('a text with the sign of a parameter in it stays', () => {
  expect(prepare("select id from things where note = '= ?' and owner_id = ?").all([1])).toEqual([{ id: 1 }])
})

test.each([
  ['text', 'a'],
  ['a number', 1.5],
  ['nothing', null],
])('%s is bound as it is', (_, value) => {
  expect(prepare('update things set note = ? where id = ? returning note').all([value, 2])).toEqual([{ note: value }])
})
