import { afterEach, expect, test } from 'bun:test'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { WriteBackup } from '../../src/app/backups/scheduled-backups.ts'
import { recordBackup } from '../../src/db/backup/last-backup.ts'
import { type TestApp, testApp, testStartMs } from '../support/app.ts'
import { newFolder } from '../support/process.ts'
import { rulesOf } from '../support/rules-of.ts'

let nines: TestApp
afterEach(() => nines.close())

const read = (token?: string) => nines.call('GET', '/api/v1/backups', undefined, token === undefined ? {} : { token })
const start = (token?: string) => nines.call('POST', '/api/v1/backups', undefined, token === undefined ? {} : { token })

/** An organization, and backups that a test ends with their problem, or null. */
async function world(env: Record<string, string> = {}) {
  const folder = newFolder()
  let end = Promise.withResolvers<string | null>()
  const writeBackup: WriteBackup = async (file) => {
    const problem = await end.promise
    end = Promise.withResolvers()
    if (problem !== null) return problem
    writeFileSync(file, 'a backup')
    recordBackup(nines.dataDir, nines.clock.now())
    return null
  }
  nines = await testApp({ env: { BACKUP_DIR: folder, ...env }, writeBackup })
  await nines.join('ada')
  return {
    folder,
    async end(problem: string | null) {
      end.resolve(problem)
      while ((await read()).body.is_running) await Bun.sleep(0)
    },
  }
}

test('an administrator begins a backup, and reads its outcome and when the next one is due', async () => {
  const { end } = await world({ BACKUP_SCHEDULE: '15 2 * * *' })
  const begun = await start()
  expect([begun.status, begun.body]).toEqual([
    202,
    {
      has_folder: true,
      schedule: '15 2 * * *',
      next_at: '2026-11-21T10:00:00.000Z', // now: there is none yet
      is_running: true,
      problem: null,
      last_attempt: null,
      bucket: null,
      backups: [],
    },
  ])
  const second = await start()
  expect([second.status, rulesOf(second.body)]).toEqual([409, 'wait until it is complete'])
  await end(null)
  expect((await read()).body).toMatchObject({
    next_at: '2026-11-22T02:15:00.000Z',
    is_running: false,
    last_attempt: { at: new Date(testStartMs).toISOString(), problem: null },
    backups: [
      {
        name: 'nines-20261121T100000Z.tar.zst',
        created_at: '2026-11-21T10:00:00.000Z',
        size_bytes: 8,
        in_bucket: null,
      },
    ],
  })
})

test('a backup that fails leaves its problem, and the condition', async () => {
  const { end } = await world()
  await start()
  await end('there is no space left')
  const { body } = await read()
  expect([body.last_attempt.problem, body.backups, body.schedule, body.next_at]).toEqual([
    'there is no space left',
    [],
    null,
    null,
  ])
  expect(nines.app.conditions.list().map(({ name }) => name)).toEqual(['backup_failed'])
})

test('without a folder none begins, and the answer says which setting lacks', async () => {
  nines = await testApp()
  await nines.join('ada')
  expect((await read()).body).toMatchObject({ has_folder: false, backups: [] })
  const { status, body } = await start()
  expect([status, rulesOf(body)]).toEqual([409, 'set BACKUP_DIR, and restart nines'])
})

test('a folder that cannot be read is named', async () => {
  const { folder } = await world()
  rmSync(folder, { recursive: true })
  symlinkSync(folder, folder)
  expect((await read()).body.problem).toStartWith(`${folder} cannot be read: ELOOP`)
})

test('administrators of other organizations neither read nor begin backups', async () => {
  await world()
  const token = await nines.join('eve')
  expect([(await read(token)).status, (await start(token)).status]).toEqual([403, 403])
  expect((await read()).body.is_running).toBe(false)
})
