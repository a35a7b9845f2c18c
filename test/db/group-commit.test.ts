import { afterEach, beforeEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { sql } from 'kysely'
import { type Database, type Db, openDatabase } from '../../src/db/open.ts'
import { newDataDir } from '../support/app.ts'

let dataDir: string
let db: Database
let transactions = 0

beforeEach(() => {
  dataDir = newDataDir()
  db = openDatabase({ dataDir })
  transactions = 0
  const { write } = db
  const transaction = write.transaction.bind(write)
  write.transaction = () => {
    transactions += 1
    return transaction()
  }
})
afterEach(async () => {
  await db.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const insert = async (trx: Db, name: string): Promise<string> => {
  await trx.insertInto('organizations').values({ name, created_at: 1 }).execute()
  return name
}
const names = async () =>
  (await db.read.selectFrom('organizations').select('name').orderBy('id').execute()).map(({ name }) => name)

test('changes that are made at once are one transaction, in their order, and each gets its own result', async () => {
  const made = ['a', 'b', 'c']
  expect(await Promise.all(made.map((name) => db.groupCommit((trx) => insert(trx, name))))).toEqual(made)
  expect(await names()).toEqual(made)
  expect(transactions).toBe(1)
})

test('more than go into one transaction are made in the next', async () => {
  const made = Array.from({ length: 120 }, (_, at) => `${at}`)
  await Promise.all(made.map((name) => db.groupCommit((trx) => insert(trx, name))))
  expect(await names()).toEqual(made)
  expect(transactions).toBe(3)
})

test('a change is on the disk once it has resolved, and not before', async () => {
  const seen: string[][] = []
  const first = db.groupCommit((trx) => insert(trx, 'a'))
  const second = db.groupCommit(async (trx) => {
    seen.push(await names())
    return insert(trx, 'b')
  })
  await first
  seen.push(await names())
  await second
  expect(seen).toEqual([[], ['a', 'b']])
})

test('a change that fails takes back what it did, and nothing of the others', async () => {
  const failing = db.groupCommit(async (trx) => {
    await insert(trx, 'b')
    throw new Error('no')
  })
  const others = [db.groupCommit((trx) => insert(trx, 'a')), db.groupCommit((trx) => insert(trx, 'c'))]
  await expect(failing).rejects.toThrow('no')
  await Promise.all(others)
  expect(await names()).toEqual(['a', 'c'])
  expect(transactions).toBe(1)
})

test('what ends the whole transaction, or its commit, fails all of them with its reason, and others come after', async () => {
  const ending = (trx: Db) =>
    sql`insert or rollback into organizations (id, name, created_at) values (1, null, 1)`.execute(trx)
  const uncommittable = async (trx: Db) => {
    await sql`pragma defer_foreign_keys = on`.execute(trx)
    await sql`insert into mail_recipients select 99, '', 'pending', '', 0, null`.execute(trx)
  }
  for (const [change, reason] of [
    [ending, 'NOT NULL'],
    [uncommittable, 'FOREIGN KEY'],
  ] as const) {
    const made = [
      db.groupCommit((trx) => insert(trx, 'a')),
      db.groupCommit<unknown>(change),
      db.groupCommit((trx) => insert(trx, 'c')),
    ]
    const outcomes = await Promise.allSettled(made)
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && String(outcome.reason))).toEqual(
      made.map(() => expect.stringContaining(reason)),
    )
    expect(await names()).toEqual([])
  }
  await db.groupCommit((trx) => insert(trx, 'd'))
  expect(await names()).toEqual(['d'])
})

test('a change that throws before it has written is made once, and so are the others', async () => {
  const made: string[] = []
  const noting = (name: string, change: (trx: Db) => Promise<unknown>) =>
    db.groupCommit((trx) => {
      made.push(name)
      return change(trx)
    })
  const outcomes = await Promise.allSettled([
    noting('a', (trx) => insert(trx, 'a')),
    noting('refused', () => Promise.reject(new Error('no'))),
    noting('c', (trx) => insert(trx, 'c')),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(made).toEqual(['a', 'refused', 'c'])
  expect(await names()).toEqual(['a', 'c'])
})

test('of changes that throw after they have written, each is made once and undone alone', async () => {
  const made: string[] = []
  const failing = (name: string) => async (trx: Db) => {
    made.push(name)
    await insert(trx, name)
    throw new Error(name)
  }
  const changes = ['a', 'b', 'c', 'd', 'e'].map((name) =>
    db.groupCommit(name === 'b' || name === 'd' ? failing(name) : (trx) => insert(trx, name)),
  )
  const outcomes = await Promise.allSettled(changes)
  expect(outcomes.map((one) => (one.status === 'rejected' ? String(one.reason) : one.value))).toEqual([
    'a',
    'Error: b',
    'c',
    'Error: d',
    'e',
  ])
  expect(made).toEqual(['b', 'd'])
  expect(await names()).toEqual(['a', 'c', 'e'])
  expect(transactions).toBe(1)
})
