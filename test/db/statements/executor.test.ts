import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { emptyDatabase } from '../../support/empty-database.ts'
import { countEventLoopIterations } from '../../support/event-loop-iterations.ts'

const db = emptyDatabase()

test('a statement that reads is run in the turn in which it is made', async () => {
  const seen: string[] = []
  const reading = db.read
    .selectFrom('organizations')
    .selectAll()
    .execute()
    .then(() => seen.push('read'))
  await Promise.resolve()
  await Promise.resolve()
  await Promise.resolve()
  await Promise.resolve()
  expect(seen).toEqual(['read'])
  await reading
})

test('reads of many requests that take long are spread over turns of the event loop', async () => {
  const read = () =>
    sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 100000) select count(*) from n`.execute(
      db.read,
    )
  using turns = countEventLoopIterations()
  await Promise.all(Array.from({ length: 20 }, read)) // each takes at least ten milliseconds
  expect(turns.count()).toBeGreaterThan(4)
})

test('a change in a group commit learns how many rows it has changed, and the id of a new one', async () => {
  const changed = await db.groupCommit(async (trx) => {
    const inserted = await trx.insertInto('organizations').values({ name: 'a', created_at: 1 }).executeTakeFirst()
    const updated = await trx.updateTable('organizations').set({ name: 'b' }).executeTakeFirst()
    return [inserted.insertId, updated.numUpdatedRows]
  })
  expect(changed).toEqual([1n, 1n])
})

test('a statement that fails rejects, and throws nothing', async () => {
  const failing = db.groupCommit((trx) =>
    trx
      .insertInto('organizations')
      .values({ id: 1 } as never)
      .execute(),
  )
  await expect(failing).rejects.toThrow('NOT NULL')
  const unknown = db.read
    .selectFrom('nothing' as 'organizations')
    .selectAll()
    .execute()
  await expect(unknown).rejects.toThrow('no such table')
})

test('what reads after the end fails', async () => {
  await db.read.destroy()
  await expect(db.read.selectFrom('organizations').selectAll().execute()).rejects.toThrow('not open')
})
