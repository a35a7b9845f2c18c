import { afterEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { insertOrganization } from '../../../src/auth/accounts/store.ts'
import { aroundDamage, type Damage, isDamage } from '../../../src/db/failures/damage.ts'
import { type Database, openDatabase } from '../../../src/db/open.ts'
import { databaseDamaged } from '../../../src/errors.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { overwritePage, rootPage } from '../../support/damage.ts'

afterEach(closeAll)

/** A database with one unreadable table, and the damage it reports. */
async function withoutSilences(): Promise<{ db: Database; seen: Damage[] }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'nines-damage-'))
  closeLater(() => rmSync(dataDir, { recursive: true }))
  await openDatabase({ dataDir }).close()
  const path = join(dataDir, 'nines.db')
  overwritePage(path, rootPage(path, 'silences'))
  const seen: Damage[] = []
  return { db: openDatabase({ dataDir, onDamage: (damage) => void seen.push(damage) }), seen }
}

test('damage that any connection meets is reported, and fails the statement with a 503 that says what helps', async () => {
  const { db, seen } = await withoutSilences()
  for (const side of [db.read, db.write]) {
    const reading = side.selectFrom('silences').selectAll().execute()
    await expect(reading).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'nines.db is damaged',
      details: expect.stringContaining('nines restore FILE'),
    })
  }
  const damage: Damage = { file: 'nines.db', problem: 'database disk image is malformed' }
  expect(seen).toEqual([damage, damage])
  await db.close()
})

test('a change that meets damage takes none of those with it that are made in the same transaction', async () => {
  const { db } = await withoutSilences()
  const outcomes = await Promise.allSettled([
    db.groupCommit((trx) => insertOrganization(trx, 'before', 0)),
    db.groupCommit((trx) => trx.selectFrom('silences').selectAll().execute()),
    db.groupCommit((trx) => insertOrganization(trx, 'after', 0)),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  const names = await db.read.selectFrom('organizations').select('name').orderBy('id').execute()
  expect(names.map(({ name }) => name)).toEqual(['before', 'after'])
  await db.close()
})

test.each([
  ['SQLITE_CORRUPT', true],
  ['SQLITE_CORRUPT_INDEX', true],
  ['SQLITE_CORRUPT_SEQUENCE', true],
  ['SQLITE_CORRUPT_VTAB', true],
  ['SQLITE_NOTADB', true],
  ['SQLITE_IOERR_READ', true],
  ['SQLITE_IOERR_SHORT_READ', true],
  ['SQLITE_IOERR_WRITE', false],
  ['SQLITE_FULL', false],
  ['SQLITE_BUSY', false],
  ['SQLITE_CONSTRAINT_UNIQUE', false],
])('%s is damage: %p', (code, expected) => {
  expect(isDamage(Object.assign(new Error('failed'), { code }))).toBe(expected)
})

test('work on many goes around what meets damage, and stops at any other failure', async () => {
  const keys = Array.from({ length: 100 }, (_, at) => at)
  const lost = new Set([0, 41, 42, 99])
  let times = 0
  const work = async (some: number[]) => {
    times += 1
    if (some.some((key) => lost.has(key))) throw databaseDamaged('nines.db', null)
    return some.map(String)
  }
  const found = await aroundDamage(keys, work, (key) => [`no ${key}`])
  expect(found).toEqual(keys.map((key) => (lost.has(key) ? `no ${key}` : String(key))))
  expect(times).toBeLessThan(60)
  const failing = () => Promise.reject(new Error('no room'))
  await expect(aroundDamage(keys, failing, () => [])).rejects.toThrow('no room')
})
