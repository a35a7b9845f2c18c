import { afterEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import schema from '../../schema.sql' with { type: 'text' }
import { currentVersion, firstVersion } from '../../src/db/migrations.ts'
import { openDatabase } from '../../src/db/open.ts'
import { assertShape, knownShapes, shapeOf, sqlHashOf } from '../../src/db/shape.ts'
import { Database } from '../../src/db/sqlite.ts'
import { newDataDir, testApp } from '../support/app.ts'
import { closeAll, closeLater } from '../support/closing.ts'

afterEach(closeAll)

/** A data folder whose database was changed from outside, with the same schema version. */
async function changed(sql: string): Promise<string> {
  const dataDir = newDataDir()
  closeLater(() => rmSync(dataDir, { recursive: true, force: true }))
  await openDatabase({ dataDir }).close()
  const db = new Database(join(dataDir, 'nines.db'))
  db.exec(sql)
  db.close()
  return dataDir
}

const ofAnotherLine = 'has other columns or indexes than this nines knows: the database was changed by something else'

test.each([
  ['one more column', 'ALTER TABLE slos ADD COLUMN colour TEXT', `slos of schema version 1 ${ofAnotherLine}`],
  ['another name', 'ALTER TABLE teams RENAME COLUMN name TO title', `teams of schema version 1 ${ofAnotherLine}`],
  ['one index less', 'DROP INDEX users_of_organization', `users of schema version 1 ${ofAnotherLine}`],
  ['another index', 'CREATE UNIQUE INDEX odd ON users (name)', `users of schema version 1 ${ofAnotherLine}`],
  ['a table less', 'DROP TABLE silences', 'silences of schema version 1 is missing: the database was changed by'],
])('a database of the same version with %s is refused, with what to do', async (_, sql, sentence) => {
  const dataDir = await changed(sql)
  const open = () => openDatabase({ dataDir })
  expect(open).toThrow(`${join(dataDir, 'nines.db')}: table ${sentence}`)
  expect(open).toThrow('start the nines that wrote it, or restore the last backup with `nines restore FILE`')
  await expect(testApp({ dataDir })).rejects.toThrow(sentence)
})

test('tables of others, as a replication tool makes, and the text of the SQL make no difference', async () => {
  const dataDir = await changed(`CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
    CREATE VIRTUAL TABLE odd USING fts5(words); ANALYZE`)
  await openDatabase({ dataDir }).close()
  const { '*': sqlHash, ...tables } = knownShapes[currentVersion] ?? {}
  const names = Object.keys(tables)
  const db = new Database(':memory:')
  closeLater(() => db.close())
  db.exec(schema.replaceAll(/--.*/g, '').replaceAll(/\n\s*/g, '\n '))
  expect(sqlHashOf(db, names)).not.toBe(sqlHash)
  expect(shapeOf(db, names)).toEqual(tables)
  expect(() => assertShape(db, currentVersion)).not.toThrow()
})

test('a shape of a version that is not listed is not compared', () => {
  const db = new Database(':memory:')
  closeLater(() => db.close())
  expect(() => assertShape(db, 7, { 8: { slos: 'a' } })).not.toThrow()
  expect(() => assertShape(db, 8, { 8: { slos: 'a' } })).toThrow('table slos of schema version 8 is missing')
})

// After a change of schema.sql, the value expected here must be added to src/db/shapes.json.
test('src/db/shapes.json has every version, the newest as schema.sql makes it', () => {
  const db = new Database(':memory:')
  closeLater(() => db.close())
  db.exec(schema)
  const names = db.prepare<[], string>("select name from sqlite_schema where type = 'table'").pluck().all()
  const own = names.filter((name) => !name.startsWith('sqlite_'))
  expect(knownShapes[currentVersion]).toEqual({ '*': sqlHashOf(db, own), ...shapeOf(db, own) })
  const versions = Array.from({ length: currentVersion - firstVersion + 1 }, (_, at) => firstVersion + at)
  expect(Object.keys(knownShapes).map(Number)).toEqual(versions)
})
