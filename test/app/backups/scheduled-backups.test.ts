import { expect, test } from 'bun:test'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  assertBackupSettings,
  createScheduledBackups,
  type WriteBackup,
} from '../../../src/app/backups/scheduled-backups.ts'
import { hourMs, minuteMs } from '../../../src/clock.ts'
import { ConfigError, readConfig } from '../../../src/config.ts'
import { readLastBackup, recordBackup } from '../../../src/db/backup/last-backup.ts'
import { newDataDir } from '../../support/template-data-dir.ts'

const nightMs = Date.parse('2026-11-29T02:15:00Z')
const log = { debug() {}, info() {}, warn() {}, error() {} }

/** Backups at 02:15, written by a function that the test can replace; `at` sets the time. */
function world(env: Record<string, string> = {}) {
  const dataDir = newDataDir()
  const folder = join(newDataDir(), 'backups')
  const time = { nowMs: nightMs - hourMs }
  const clock = { now: () => time.nowMs }
  const conditions = new Map<string, string | null>()
  const state = {
    hasOrganizations: true,
    problem: null as string | null,
    attempts: 0,
    write: null as ((signal: AbortSignal) => Promise<string>) | null,
  }
  const writeBackup: WriteBackup = async (file, signal) => {
    state.attempts += 1
    if (state.write) return state.write(signal)
    if (state.problem !== null) return state.problem
    writeFileSync(file, 'a backup')
    recordBackup(dataDir, time.nowMs)
    return null
  }
  const config = readConfig({ BACKUP_SCHEDULE: '15 2 * * *', BACKUP_DIR: folder, ...env })
  const backups = createScheduledBackups({
    config,
    dataDir,
    clock,
    stopwatch: clock,
    log,
    conditions: { set: (name, message) => void conditions.set(name, message) },
    hasOrganizations: async () => state.hasOrganizations,
    writeBackup,
  })
  return {
    ...backups,
    dataDir,
    state,
    conditions,
    files: () => (existsSync(folder) ? readdirSync(folder).toSorted() : []),
    at: (timeMs: number) => {
      time.nowMs = timeMs
      return backups.runWhenDue()
    },
  }
}

test('a backup is written at each time of the schedule, once', async () => {
  const { at, files, dataDir } = world()
  recordBackup(dataDir, nightMs - 24 * hourMs)
  await at(nightMs - 1000)
  expect(files()).toEqual([])
  await at(nightMs + 3000)
  await at(nightMs + 13_000)
  expect(files()).toEqual(['nines-20261129T021503Z.tar.zst'])
  expect(readLastBackup(dataDir)).toBe(nightMs + 3000)
  await at(nightMs + 24 * hourMs)
  expect(files()).toEqual(['nines-20261129T021503Z.tar.zst', 'nines-20261130T021500Z.tar.zst'])
})

test('one that was due while nines was off is written after the start, as is the first', async () => {
  const { at, files, dataDir } = world()
  await at(nightMs - 5 * hourMs)
  expect(files()).toHaveLength(1)
  recordBackup(dataDir, nightMs - 30 * hourMs)
  await at(nightMs - hourMs)
  expect(files()).toHaveLength(2)
})

test('none is written before there is an organization', async () => {
  const { at, files, state } = world()
  state.hasOrganizations = false
  await at(nightMs)
  expect(files()).toEqual([])
})

test('a failure is a condition until a later attempt succeeds, ten minutes later at the earliest', async () => {
  const { at, files, state, conditions } = world()
  state.problem = 'there is no space left'
  await at(nightMs)
  expect(conditions.get('backup_failed')).toContain('BACKUP_DIR')
  await at(nightMs + 9 * minuteMs)
  expect(state.attempts).toBe(1)
  state.problem = null
  await at(nightMs + 10 * minuteMs)
  expect(conditions.get('backup_failed')).toBeNull()
  expect(files()).toHaveLength(1)
})

test('closing ends a backup that is being written, which is no failure', async () => {
  const { at, close, conditions, state } = world()
  const written = Promise.withResolvers<string>()
  state.write = (signal) => {
    signal.addEventListener('abort', () => written.resolve('ended by a signal'))
    return written.promise
  }
  const running = at(nightMs)
  await Bun.sleep(0) // until it has begun
  await close()
  await running
  expect(await written.promise).toBe('ended by a signal')
  expect(conditions.has('backup_failed')).toBe(false)
  await at(nightMs + hourMs)
  expect(state.attempts).toBe(1)
})

test('older ones are deleted by the rule', async () => {
  const { at, files } = world({ BACKUP_KEEP: '2,0,0' })
  for (let day = 0; day < 5; day += 1) await at(nightMs + day * 24 * hourMs)
  expect(files()).toEqual(['nines-20261202T021500Z.tar.zst', 'nines-20261203T021500Z.tar.zst'])
})

test.each([
  [{ BACKUP_SCHEDULE: 'nightly', BACKUP_DIR: '/b' }, 'BACKUP_SCHEDULE: must be a cron expression'],
  [{ BACKUP_SCHEDULE: '0 0 30 2 *', BACKUP_DIR: '/b' }, 'BACKUP_SCHEDULE: must be a cron expression'],
  [{ BACKUP_SCHEDULE: '15 2 * * *' }, 'BACKUP_DIR: must be set'],
])('settings that cannot work prevent the start: %p', (env, message) => {
  expect(() => assertBackupSettings(readConfig(env), nightMs)).toThrow(ConfigError)
  expect(() => assertBackupSettings(readConfig(env), nightMs)).toThrow(message)
})

test('a rule must be three whole numbers', () => {
  for (const BACKUP_KEEP of ['7', '7,4', '7,4,x', '-1,4,12', '7,4,12,1']) {
    expect(() => readConfig({ BACKUP_KEEP })).toThrow('BACKUP_KEEP: must be three whole numbers')
  }
})
