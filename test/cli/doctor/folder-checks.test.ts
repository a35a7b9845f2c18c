import { afterEach, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  checkBackup,
  checkDisk,
  checkFolder,
  checkSchema,
  checkSecrets,
} from '../../../src/cli/doctor/folder-checks.ts'
import { readConfig } from '../../../src/config.ts'
import { recordBackup } from '../../../src/db/backup/last-backup.ts'
import { Database } from '../../../src/db/sqlite.ts'
import { closeAll } from '../../support/closing.ts'
import { closedFolder } from '../../support/closed-folder.ts'
import { newFolder } from '../../support/process.ts'

afterEach(closeAll)

const hourMs = 3_600_000

describe('the data folder', () => {
  test('that does not exist yet is in order, and is not made', () => {
    const folder = newFolder()
    const dataDir = join(folder, 'a', 'data')
    for (const check of [checkFolder, checkSecrets, checkDisk, checkSchema]) {
      expect(check(dataDir)).toEqual([expect.objectContaining({ level: 'ok' })])
    }
    expect(readdirSync(folder)).toEqual([])
  })

  test('of a nines that was stopped is in order, and nothing in it changes', async () => {
    const dataDir = await closedFolder()
    const before = readdirSync(dataDir).toSorted()
    chmodSync(dataDir, 0o700)
    for (const check of [checkFolder, checkSecrets, checkDisk, checkSchema]) {
      expect(check(dataDir)).toEqual([expect.objectContaining({ level: 'ok' })])
    }
    const isPart = (name: string) => !/-(?:wal|shm)$/.test(name)
    expect(readdirSync(dataDir).filter(isPart).toSorted()).toEqual(before.filter(isPart))
  })

  test('that is a file is an error', () => {
    const dataDir = join(newFolder(), 'data')
    writeFileSync(dataDir, '')
    expect(checkFolder(dataDir)).toEqual([
      expect.objectContaining({ level: 'error', message: `${dataDir} is not a folder` }),
    ])
  })

  test('that others can read is a warning, with the command that closes it', () => {
    const dataDir = newFolder()
    chmodSync(dataDir, 0o755)
    expect(checkFolder(dataDir)).toEqual([
      {
        check: 'data_folder',
        level: 'warning',
        message: `other users can get at ${dataDir} (mode 0755)`,
        advice: `chmod 700 '${dataDir}'`,
      },
    ])
  })

  test.each([
    ['a cut-off secret', '0123', 0o600, 'does not hold 64 hex digits; restore it from a backup'],
    ['a secret that others can read', `${'0'.repeat(64)}\n`, 0o644, 'chmod 600'],
  ])('with %s is an error', (_, text, mode, said) => {
    const dataDir = newFolder()
    const path = join(dataDir, 'seal.secret')
    writeFileSync(path, text, { mode })
    chmodSync(path, mode)
    expect(checkSecrets(dataDir)).toEqual([
      expect.objectContaining({ level: 'error', message: expect.stringContaining(said) }),
    ])
  })
})

describe('the database', () => {
  const changed = async (change: (path: string) => void) => {
    const dataDir = await closedFolder()
    change(join(dataDir, 'nines.db'))
    const [finding] = checkSchema(dataDir)
    return finding
  }

  test('of a newer nines is an error', async () => {
    const finding = await changed((path) => {
      const db = new Database(path)
      db.pragma('user_version = 99')
      db.close()
    })
    expect(finding).toMatchObject({
      level: 'error',
      message: expect.stringContaining('schema version 99, and this nines'),
    })
    expect(finding?.advice).toContain('start the nines that wrote it')
  })

  test('that is lost is an error', async () => {
    const finding = await changed((path) => rmSync(path))
    expect(finding).toMatchObject({ level: 'error', message: expect.stringContaining('is missing') })
  })

  test('that is cut off is an error', async () => {
    const finding = await changed((path) => truncateSync(path, 6000))
    expect(finding).toMatchObject({ level: 'error', message: expect.stringContaining('nines.db: ') })
  })
})

test.each([
  ['0', null, 'warning', 'no backup of this folder is known'],
  ['0', 3, 'ok', 'the last backup is 3 hours old'],
  ['0', 24 * 8, 'warning', 'the last backup is 8 days old'],
  ['24', 3, 'ok', 'the last backup is 3 hours old'],
  ['24', 25, 'error', 'the last backup is 25 hours old, and BACKUP_MAX_AGE_HOURS is 24'],
] as const)('with BACKUP_MAX_AGE_HOURS=%s a backup of %p hours is %s', (max, hours, level, message) => {
  const dataDir = join(newFolder(), 'data')
  mkdirSync(dataDir)
  writeFileSync(join(dataDir, 'nines.db'), 'x')
  const nowMs = Date.parse('2026-11-28T12:00:00Z')
  if (hours !== null) recordBackup(dataDir, nowMs - hours * hourMs)
  const findings = checkBackup(readConfig({ BACKUP_MAX_AGE_HOURS: max }), dataDir, nowMs)
  expect(findings).toEqual([expect.objectContaining({ check: 'backup', level, message })])
  if (level !== 'ok')
    expect(findings[0]?.advice).toStartWith('set BACKUP_SCHEDULE and BACKUP_DIR, or run nines backup FILE')
})
