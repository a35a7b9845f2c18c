import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readLastBackup, recordBackup } from '../../../src/db/backup/last-backup.ts'
import { assertEmpty, restoreBackup } from '../../../src/db/backup/restore-backup.ts'
import { prepareBackup, writeBackup } from '../../../src/db/backup/write-backup.ts'
import { setAside } from '../../../src/db/data-folder/lost-database.ts'
import { newDataDir, testApp, testStartMs } from '../../support/app.ts'

let dataDir: string
let other: string
beforeEach(() => {
  dataDir = newDataDir()
  other = newDataDir()
})
afterEach(() => {
  for (const path of [dataDir, other]) rmSync(path, { recursive: true, force: true })
})

test('when the last backup was made is kept in the data folder, for its owner only', () => {
  expect(readLastBackup(dataDir)).toBeNull()
  for (const atMs of [testStartMs, testStartMs + 1000]) recordBackup(dataDir, atMs)
  expect(readLastBackup(dataDir)).toBe(testStartMs + 1000)
  expect(statSync(join(dataDir, 'backup.last')).mode & 0o777).toBe(0o600)
})

test('a record that is none counts as none', () => {
  writeFileSync(join(dataDir, 'backup.last'), 'yesterday\n')
  expect(readLastBackup(dataDir)).toBeNull()
})

test('a restored instance has had no backup, whatever was recorded before in either folder', async () => {
  await (await testApp({ dataDir })).app.close()
  recordBackup(dataDir, testStartMs)
  const file = join(other, 'nines.tar')
  const place = prepareBackup({ dataDir, file })
  await writeBackup({ dataDir, file, nowMs: testStartMs }, place.folder)
  place.remove()
  const restored = join(other, 'restored')
  mkdirSync(restored)
  recordBackup(restored, testStartMs)
  const left = ['clock.last', 'nines.db-mark', 'samples.db-mark', 'samples.db-mark.draft']
  for (const name of left) writeFileSync(join(restored, name), 'of another database\n')
  assertEmpty(restored)
  await restoreBackup(file, restored)
  expect(readLastBackup(restored)).toBeNull()
  expect(left.filter((name) => existsSync(join(restored, name)))).toEqual([])
})

test('what is set aside for a new instance takes its record along', async () => {
  recordBackup(dataDir, testStartMs)
  expect(setAside(dataDir, testStartMs)).toBeDefined()
  expect(readLastBackup(dataDir)).toBeNull()
})

test('a backup that is overdue is a condition, until there is another one', async () => {
  const nines = await testApp({ dataDir, env: { BACKUP_MAX_AGE_HOURS: '24' } })
  const names = async () => {
    await nines.app.selfMonitoring.watch()
    return nines.app.conditions.list().map(({ name }) => name)
  }
  expect(await names()).toEqual([]) // no data worth a backup
  await nines.join('ada')
  expect(await names()).toEqual(['backup_overdue'])
  recordBackup(dataDir, nines.clock.now())
  expect(await names()).toEqual([])
  nines.clock.advance(24 * 3_600_000 + 1)
  expect(await names()).toEqual(['backup_overdue'])
  await nines.close()
})
