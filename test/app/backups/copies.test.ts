import { afterEach, expect, test } from 'bun:test'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bucket, BucketError } from '../../../src/app/backups/bucket.ts'
import { createCopies } from '../../../src/app/backups/copies.ts'
import { dayMs, minuteMs } from '../../../src/clock.ts'
import { backupName } from '../../../src/db/backup/kept-backups.ts'
import { closeAll } from '../../support/closing.ts'
import { newFolder } from '../../support/process.ts'

afterEach(closeAll)

const nightMs = Date.parse('2026-11-29T02:15:00Z')

/** A folder whose backups are copied to a bucket in memory; `broken`: what its methods throw. */
function world() {
  const folder = newFolder()
  const objects = new Map<string, number>()
  const time = { nowMs: 0 }
  const conditions = new Map<string, string | null>()
  const logged: string[] = []
  const state = { broken: {} as Partial<Record<keyof Bucket, Error>>, puts: 0, loses: false }
  const failing = (method: keyof Bucket) => {
    const error = state.broken[method]
    if (error) throw error
  }
  const bucket: Bucket = {
    list: async () => (failing('list'), [...objects].map(([name, bytes]) => ({ name, bytes }))),
    async put(name, file) {
      state.puts += 1
      failing('put')
      if (!state.loses) objects.set(name, Bun.file(file).size)
    },
    get: async () => {},
    remove: async (name) => (failing('remove'), void objects.delete(name)),
  }
  const log = { debug() {}, info() {}, warn: (text: string) => void logged.push(text), error() {} }
  const copies = createCopies({
    bucket,
    folder,
    keep: { daily: 2, weekly: 0, monthly: 0 },
    stopwatch: { now: () => time.nowMs },
    log,
    conditions: { set: (name, message) => void conditions.set(name, message) },
  })
  const controller = new AbortController()
  return {
    folder,
    objects,
    conditions,
    state,
    time,
    logged,
    controller,
    copyState: copies.state,
    copy: () => copies.copyWhenDue(controller.signal),
    backUp(day: number) {
      const name = backupName(nightMs + day * dayMs)
      writeFileSync(join(folder, name), 'a backup')
      return name
    },
  }
}

const refused = new BucketError('refused a request (HTTP 507, StorageFull)', { isTransient: true })

test('the newest backup is copied, once, and old copies go by the rule', async () => {
  const { backUp, copy, objects, state, conditions, copyState } = world()
  objects.set('readme.txt', 1)
  await copy()
  expect([state.puts, copyState()]).toEqual([0, { names: null, problem: null }])
  for (let day = 0; day < 4; day += 1) {
    backUp(day)
    await copy()
    await copy()
  }
  expect(state.puts).toBe(4)
  expect([...objects.keys()]).toEqual(['readme.txt', backupName(nightMs + 2 * dayMs), backupName(nightMs + 3 * dayMs)])
  expect(copyState().names).toEqual([...objects.keys()].slice(1))
  expect(conditions.get('backup_not_copied')).toBeNull()
})

test('a copy that is there is not sent again after a restart, and one of another size is', async () => {
  const { backUp, copy, objects, state } = world()
  objects.set(backUp(0), 8)
  await copy()
  expect(state.puts).toBe(0)
  objects.set(backUp(1), 7)
  await copy()
  expect(state.puts).toBe(1)
})

test('a failure is a condition, leaves the folder as it is, and is tried again after ten minutes', async () => {
  const { backUp, copy, objects, state, conditions, time, folder, copyState } = world()
  const name = backUp(0)
  state.broken = { put: refused }
  await copy()
  await copy()
  expect(state.puts).toBe(1)
  const problem = 'the server of BACKUP_S3_URL refused a request (HTTP 507, StorageFull)'
  expect(conditions.get('backup_not_copied')).toBe(`the last backup is in BACKUP_DIR only: ${problem}`)
  expect([readdirSync(folder), copyState().problem]).toEqual([[name], problem])
  state.broken = {}
  time.nowMs += 10 * minuteMs
  await copy()
  expect([objects.has(name), conditions.get('backup_not_copied'), copyState().problem]).toEqual([true, null, null])
})

test('a store that accepts a file and does not have it is a failure', async () => {
  const { backUp, copy, state, conditions } = world()
  backUp(0)
  state.loses = true
  await copy()
  expect(conditions.get('backup_not_copied')).toContain('does not list what it has accepted')
})

test('a key that must not delete is no failure, and the log says that old copies stay', async () => {
  const { backUp, copy, objects, state, conditions, logged } = world()
  state.broken = { remove: new BucketError('refused a request (HTTP 403, AccessDenied)', { isTransient: false }) }
  for (let day = 0; day < 3; day += 1) {
    backUp(day)
    await copy()
  }
  expect([objects.size, conditions.get('backup_not_copied')]).toEqual([3, null])
  expect(logged).toEqual(['old copies of backups not deleted'])
})

test('a copy that is ended by a stop is no failure', async () => {
  const { backUp, copy, state, conditions, controller } = world()
  backUp(0)
  state.broken = { put: new Error('aborted') }
  controller.abort()
  await copy()
  expect(conditions.has('backup_not_copied')).toBe(false)
})

test('a folder that is away is nothing to copy', async () => {
  const { copy, folder, state } = world()
  rmSync(folder, { recursive: true })
  await copy()
  expect(state.puts).toBe(0)
})
