import { afterEach, describe, expect, test } from 'bun:test'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Database, type Db, openDatabase } from '../../src/db/open.ts'
import { newDataDir } from '../support/app.ts'
import { closeAll, closeLater } from '../support/closing.ts'

afterEach(closeAll)

function folder(): string {
  const path = newDataDir()
  closeLater(() => rmSync(path, { recursive: true, force: true }))
  return path
}
function open(dataDir = folder()): Database {
  const db = openDatabase({ dataDir })
  closeLater(() => void db.close())
  return db
}
const organization = { name: 'Analytical Engines', created_at: 1 }
const insert = (db: Db) => db.insertInto('organizations').values(organization).execute()
const namesIn = async (db: Db) =>
  (await db.selectFrom('organizations').select('name').execute()).map(({ name }) => name)

/** Value of a pragma of this connection. */
async function pragma(db: Db, name: string): Promise<unknown> {
  const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db)
  return rows[0]?.[name]
}

describe('every open', () => {
  test('sets what a commit needs to survive a power failure, and what keeps rows whole', async () => {
    const dataDir = folder()
    const expected = { synchronous: 2, foreign_keys: 1, journal_mode: 'wal', trusted_schema: 0 }
    for (const _ of ['new', 'again', 'and again']) {
      const db = openDatabase({ dataDir })
      for (const side of [db.write, db.read]) {
        for (const [name, value] of Object.entries(expected))
          expect([name, await pragma(side, name)]).toEqual([name, value])
      }
      await insert(db.write)
      await db.close()
    }
  })

  test('finds what was written before', async () => {
    const dataDir = folder()
    const first = openDatabase({ dataDir })
    await insert(first.write)
    await first.close()
    expect(await namesIn(open(dataDir).read)).toEqual(['Analytical Engines'])
  })

  test('leaves one file once closed, used or not', async () => {
    const dataDir = folder()
    for (const used of [false, true]) {
      const db = openDatabase({ dataDir })
      if (used) await insert(db.write)
      await db.close()
      expect(readdirSync(dataDir)).toEqual(['nines.db'])
    }
  })

  test('lets a transaction that has begun end before it is closed, and none begin later', async () => {
    const dataDir = folder()
    const db = openDatabase({ dataDir })
    const begun = Promise.withResolvers<void>()
    const done = db.write.transaction().execute(async (trx) => {
      begun.resolve()
      for (let row = 0; row < 20; row += 1) await insert(trx)
    })
    await begun.promise
    await db.close()
    await done
    await expect(insert(db.write)).rejects.toThrow()
    expect(await namesIn(open(dataDir).read)).toHaveLength(20)
  })

  test('names the file that is no database', () => {
    const dataDir = folder()
    writeFileSync(join(dataDir, 'nines.db'), 'not a database, however long it may be. '.repeat(100))
    expect(() => openDatabase({ dataDir })).toThrow(`${dataDir}/nines.db: file is not a database`)
  })
})

describe('the reader', () => {
  test('cannot write', async () => {
    const db = open()
    await expect(insert(db.read)).rejects.toThrow('attempt to write a readonly database')
    await expect(sql`drop table organizations`.execute(db.read)).rejects.toThrow('readonly')
    expect(await namesIn(db.write)).toEqual([])
  })

  test('sees a change once it is committed, not before, and does not wait for it', async () => {
    const db = open()
    await db.write.transaction().execute(async (trx) => {
      await insert(trx)
      expect(await namesIn(trx)).toEqual(['Analytical Engines'])
      expect(await namesIn(db.read)).toEqual([])
    })
    expect(await namesIn(db.read)).toEqual(['Analytical Engines'])
  })

  test('never sees a change that is taken back', async () => {
    const db = open()
    const failing = db.write.transaction().execute(async (trx) => {
      await insert(trx)
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect([await namesIn(db.read), await namesIn(db.write)]).toEqual([[], []])
  })
})

test('a row that refers to nothing is refused', async () => {
  const db = open()
  const team = { organization_id: 7, id: 1, name: 'Default', created_at: 1 }
  await expect(db.write.insertInto('teams').values(team).execute()).rejects.toThrow('FOREIGN KEY constraint failed')
})

test('one transaction waits for the other, so that neither is inside the other', async () => {
  const db = open()
  const failing = db.write.transaction().execute(async (trx) => {
    await insert(trx)
    await new Promise(setImmediate)
    throw new Error('taken back')
  })
  const succeeding = db.write.transaction().execute(insert)
  await expect(failing).rejects.toThrow('taken back')
  await succeeding
  expect(await namesIn(db.read)).toEqual(['Analytical Engines'])
})
