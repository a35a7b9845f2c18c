import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clearTokenCacheIfChanged } from '../../../src/jobs/prune.ts'
import { Database } from '../../../src/db/sqlite.ts'
import { addUser, isGood, login } from '../../support/accounts.ts'
import { newDataDir, type TestApp, testApp } from '../../support/app.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { setUpFactor } from '../../support/second-factor.ts'
import { command, newFolder, register, startNines } from '../../support/process.ts'

afterEach(closeAll)

const uuid = /[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/

type Given = { dataDir: string; stdin?: string; env?: Record<string, string> }

/** Runs `nines admin …` and waits for its end. */
async function admin(args: string[], { dataDir, stdin, env = {} }: Given) {
  const child = Bun.spawn([...command, 'admin', ...args], {
    env: { DATA_DIR: dataDir, ...env },
    stdin: stdin === undefined ? 'ignore' : Buffer.from(stdin),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  closeLater(() => child.kill('SIGKILL'))
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

describe('beside a running nines', () => {
  let nines: TestApp
  let ada: string
  beforeEach(async () => {
    // the command uses the machine's clock
    nines = await testApp({ startMs: Date.now() })
    ada = await nines.join('ada')
    clearTokenCacheIfChanged(nines.app)
  })
  afterEach(() => nines.close())

  const run = (args: string[], given: Omit<Given, 'dataDir'> = {}) => admin(args, { dataDir: nines.dataDir, ...given })
  const confirm = (token: string) =>
    nines.call(
      'POST',
      '/api/v1/auth/password-reset-confirm',
      { token, new_password: 'battery staple' },
      { token: null },
    )
  const audit = (event: string) =>
    nines.app.db.read
      .selectFrom('audit_log')
      .select(['email', 'outcome', 'ip', 'user_agent', 'details'])
      .where('event', '=', event)
      .execute()

  test('disable-mfa removes a second factor, which the audit log has', async () => {
    await setUpFactor(nines)
    expect((await login(nines, 'ada')).body.code).toBe('mfa_required')
    const { out, err, code } = await run(['disable-mfa', 'ADA@example.com'])
    expect([out, err, code]).toEqual([
      'ada@example.com has no second factor any more, and signs in with the password alone\n',
      '',
      0,
    ])
    expect((await login(nines, 'ada')).status).toBe(200)
    expect(await audit('second_factor_disabled')).toEqual([
      {
        email: 'ada@example.com',
        outcome: 'success',
        ip: 'local',
        user_agent: 'nines admin disable-mfa',
        details: '{"by":"operator"}',
      },
    ])
    expect((await run(['disable-mfa', 'ada@example.com'])).out).toContain('had no second factor')
    expect((await run(['disable-mfa', 'nobody@example.com'])).code).toBe(1)
  })

  test('a link that reset-password prints sets a password once, for an hour', async () => {
    const { out, err, code } = await run(['reset-password', 'ADA@example.com'], {
      env: { PUBLIC_URL: 'https://nines.example' },
    })
    expect([err, code]).toEqual(['', 0])
    const token = uuid.exec(out)?.[0] ?? 'no token'
    expect(out).toContain(`\nhttps://nines.example/reset-password?token=${token}\n`)
    expect(await isGood(nines, ada)).toBe(true)
    expect((await confirm(token)).status).toBe(200)
    expect((await confirm(token)).status).toBe(401)
    expect(await isGood(nines, ada)).toBe(false)
    expect((await login(nines, 'ada', 'battery staple')).status).toBe(200)
    const late = uuid.exec((await run(['reset-password', 'ada@example.com'])).out)?.[0] ?? 'no token'
    nines.clock.advance(3_700_000)
    expect((await confirm(late)).status).toBe(401)
    const [first] = await audit('password_reset_request')
    expect(first).toEqual({
      email: 'ada@example.com',
      outcome: 'success',
      ip: 'local',
      user_agent: 'nines admin reset-password',
      details: '{"by":"operator"}',
    })
  })

  test('a password from stdin is set at once, and ends what the account had', async () => {
    const bob = await addUser(nines, 'bob', 'member')
    const made = await nines.call('POST', '/api/v1/auth/tokens', { name: 'ci', role: 'viewer' })
    const apiToken = made.body.token
    const attempt = { email_key: 'ada@example.com', ip: '192.0.2.1', attempted_at: nines.clock.now() }
    await nines.app.db.write
      .insertInto('login_attempts')
      .values(Array.from({ length: 10 }, () => attempt))
      .execute()
    await nines.app.db.write.deleteFrom('known_networks').execute() // like a login from an unknown network
    expect((await login(nines, 'ada')).status).toBe(429)
    expect([await isGood(nines, ada), await isGood(nines, apiToken)]).toEqual([true, true])

    const { out, err, code } = await run(['reset-password', 'ada@example.com', '--password-stdin'], {
      stdin: 'battery staple\n',
    })
    expect([err, code]).toEqual(['', 0])
    expect(out).toStartWith('the password of ada@example.com is new; all sessions of the user end')
    clearTokenCacheIfChanged(nines.app)
    expect([await isGood(nines, ada), await isGood(nines, apiToken)]).toEqual([false, false])
    expect(await isGood(nines, bob)).toBe(true)
    expect((await login(nines, 'ada', 'battery staple')).status).toBe(200)
    expect((await login(nines, 'ada')).status).toBe(401)
    expect((await audit('password_reset')).map(({ details }) => details)).toEqual([
      '{"by":"operator","api_tokens_revoked":1}',
    ])
  })

  test.each([
    ['1234567\n', 'the password on stdin must have 8 to 256 characters'],
    ['', 'the password on stdin must have 8 to 256 characters'],
    ['battery\nstaple\n', 'the password on stdin must be one line'],
    ['ADA@example.com\n', 'Invalid request: password: must not be the e-mail'],
  ])('%j from stdin is refused, and nothing changes', async (stdin, reason) => {
    const { out, err, code } = await run(['reset-password', 'ada@example.com', '--password-stdin'], { stdin })
    expect([out, err, code]).toEqual(['', `nines: ${reason}\n`, 1])
    expect((await login(nines, 'ada')).status).toBe(200)
  })

  test('an e-mail that nobody has is named', async () => {
    const { out, err, code } = await run(['reset-password', 'eve@example.com'])
    expect([out, code]).toEqual(['', 1])
    expect(err).toBe('nines: there is no account with the e-mail "eve@example.com"; nines admin list shows all\n')
  })

  test('list shows every account, and what is in its name does nothing to the terminal', async () => {
    await addUser(nines, 'bob', 'member')
    await login(nines, 'bob')
    await nines.app.db.write
      .updateTable('users')
      .set({ name: 'Bob\u001b[2J', email_confirmed_at: null })
      .where('email', '=', 'bob@example.com')
      .execute()
    const { out, err, code } = await run(['list'])
    expect([err, code]).toEqual(['', 0])
    const rows = out.split('\n').map((line) => line.split(/ {2,}/))
    expect(rows).toEqual([
      ['E-MAIL', 'NAME', 'ORGANIZATION', 'ROLE', 'CONFIRMED', 'LAST LOGIN'],
      ['ada@example.com', 'ada', '1 (ada Inc)', 'admin', 'yes', '-'],
      ['bob@example.com', 'Bob?[2J', '1 (ada Inc)', 'member', 'no', expect.stringMatching(/^\d{4}-.*Z$/)],
      [''],
    ])
    expect(JSON.parse((await run(['list', '--json'])).out)).toMatchObject([
      { id: 1, email: 'ada@example.com', role: 'admin', organization: { id: 1, name: 'ada Inc' }, last_login_at: null },
      { id: 2, name: 'Bob\u001b[2J', email_confirmed: false, last_login_at: expect.any(String) },
    ])
  })
})

test('a running process refuses the access tokens of a password that was replaced, within seconds', async () => {
  const dataDir = newFolder()
  const nines = await startNines({ dataDir, env: { SOURCE_URL: '' } })
  const token = await register(nines, 'ada')
  expect((await nines.call('GET', '/api/v1/auth/me', undefined, token)).status).toBe(200)
  const { code } = await admin(['reset-password', 'ada@example.com', '--password-stdin'], {
    dataDir,
    stdin: 'battery staple',
  })
  expect(code).toBe(0)
  const deadline = performance.now() + 15_000
  while ((await nines.call('GET', '/api/v1/auth/me', undefined, token)).status !== 401) {
    if (performance.now() > deadline) throw new Error('the access token is still good')
    await Bun.sleep(100)
  }
  const credentials = { email: 'ada@example.com', password: 'battery staple' }
  expect((await nines.call('POST', '/api/v1/auth/login', credentials)).status).toBe(200)
})

describe('a data folder', () => {
  let dataDir: string
  beforeEach(() => {
    dataDir = newDataDir()
    closeLater(() => rmSync(dataDir, { recursive: true, force: true }))
  })

  test('of a stopped nines is worked on too', async () => {
    const nines = await testApp({ dataDir })
    await nines.join('ada')
    await nines.app.close()
    const files = readdirSync(dataDir).toSorted()
    const { out, code } = await admin(['list'], { dataDir })
    expect([code, out.includes('ada@example.com')]).toEqual([0, true])
    expect(readdirSync(dataDir).toSorted()).toEqual(files)
  })

  test('without a database is named, and stays empty', async () => {
    const { err, code } = await admin(['list'], { dataDir })
    expect([err, code]).toEqual([`nines: there is no nines.db in ${dataDir}; set DATA_DIR\n`, 1])
    expect(readdirSync(dataDir)).toEqual([])
  })

  test('with a damaged database is said to be damaged, and what to do', async () => {
    writeFileSync(join(dataDir, 'nines.db'), 'x'.repeat(8192))
    const { err, code } = await admin(['reset-password', 'ada@example.com'], { dataDir })
    expect(code).toBe(1)
    expect(err).toMatch(
      /^nines: \S+nines\.db is damaged: .*; stop nines and restore the last backup with nines restore FILE\n$/,
    )
  })

  test('of another version is left as it is', async () => {
    const file = new Database(join(dataDir, 'nines.db'))
    file.pragma('user_version = 3')
    file.close()
    const { err, code } = await admin(['list'], { dataDir })
    expect([err, code]).toEqual([expect.stringContaining('has schema version 3, and this nines '), 1])
  })
})

test.each([
  [[], 'admin takes list, reset-password or disable-mfa, got nothing'],
  [['lost'], 'admin takes list, reset-password or disable-mfa, got "lost"'],
  [['list', 'more'], 'admin list takes no arguments but --json'],
  [['reset-password'], 'admin reset-password takes one EMAIL, got none'],
  [['reset-password', 'a', 'hunter2'], 'admin reset-password takes one EMAIL, got 2'],
  [['reset-password', 'a', '--now'], "Unknown option '--now'"],
  [['disable-mfa'], 'admin disable-mfa takes one EMAIL, got none'],
])('admin %j is a mistake in the command line', async (args, mistake) => {
  const { err, code } = await admin(args, { dataDir: '/nonexistent' })
  expect([err, code]).toEqual([expect.stringContaining(`nines: ${mistake}\nusage: nines admin `), 2])
  expect(err).not.toContain('hunter2')
})
