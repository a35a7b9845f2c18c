import { afterEach, describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import newest from '../../../schema.sql' with { type: 'text' }
import { readOrCreateSecret } from '../../../src/db/data-folder/data-dir.ts'
import { openDatabase } from '../../../src/db/open.ts'
import { openSeal, rotateSeal } from '../../../src/db/sealing/keys.ts'
import { sealedValues } from '../../../src/db/sealing/sealed-values.ts'
import { type Connection, Database } from '../../../src/db/sqlite.ts'
import { newDataDir } from '../../support/app.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { insertSealed, problemsIn, storedIn } from '../sealed-world.ts'

afterEach(closeAll)

function folder(): string {
  const path = newDataDir()
  closeLater(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function onDatabase<T>(dataDir: string, work: (db: Connection) => T): T {
  const db = new Database(join(dataDir, 'nines.db'))
  try {
    return work(db)
  } finally {
    db.close()
  }
}

/** A data folder with sealed values that no process uses. */
async function filled(): Promise<string> {
  const dataDir = folder()
  await openDatabase({ dataDir }).close()
  const { seal } = openSeal(dataDir)
  onDatabase(dataDir, (db) => insertSealed(db, seal.seal))
  expect(problemsIn(dataDir, openSeal(dataDir).seal)).toEqual([])
  return dataDir
}

const keyOf = (dataDir: string) => readFileSync(join(dataDir, 'seal.secret'), 'utf8')
const wrong = 'seal.secret must be the one that the stored credentials were sealed with; restore it from a backup'

test('every column that holds sealed values is known to what seals them again', () => {
  const db = new Database(':memory:')
  db.exec(newest)
  const columns = db
    .prepare<[], { table: string; column: string }>(
      `SELECT tables.name AS "table", columns.name AS "column" FROM pragma_table_list AS tables
       JOIN pragma_table_info(tables.name) AS columns WHERE columns.name LIKE 'sealed%' ORDER BY 1, 2`,
    )
    .all()
  const known = sealedValues.map(({ table, column }) => ({ table, column }))
  expect(known.toSorted((a, b) => (a.table < b.table ? -1 : 1))).toEqual(columns)
  db.close()
})

describe('a data folder', () => {
  test('with another seal.secret than its values were sealed with does not open', async () => {
    const dataDir = await filled()
    writeFileSync(join(dataDir, 'seal.secret'), 'ab'.repeat(32))
    expect(() => openSeal(dataDir)).toThrow(wrong)
  })

  test('where nothing is sealed takes another seal.secret, and holds on to that one', async () => {
    const dataDir = folder()
    await openDatabase({ dataDir }).close()
    const { instanceId } = openSeal(dataDir)
    rmSync(join(dataDir, 'seal.secret'))
    const { seal, instanceId: after } = openSeal(dataDir)
    expect(after).toBe(instanceId)
    onDatabase(dataDir, (db) => insertSealed(db, seal.seal))
    expect(problemsIn(dataDir, openSeal(dataDir).seal)).toEqual([])
  })
})

describe('a rotation', () => {
  test('seals every value with a new key, and keeps the id of the instance', async () => {
    const dataDir = await filled()
    const [before, { seal: old, instanceId }] = [keyOf(dataDir), openSeal(dataDir)]
    expect(rotateSeal(dataDir)).toEqual({ resealed: 16, unreadable: 0 })
    expect([keyOf(dataDir) === before, existsSync(join(dataDir, 'seal.secret.next'))]).toEqual([false, false])
    const after = openSeal(dataDir)
    expect([problemsIn(dataDir, after.seal), after.instanceId]).toEqual([[], instanceId])
    expect(problemsIn(dataDir, old)).toHaveLength(16)
  })

  test('leaves nothing in the database that the old key opens', async () => {
    const dataDir = await filled()
    const before = onDatabase(dataDir, storedIn).map(({ sealed }) => sealed.slice(3, 60))
    rotateSeal(dataDir)
    const left = readdirSync(dataDir)
      .filter((name) => name.startsWith('nines.db'))
      .map((name) => readFileSync(join(dataDir, name), 'latin1'))
    expect(before.filter((sealed) => left.some((file) => file.includes(sealed)))).toEqual([])
  })

  test('leaves a single value that does not open, says so, and seals the others', async () => {
    const dataDir = await filled()
    onDatabase(dataDir, (db) => db.exec("UPDATE probes SET sealed_settings = 'v2:broken' WHERE id = 1"))
    expect(rotateSeal(dataDir)).toEqual({ resealed: 15, unreadable: 1 })
    expect(problemsIn(dataDir, openSeal(dataDir).seal)).toHaveLength(1)
  })

  test('of a folder whose seal.secret is the wrong one is refused, and changes nothing', async () => {
    const dataDir = await filled()
    const right = keyOf(dataDir)
    writeFileSync(join(dataDir, 'seal.secret'), 'ab'.repeat(32))
    expect(() => rotateSeal(dataDir)).toThrow(wrong)
    writeFileSync(join(dataDir, 'seal.secret'), right)
    expect(problemsIn(dataDir, openSeal(dataDir).seal)).toEqual([])
  })

  describe('that was killed', () => {
    const beside = (dataDir: string) => readdirSync(dataDir).filter((name) => name.startsWith('seal.secret'))

    test('after it made the new key goes back to the old one', async () => {
      const dataDir = await filled()
      const before = keyOf(dataDir)
      readOrCreateSecret(dataDir, 'seal.secret.next')
      expect(problemsIn(dataDir, openSeal(dataDir).seal)).toEqual([])
      expect([keyOf(dataDir), beside(dataDir)]).toEqual([before, ['seal.secret']])
    })

    test('while it wrote the new key goes back to the old one, and can be done again', async () => {
      const dataDir = await filled()
      writeFileSync(join(dataDir, `seal.secret.next.${process.pid}`), 'ab', { mode: 0o644 })
      expect(problemsIn(dataDir, openSeal(dataDir).seal)).toEqual([])
      expect(rotateSeal(dataDir)).toEqual({ resealed: 16, unreadable: 0 })
      expect([problemsIn(dataDir, openSeal(dataDir).seal), beside(dataDir)]).toEqual([[], ['seal.secret']])
    })

    test.each(['opened', 'rotated once more'])(
      'after its commit goes on to the new key, when the folder is %s',
      async (how) => {
        const dataDir = await filled()
        const kept = join(folder(), 'old')
        copyFileSync(join(dataDir, 'seal.secret'), kept)
        rotateSeal(dataDir)
        const next = keyOf(dataDir)
        copyFileSync(join(dataDir, 'seal.secret'), join(dataDir, 'seal.secret.next'))
        copyFileSync(kept, join(dataDir, 'seal.secret')) // as if killed before the last rename
        if (how === 'opened') openSeal(dataDir)
        else rotateSeal(dataDir)
        expect(problemsIn(dataDir, openSeal(dataDir).seal)).toEqual([])
        expect([keyOf(dataDir) === next, beside(dataDir)]).toEqual([how === 'opened', ['seal.secret']])
      },
    )
  })
})
