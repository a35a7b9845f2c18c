import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Db, openDatabase } from '../../../src/db/open.ts'
import { Database as Sqlite } from '../../../src/db/sqlite.ts'
import { newDataDir } from '../../support/app.ts'
import { countEventLoopIterations } from '../../support/event-loop-iterations.ts'

function locked() {
  const dataDir = newDataDir()
  let nowMs = 0
  const db = openDatabase({ dataDir, stopwatch: { now: () => nowMs } })
  const other = new Sqlite(join(dataDir, 'nines.db'))
  other.exec('begin immediate')
  return {
    db,
    unlock: () => other.exec('rollback'),
    lock: () => other.exec('begin immediate'),
    advance: (ms: number) => void (nowMs += ms),
    async [Symbol.asyncDispose]() {
      other.close()
      await db.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

const insert = (db: Db) => db.insertInto('organizations').values({ name: 'a', created_at: 1 }).execute()
const isLocked = 'Database is locked by another process'

test('while another process holds the lock the event loop goes on, and all writes are made once it is released', async () => {
  await using world = locked()
  const { read, write, groupCommit } = world.db
  using turns = countEventLoopIterations()
  const writes = [
    insert(write),
    write.transaction().execute(async (trx) => {
      await trx.selectFrom('organizations').selectAll().execute()
      await insert(trx)
    }),
    groupCommit(insert),
  ]
  await Bun.sleep(50)
  expect(turns.count()).toBeGreaterThan(10)
  expect(await read.selectFrom('organizations').selectAll().execute()).toEqual([])
  world.unlock()
  await Promise.all(writes)
  expect(await read.selectFrom('organizations').selectAll().execute()).toHaveLength(3)
})

test('a lock that is held for five seconds refuses all writes that wait, at once, until one succeeds', async () => {
  await using world = locked()
  const { write, groupCommit } = world.db
  const waiting = Promise.allSettled([insert(write), groupCommit(insert), write.transaction().execute(insert)])
  await Bun.sleep(20)
  world.advance(5000)
  for (const outcome of await waiting) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'unavailable', message: isLocked } })
  }
  await expect(insert(write)).rejects.toThrow(isLocked)
  world.unlock()
  await insert(write)
  world.lock()
  const next = insert(write)
  await Bun.sleep(20)
  world.unlock()
  await next
})

test('transactions that take long are spread over turns of the event loop', async () => {
  await using world = locked()
  world.unlock()
  const { write } = world.db
  const slow = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 100000) select count(*) from n`
  using turns = countEventLoopIterations()
  await Promise.all(Array.from({ length: 20 }, () => write.transaction().execute((trx) => slow.execute(trx)))) // 10 ms each
  expect(turns.count()).toBeGreaterThan(8)
})
