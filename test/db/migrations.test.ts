import { afterEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import newest from '../../schema.sql' with { type: 'text' }
import {
  currentVersion,
  firstVersion,
  migrate,
  type Migrated,
  type Migration,
  migrations,
  versionOf,
} from '../../src/db/migrations.ts'
import { openDatabase } from '../../src/db/open.ts'
import { type Connection, Database } from '../../src/db/sqlite.ts'
import { newDataDir } from '../support/app.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { describeOnSmallDisk, smallDisk } from '../support/small-disk.ts'
import { schemaIn } from './schema-in.ts'

afterEach(closeAll)

// An invented schema history: the real one grows, these tests stay.
const schema1 = `
  CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
  CREATE TABLE visits (pet_id INTEGER NOT NULL REFERENCES pets (id) ON DELETE CASCADE) STRICT;`
const schema3 = `
  CREATE TABLE pets ( -- loved by all
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    legs INTEGER
  ) STRICT;
  CREATE TABLE visits (pet_id INTEGER NOT NULL REFERENCES pets (id) ON DELETE CASCADE) STRICT;
  CREATE INDEX pets_by_name ON pets (name);`
const addLegs: Migration = { version: 2, sql: 'ALTER TABLE pets ADD COLUMN legs INTEGER' }
const addIndex: Migration = { version: 3, sql: 'CREATE INDEX pets_by_name ON pets (name)' }
const rebuild: Migration = {
  version: 2,
  sql: `CREATE TABLE new_pets (id INTEGER PRIMARY KEY, name TEXT NOT NULL, legs INTEGER) STRICT;
    INSERT INTO new_pets SELECT id, name, 4 FROM pets;
    DROP TABLE pets;
    ALTER TABLE new_pets RENAME TO pets;`,
}

function folder(): string {
  const path = newDataDir()
  closeLater(() => rmSync(path, { recursive: true, force: true }))
  return path
}
function connect(path: string): Connection {
  const db = new Database(path)
  closeLater(() => db.close())
  db.pragma('foreign_keys = ON')
  return db
}

/** A database of version 1 with a pet and its visit. */
function ofVersion1() {
  const dataDir = folder()
  const db = connect(join(dataDir, 'nines.db'))
  migrate(db, { dataDir, schema: schema1, steps: [] })
  db.exec("INSERT INTO pets VALUES (1, 'Rex'); INSERT INTO visits VALUES (1)")
  return { dataDir, db }
}
const petsIn = (db: Connection) => db.prepare('SELECT * FROM pets').all()
const visitsIn = (db: Connection) => db.prepare('SELECT * FROM visits').all()

describe('a new database', () => {
  test('is made from the newest schema, in one step and without a snapshot', () => {
    const dataDir = folder()
    const db = connect(join(dataDir, 'nines.db'))
    const broken = { version: 3, sql: 'this is not run' }
    migrate(db, { dataDir, schema: schema3, steps: [addLegs, broken] })
    expect([versionOf(db), Object.keys(schemaIn(db))]).toEqual([3, ['pets', 'pets_by_name', 'visits']])
    expect(readdirSync(dataDir)).toEqual(['nines.db'])
  })

  test('that could not be made whole is not there at all', () => {
    const dataDir = folder()
    const db = connect(join(dataDir, 'nines.db'))
    expect(() => migrate(db, { dataDir, schema: `${schema1} CREATE TABLE`, steps: [] })).toThrow('incomplete input')
    expect([versionOf(db), schemaIn(db)]).toEqual([0, {}])
  })
})

describe('an older database', () => {
  test('goes forward step by step, says so, and keeps a snapshot from before the first', () => {
    const { dataDir, db } = ofVersion1()
    const reported: Migrated[] = []
    const snapshot = (version: number) => join(dataDir, `nines.db.before-${version}`)
    migrate(db, { dataDir, schema: schema3, steps: [addLegs, addIndex], onMigrated: (step) => reported.push(step) })
    expect([versionOf(db), petsIn(db)]).toEqual([3, [{ id: 1, name: 'Rex', legs: null }]])
    expect(reported).toEqual([
      { from: 1, to: 2, snapshot: snapshot(2) },
      { from: 2, to: 3, snapshot: snapshot(3) },
    ])
    const before2 = connect(snapshot(2))
    expect([versionOf(before2), petsIn(before2)]).toEqual([1, [{ id: 1, name: 'Rex' }]])
    expect(existsSync(snapshot(3))).toBe(false)
  })

  test('keeps the snapshots of its two last upgrades', () => {
    const { dataDir, db } = ofVersion1()
    const steps = [addLegs, addIndex, { version: 4, sql: '' }, { version: 5, sql: '' }, { version: 6, sql: '' }]
    const snapshots = () =>
      readdirSync(dataDir)
        .filter((name) => name.includes('before'))
        .toSorted()
    const upgradeTo = (version: number) => {
      migrate(db, { dataDir, schema: schema3, steps: steps.slice(0, version - 1) })
      return snapshots()
    }
    expect(upgradeTo(2)).toEqual(['nines.db.before-2'])
    expect(upgradeTo(4)).toEqual(['nines.db.before-2', 'nines.db.before-3'])
    expect(upgradeTo(4)).toEqual(['nines.db.before-2', 'nines.db.before-3'])
    expect(upgradeTo(6)).toEqual(['nines.db.before-3', 'nines.db.before-5'])
  })

  test('ends with the schema of a new one', () => {
    const { dataDir, db } = ofVersion1()
    const fresh = connect(':memory:')
    fresh.exec(schema3)
    expect(schemaIn(db)).not.toEqual(schemaIn(fresh))
    migrate(db, { dataDir, schema: schema3, steps: [addLegs, addIndex] })
    expect(schemaIn(db)).toEqual(schemaIn(fresh))
  })

  test('takes only the steps it has not taken', () => {
    const { dataDir, db } = ofVersion1()
    migrate(db, { dataDir, schema: schema3, steps: [addLegs] })
    rmSync(join(dataDir, 'nines.db.before-2'))
    migrate(db, { dataDir, schema: schema3, steps: [addLegs, addIndex] })
    migrate(db, { dataDir, schema: schema3, steps: [addLegs, addIndex] })
    expect(readdirSync(dataDir).toSorted()).toEqual(['nines.db', 'nines.db.before-3'])
    expect(versionOf(db)).toBe(3)
  })

  test('replaces the snapshot of an upgrade that was cut short', () => {
    const { dataDir, db } = ofVersion1()
    writeFileSync(join(dataDir, 'nines.db.before-2'), 'half a snap')
    migrate(db, { dataDir, schema: schema3, steps: [addLegs] })
    expect(petsIn(connect(join(dataDir, 'nines.db.before-2')))).toEqual([{ id: 1, name: 'Rex' }])
  })

  test('may have a table rebuilt without losing the rows that refer to it', () => {
    const { dataDir, db } = ofVersion1()
    migrate(db, { dataDir, schema: schema3, steps: [rebuild] })
    expect(petsIn(db)).toEqual([{ id: 1, name: 'Rex', legs: 4 }])
    expect(visitsIn(db)).toEqual([{ pet_id: 1 }])
    db.exec('DELETE FROM pets')
    expect(visitsIn(db)).toEqual([])
  })
})

describe('a step that fails', () => {
  test.each([
    ['is no SQL', 'CREATE INDEX pets_by_name ON pets (name); ALTER TABLE pets SHAKE', 'near "SHAKE": syntax error'],
    ['leaves rows that refer to nothing', 'DELETE FROM pets', 'a row of visits refers to one that does not exist'],
  ])('because it %s leaves everything as it was before it', (_, sql, problem) => {
    const { dataDir, db } = ofVersion1()
    const steps = [addLegs, { version: 3, sql }]
    expect(() => migrate(db, { dataDir, schema: schema3, steps })).toThrow(
      `the step from schema version 2 to 3 failed, nothing of it remains: ${problem}`,
    )
    const before = connect(join(dataDir, 'nines.db.before-3'))
    expect([versionOf(db), versionOf(before)]).toEqual([2, 2])
    expect(schemaIn(db)).toEqual(schemaIn(before))
    expect([petsIn(db), visitsIn(db)]).toEqual([[{ id: 1, name: 'Rex', legs: null }], [{ pet_id: 1 }]])
    expect(db.pragma('foreign_keys', { simple: true })).toBe(1)
  })

  describeOnSmallDisk('on a full disk', () => {
    test('takes no space, says how much is needed, and succeeds once there is room', () => {
      const disk = smallDisk(8 * 1024 * 1024)
      const dataDir = disk.folder
      const db = connect(join(dataDir, 'nines.db'))
      migrate(db, { dataDir, schema: schema1, steps: [] })
      const add = db.prepare('INSERT INTO pets (name) VALUES (?)')
      for (let count = 0; count < 200; count += 1) add.run('x'.repeat(5000))
      disk.fill()
      const upgrade = () => migrate(db, { dataDir, schema: schema3, steps: [addLegs] })
      expect(upgrade).toThrow('the disk is full; free space on it, "nines migrate --dry-run" says how much is needed')
      expect(readdirSync(dataDir)).toEqual(['nines.db'])
      expect([versionOf(db), petsIn(db).length]).toEqual([1, 200])
      disk.free()
      upgrade()
      expect([versionOf(db), petsIn(db).length]).toEqual([2, 200])
      expect(petsIn(connect(join(dataDir, 'nines.db.before-2')))).toHaveLength(200)
    })
  })

  test('stops the start with the file’s name, and the nines before it still opens the database', async () => {
    const dataDir = folder()
    await openDatabase({ dataDir }).close()
    const next = currentVersion + 1
    const steps = [...migrations, { version: next, sql: 'no SQL' }]
    expect(() => openDatabase({ dataDir, steps })).toThrow(
      `${dataDir}/nines.db: the step from schema version ${next - 1} to ${next} failed`,
    )
    await openDatabase({ dataDir }).close()
  })
})

test('a step brings a real database forward, with its rows, and reports the snapshot', async () => {
  const dataDir = folder()
  await openDatabase({ dataDir }).close()
  const before = connect(join(dataDir, 'nines.db'))
  before.exec("INSERT INTO organizations (id, name, created_at) VALUES (7, 'Example', 1)")
  before.close()
  const version = currentVersion + 1
  const steps = [...migrations, { version, sql: 'ALTER TABLE organizations ADD COLUMN legs INTEGER' }]
  const migrated: Migrated[] = []
  await openDatabase({ dataDir, steps, onMigrated: (step) => migrated.push(step) }).close()
  const snapshot = join(dataDir, `nines.db.before-${version}`)
  expect(migrated).toEqual([{ from: currentVersion, to: version, snapshot }])
  const after = connect(join(dataDir, 'nines.db'))
  expect(versionOf(after)).toBe(version)
  expect(after.prepare('SELECT id, name, legs FROM organizations').all()).toEqual([
    { id: 7, name: 'Example', legs: null },
  ])
  expect(versionOf(connect(snapshot))).toBe(currentVersion)
})

test.each([currentVersion + 1, 8, 4711, -1])(
  'a database of version %d is refused, without a change',
  async (version) => {
    const dataDir = folder()
    const path = join(dataDir, 'nines.db')
    await openDatabase({ dataDir }).close()
    const newer = connect(path)
    newer.pragma(`user_version = ${version}`)
    newer.close()
    const before = readFileSync(path)
    expect(() => openDatabase({ dataDir })).toThrow(
      `${path}: the database has schema version ${version}, and this nines knows ${currentVersion}: start the nines that wrote it`,
    )
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(readdirSync(dataDir)).toEqual(['nines.db'])
  },
)

describe('the real steps', () => {
  test('are numbered from the second version on, without gaps', () => {
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, at) => firstVersion + 1 + at))
  })

  // The first migration adds first-schema.sql to this folder: schema.sql as it was before that migration.
  test('lead from the first schema to schema.sql', () => {
    const first = migrations.length === 0 ? newest : readFileSync(join(import.meta.dir, 'first-schema.sql'), 'utf8')
    const dataDir = folder()
    const db = connect(join(dataDir, 'nines.db'))
    migrate(db, { dataDir, schema: first, steps: [] })
    migrate(db, { dataDir, schema: newest, steps: migrations })
    const fresh = connect(':memory:')
    fresh.exec(newest)
    expect(schemaIn(db)).toEqual(schemaIn(fresh))
  })
})
