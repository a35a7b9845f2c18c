import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, rmSync, statSync, watch } from 'node:fs'
import { join } from 'node:path'
import { lockDataDir } from '../../src/db/data-folder/lock.ts'
import { openDatabase } from '../../src/db/open.ts'
import { openSeal } from '../../src/db/sealing/keys.ts'
import { Database } from '../../src/db/sqlite.ts'
import { insertSealed, problemsIn } from '../db/sealed-world.ts'
import { newDataDir, type TestApp, testApp } from '../support/app.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { command } from '../support/process.ts'

let dataDir: string
beforeEach(() => {
  dataDir = newDataDir()
  closeLater(() => rmSync(dataDir, { recursive: true, force: true }))
})
afterEach(closeAll)

function spawn(args: string[], env: Record<string, string> = {}) {
  const options = { env: { DATA_DIR: dataDir, ...env }, stdout: 'pipe', stderr: 'pipe' } as const
  const child = Bun.spawn([...command, 'rotate-secret', ...args], options)
  closeLater(() => child.kill('SIGKILL'))
  return child
}

/** Runs `nines rotate-secret …` and waits for its end. */
async function rotate(args: string[], env: Record<string, string> = {}) {
  const child = spawn(args, env)
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

const secret = (name: string) => readFileSync(join(dataDir, name), 'utf8')
const modeOf = (name: string) => (statSync(join(dataDir, name)).mode & 0o777).toString(8)

/** Opens nines on the data folder, runs the work, and closes it. */
async function served<T>(work: (nines: TestApp) => Promise<T>): Promise<T> {
  const nines = await testApp({ dataDir })
  const result = await work(nines)
  await nines.app.close()
  return result
}

const account = { email: 'ada@example.com', name: 'Ada', password: 'correct horse', organization_name: 'Acme' }
const register = () =>
  served(async ({ call }) => (await call('POST', '/api/v1/auth/register', account, { token: null })).body)

describe('rotate-secret jwt', () => {
  test('ends access tokens, and lets sessions go on', async () => {
    const { access_token: token, refresh_token } = await register()
    const before = secret('jwt.secret')
    const { out, err, code } = await rotate(['jwt'])
    expect([err, code]).toEqual(['', 0])
    expect(out).toStartWith('jwt.secret is new\naccess tokens issued so far are invalid')
    expect([secret('jwt.secret') === before, modeOf('jwt.secret')]).toEqual([false, '600'])
    await served(async ({ call }) => {
      expect((await call('GET', '/api/v1/slos', undefined, { token })).status).toBe(401)
      const refreshed = await call('POST', '/api/v1/auth/refresh', { refresh_token }, { token: null })
      expect(refreshed.status).toBe(200)
      expect((await call('GET', '/api/v1/slos', undefined, { token: refreshed.body.access_token })).status).toBe(200)
    })
  })

  test('says that JWT_SECRET is what to change where it is set, and changes nothing', async () => {
    await register()
    const before = secret('jwt.secret')
    const { out, err, code } = await rotate(['jwt'], { JWT_SECRET: 'x'.repeat(32) })
    expect([out, code]).toEqual(['', 1])
    expect(err).toBe(
      'nines: JWT_SECRET is set, and jwt.secret is not used: change the setting and restart nines instead\n',
    )
    expect(secret('jwt.secret')).toBe(before)
  })
})

describe('rotate-secret seal', () => {
  const sources = '/api/v1/tsdb/sources'

  test('seals stored credentials again, and everybody stays signed in', async () => {
    const { access_token: token } = await register()
    const auth = { bearer: { token: 'sesame' } }
    const source = { name: 'a', api_url: 'http://127.0.0.1:1', auth }
    await served(({ call }) => call('POST', sources, source, { token }))
    const before = secret('seal.secret')
    const { out, err, code } = await rotate(['seal'])
    expect([err, code]).toEqual(['', 0])
    expect(out).toStartWith('seal.secret is new, and 1 stored credentials are sealed with it\nbackups made so far')
    expect([secret('seal.secret') === before, modeOf('seal.secret')]).toEqual([false, '600'])
    await served(async ({ call, app }) => {
      expect((await call('GET', `${sources}/1`, undefined, { token })).body.auth).toEqual({
        bearer: { token: '********' },
      })
      const row = await app.db.read.selectFrom('data_sources').selectAll().executeTakeFirstOrThrow()
      const plain = app.seal.unseal(row.sealed_auth ?? '', 'data_sources.sealed_auth', row)
      expect(JSON.parse(plain)).toEqual(auth)
    })
    expect(readdirSync(dataDir).filter((name) => name.startsWith('seal.secret'))).toEqual(['seal.secret'])
  })

  test('killed whenever the folder changes leaves one that opens, with every value in it', async () => {
    await openDatabase({ dataDir }).close()
    const { seal } = openSeal(dataDir)
    const db = new Database(join(dataDir, 'nines.db'))
    insertSealed(db, seal.seal)
    db.close()
    const rotated: boolean[] = []
    for (let changes = 1; rotated.length < 40; changes += 1) {
      const before = secret('seal.secret')
      let seen = 0
      const child = spawn(['seal'])
      const watcher = watch(dataDir, () => {
        seen += 1
        if (seen >= changes) child.kill('SIGKILL')
      })
      const code = await child.exited
      watcher.close()
      const opened = openSeal(dataDir)
      expect(problemsIn(dataDir, opened.seal)).toEqual([])
      rotated.push(secret('seal.secret') !== before)
      const wasKilled = rotated.includes(false)
      if (code === 0 && wasKilled) break
      if (code === 0) changes = 0 // it finished before the test saw its first change: try again
    }
    expect([rotated.includes(false), rotated.at(-1)]).toEqual([true, true])
    expect(readdirSync(dataDir).filter((name) => name.startsWith('seal.secret'))).toEqual(['seal.secret'])
  }, 120_000)
})

test.each(['jwt', 'seal'])('rotating %s while the server runs is refused, with what to do', async (which) => {
  await register()
  const before = [secret('jwt.secret'), secret('seal.secret')]
  const lock = lockDataDir(dataDir)
  expect(await rotate([which])).toEqual({
    out: '',
    err: `nines: the data folder ${dataDir} is in use by another nines; stop it for as long as the rotation takes\n`,
    code: 1,
  })
  lock.release()
  expect([secret('jwt.secret'), secret('seal.secret')]).toEqual(before)
})

test('a folder that nines was not started in has nothing to rotate, and stays empty', async () => {
  const { err, code } = await rotate(['seal'])
  expect([err, code]).toEqual([`nines: no nines has been started in ${dataDir} yet; start it and register first\n`, 1])
  expect(readdirSync(dataDir)).toEqual([])
})

test.each([[[]], [['all']], [['jwt', 'seal']]])('%j is no secret to rotate', async (args) => {
  const { err, code } = await rotate(args)
  expect([err.split('\n')[0], code]).toEqual(['nines: rotate-secret takes jwt or seal: which secret to replace', 2])
})
