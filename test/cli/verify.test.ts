import { afterEach, expect, test } from 'bun:test'
import { cpSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Database } from '../../src/db/sqlite.ts'
import { closeAll } from '../support/closing.ts'
import { closedFolder } from '../support/closed-folder.ts'
import { overwritePage, rootPage } from '../support/damage.ts'
import { command, newFolder, register, startNines } from '../support/process.ts'

afterEach(closeAll)

async function run(args: string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([...command, ...args], { cwd: newFolder(), env, stdout: 'pipe', stderr: 'pipe' })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

const inOrder = /^nines\.db: ok, .*\nsamples\.db: ok, .*\nschema: ok\nsecrets: ok\n$/

test('a folder in use and its backup are in order, and nothing stays in the temporary directory', async () => {
  const dataDir = newFolder()
  const nines = await startNines({ dataDir })
  const token = await register(nines, 'ada')
  const configuration = { webhook_url: 'http://127.0.0.1:9/x' }
  const webhook = { name: 'hook', channel_type: 'webhook', configuration }
  expect((await nines.call('POST', '/api/v1/notifications/channels', webhook, token)).status).toBe(201)
  expect(await run(['verify'], { DATA_DIR: dataDir })).toEqual({
    out: expect.stringMatching(inOrder),
    err: '',
    code: 0,
  })
  const file = join(newFolder(), 'nines.tar')
  expect((await run(['backup', file], { DATA_DIR: dataDir })).code).toBe(0)
  const TMPDIR = join(newFolder(), 'tmp')
  mkdirSync(TMPDIR)
  const verified = await run(['verify', file], { TMPDIR, BUN_TMPDIR: newFolder() })
  expect(verified).toEqual({ out: expect.stringMatching(inOrder), err: '', code: 0 })
  expect(readdirSync(TMPDIR)).toEqual([])

  writeFileSync(join(dataDir, 'seal.secret'), `${'0'.repeat(64)}\n`)
  const wrong = await run(['verify'], { DATA_DIR: dataDir })
  expect([wrong.code, wrong.out]).toEqual([1, expect.stringMatching(/^secrets: .*seal\.secret/m)])

  truncateSync(file, 20_000)
  const cut = await run(['verify', file])
  expect([cut.code, cut.err]).toEqual([1, expect.stringContaining('it is cut off')])
}, 60_000)

test('damage is exit code 1, with the table and what to do', async () => {
  const dataDir = await closedFolder()
  const path = join(dataDir, 'nines.db')
  overwritePage(path, rootPage(path, 'notification_attempts'))
  const { out, err, code } = await run(['verify'], { DATA_DIR: dataDir })
  expect([code, out]).toEqual([1, expect.stringContaining('nines.db: table notification_attempts: ')])
  expect(err).toBe(
    `nines: ${dataDir} is not in order: stop nines and restore the last backup with nines restore FILE into an empty folder\n`,
  )
})

test('a database of a newer nines is not in order for this one', async () => {
  const dataDir = await closedFolder()
  const db = new Database(join(dataDir, 'nines.db'))
  db.pragma('user_version = 99')
  db.close()
  const { out, code } = await run(['verify'], { DATA_DIR: dataDir })
  expect([code, out]).toEqual([1, expect.stringContaining('schema: version 99, and this nines knows ')])
})

test('a samples.db that is a copy of nines.db is not in order', async () => {
  const dataDir = await closedFolder()
  cpSync(join(dataDir, 'nines.db'), join(dataDir, 'samples.db'))
  const { out, code } = await run(['verify'], { DATA_DIR: dataDir })
  const problem = 'samples.db: it does not hold the samples of nines, but looks like a nines.db: restore a backup'
  expect([code, out]).toEqual([1, expect.stringContaining(problem)])
})

test.each([
  [['verify', 'a', 'b'], 2, 'verify takes one FILE, or none, got "a b"'],
  [['verify', '--all'], 2, 'verify takes one FILE, or none, got "--all"'],
  [['verify', '/none.tar'], 1, 'there is no file /none.tar'],
  [['verify'], 1, 'there is no nines.db in '],
])('%j is refused', async (args, code, problem) => {
  const result = await run(args)
  expect([result.code, result.err]).toEqual([code, expect.stringContaining(`nines: ${problem}`)])
})
