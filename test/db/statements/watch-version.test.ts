import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Database } from '../../../src/db/open.ts'
import { Database as Sqlite } from '../../../src/db/sqlite.ts'
import { emptyDatabase } from '../../support/empty-database.ts'

const db = emptyDatabase()

const insert = (write: Database['write']) =>
  write.insertInto('organizations').values({ name: 'a', next_team_id: 1, created_at: 0 }).execute()
const changes = async (work: () => Promise<unknown>): Promise<boolean> => {
  const before = db.version()
  await work()
  return db.version() !== before
}

test.each<[string, () => Promise<unknown>]>([
  ['a statement', () => insert(db.write)],
  ['a transaction', () => db.write.transaction().execute((trx) => insert(trx))],
  ['a group commit', () => db.groupCommit((trx) => insert(trx))],
])('%s is another version in the same turn of the event loop', async (_, work) => {
  expect(await changes(work)).toBe(true)
})

test('what is not committed, or taken back, or only read is no other version', async () => {
  const seen: boolean[] = []
  const undone = db.write.transaction().execute(async (trx) => {
    seen.push(await changes(() => insert(trx)))
    throw new Error('taken back')
  })
  await expect(undone).rejects.toThrow('taken back')
  seen.push(await changes(() => db.read.selectFrom('organizations').selectAll().execute()))
  expect(seen).toEqual([false, false])
})

test('a commit of another process is another version from the next turn of the event loop', async () => {
  const other = new Sqlite(join(db.dataDir, 'nines.db'))
  expect(
    await changes(async () => {
      other.exec('create table things (id integer)')
      await yieldToEventLoop()
    }),
  ).toBe(true)
  other.close()
})
