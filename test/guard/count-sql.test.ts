import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Database } from '../../src/db/sqlite.ts'
import { newDataDir } from '../support/app.ts'
import { countSql } from './count-sql.ts'

test('statements and transactions on databases of a folder are counted, and of no other', async () => {
  const [folder, other] = [newDataDir(), newDataDir()]
  const counter = countSql()
  const [db, elsewhere] = [folder, other].map((dir) => new Database(join(dir, 'a.db')))
  try {
    const work = async () => {
      db?.exec('begin immediate')
      db?.prepare('create table a (b)').run()
      db?.prepare('insert into a values (?)').run(1)
      db?.exec('commit')
      elsewhere?.prepare('select 1').get()
    }
    expect(await counter.of(folder, work)).toEqual({ statements: 4, transactions: 1 })
    const read = async () => [...(db?.prepare('select b from a').iterate() ?? []), db?.prepare('select b from a').all()]
    expect(await counter.of(folder, read)).toEqual({ statements: 2, transactions: 0 })
    counter.close()
    expect(await counter.of(folder, read)).toEqual({ statements: 0, transactions: 0 })
  } finally {
    counter.close()
    db?.close()
    elsewhere?.close()
  }
})
