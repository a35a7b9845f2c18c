import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { addUser, audited, isGood, login } from '../../support/accounts.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { lastAudit } from '../../support/people.ts'
import { setUpFactor } from '../../support/second-factor.ts'
import { type MailServer, startMailServer } from '../../support/mail-server.ts'

const minute = 60_000
const uuid = /[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/

let post: MailServer
beforeAll(async () => {
  post = await startMailServer()
})
afterAll(() => post.close())

let nines: TestApp
let ada: string
beforeEach(async () => {
  post.mails.length = 0
  nines = await testApp({
    env: { SMTP_URL: post.url, PUBLIC_URL: 'https://nines.example/', MAIL_FROM: 'slo@nines.example' },
  })
  ada = await nines.join('ada')
})
afterEach(() => nines.close())

const call = (path: string, body: unknown) => nines.call('POST', `/api/v1/auth/${path}`, body, { token: null })
const request = (email: unknown = 'ada@example.com') => call('password-reset-request', { email })
const confirm = (token: unknown, new_password: unknown = 'battery staple') =>
  call('password-reset-confirm', { token, new_password })
const answered = { message: 'If this e-mail has an account, a mail is on its way to it' }
const refused = {
  success: false,
  error: 'Invalid reset token',
  details: 'token: unknown, expired or already used',
  problems: [{ field: 'token', message: 'unknown, expired or already used', code: 'unknown', params: {} }],
}

/** Requests a password reset and returns the token from the mail. */
async function mailedToken(): Promise<string> {
  await request()
  await nines.app.mailer.drain()
  return uuid.exec(post.mails.at(-1)?.text ?? '')?.[0] ?? 'no mail'
}

describe('asking for a reset', () => {
  test.each(['password-reset-request', 'password-reset/request'])(
    'at %s sends one mail to the account',
    async (path) => {
      const { status, body } = await call(path, { email: ' ADA@example.com ' })
      expect([status, body]).toEqual([200, answered])
      await nines.app.mailer.drain()
      expect(post.mails).toMatchObject([{ to: ['ada@example.com'], user: 'nines', secure: true }])
      const [mail] = post.mails
      const token = uuid.exec(mail?.text ?? '')?.[0]
      expect(mail?.text).toContain(`https://nines.example/reset-password?token=${token}\r\n`)
      expect(mail?.text).toContain(`asked for it: ${token}\r\n`)
      expect(mail?.header).toMatch(/^From: slo@nines\.example\r$/m)
      expect(await audited(nines, 'password_reset_request')).toEqual(['ada@example.com success'])
    },
  )

  test('for an e-mail nobody has answers the same, and sends nothing', async () => {
    const known = await request()
    const unknown = await request('nobody@example.com')
    await nines.app.mailer.drain()
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text])
    expect([...unknown.headers.keys()]).toEqual([...known.headers.keys()])
    expect(post.mails).toHaveLength(1)
    expect(await nines.app.db.read.selectFrom('password_resets').select('user_id').execute()).toHaveLength(2)
  })

  test('sends three mails an hour at most, and answers the same', async () => {
    for (let times = 0; times < 5; times += 1) {
      const { status, body } = await request()
      expect([status, body]).toEqual([200, answered])
    }
    await nines.app.mailer.drain()
    expect(post.mails).toHaveLength(3)
    nines.clock.advance(60 * minute)
    await request()
    await nines.app.mailer.drain()
    expect(post.mails).toHaveLength(4)
  })

  test('many times at once sends three mails all the same', async () => {
    await Promise.all(Array.from({ length: 8 }, () => request()))
    await nines.app.mailer.drain()
    expect(post.mails).toHaveLength(3)
  })

  test('mails nothing that the user wrote but the address', async () => {
    await nines.app.db.write.updateTable('users').set({ name: 'Win at https://evil.example' }).execute()
    await mailedToken()
    expect(post.mails[0]?.text).not.toContain('evil')
  })

  test.each([[undefined], [7], ['x'.repeat(255)]])('for %p is refused', async (email) => {
    expect((await call('password-reset-request', { email })).status).toBe(400)
    expect(await nines.app.db.read.selectFrom('password_resets').selectAll().execute()).toEqual([])
  })

  test.each(['a@b.c\r\nBcc: evil@x.y', '', 'x'])(
    'for %j, which is no address, answers the same and sends nothing',
    async (email) => {
      const { status, body } = await request(email)
      expect([status, body]).toEqual([200, answered])
      await nines.app.mailer.drain()
      expect(post.mails).toEqual([])
    },
  )

  test('the token is stored as a hash only, and never logged', async () => {
    const token = await mailedToken()
    expect(JSON.stringify(await nines.app.db.read.selectFrom('password_resets').selectAll().execute())).not.toContain(
      token,
    )
    expect(JSON.stringify(await nines.app.db.read.selectFrom('audit_log').selectAll().execute())).not.toContain(token)
    expect(nines.logged.join('')).not.toContain(token)
  })
})

const changed =
  'Password changed; all sessions have ended, API tokens are revoked, and applications have no access any more'

describe('confirming a reset', () => {
  test('revokes the API tokens of the user at once, and nobody else’s; mail and audit log say so', async () => {
    const machineOf = async (token: string) =>
      (await nines.call('POST', '/api/v1/auth/tokens', { name: 'ci', role: 'viewer' }, { token })).body.token
    const tokens = [await machineOf(ada), await machineOf(ada), await machineOf(await addUser(nines, 'bob', 'member'))]
    for (const token of tokens) expect(await isGood(nines, token)).toBe(true)
    await confirm(await mailedToken())
    expect(await Promise.all(tokens.map((token) => isGood(nines, token)))).toEqual([false, false, true])
    expect(await lastAudit(nines)).toMatchObject({ event: 'password_reset', details: { api_tokens_revoked: 2 } })
    expect(post.mails.at(-1)?.text).toContain('revokes your API tokens')
  })

  test.each(['password-reset-confirm', 'password-reset/confirm'])('at %s replaces the password', async (path) => {
    const { status, body } = await call(path, { token: await mailedToken(), new_password: 'battery staple' })
    expect([status, body]).toEqual([200, { message: changed }])
    expect((await login(nines, 'ada', 'battery staple')).status).toBe(200)
    expect((await login(nines, 'ada')).status).toBe(401)
    expect(await audited(nines, 'password_reset')).toEqual(['ada@example.com success'])
  })

  test('ends all sessions of the user at once, and nobody else’s', async () => {
    const bob = await addUser(nines, 'bob', 'member')
    const { body } = await login(nines, 'ada')
    expect(await isGood(nines, ada)).toBe(true)
    await confirm(await mailedToken())
    expect(await Promise.all([ada, body.access_token, bob].map((token) => isGood(nines, token)))).toEqual([
      false,
      false,
      true,
    ])
    expect((await call('refresh', { refresh_token: body.refresh_token })).status).toBe(401)
  })

  test('of an address that was not confirmed removes the second factor, which somebody else may have set up', async () => {
    await setUpFactor(nines, ada)
    await nines.app.db.write.updateTable('users').set({ email_confirmed_at: null }).execute()
    await confirm(await mailedToken())
    expect((await login(nines, 'ada', 'battery staple')).status).toBe(200)
    for (const table of ['second_factors', 'recovery_codes'] as const) {
      expect(await nines.app.db.read.selectFrom(table).selectAll().execute()).toEqual([])
    }
    expect(await audited(nines, 'second_factor_disabled')).toEqual(['ada@example.com success'])
    await nines.app.mailer.drain()
    expect(post.mails.find(({ text }) => text.includes('has no second factor any more'))?.to).toEqual([
      'ada@example.com',
    ])
  })

  test('of a confirmed address keeps the second factor', async () => {
    await setUpFactor(nines, ada)
    await confirm(await mailedToken())
    expect(await login(nines, 'ada', 'battery staple')).toMatchObject({ status: 401, body: { code: 'mfa_required' } })
    expect(await audited(nines, 'second_factor_disabled')).toEqual([])
  })

  test('works once', async () => {
    const token = await mailedToken()
    await confirm(token)
    const { status, body } = await confirm(token, 'yet another one')
    expect([status, body]).toEqual([401, refused])
    expect((await login(nines, 'ada', 'battery staple')).status).toBe(200)
    expect(await audited(nines, 'password_reset')).toEqual(['ada@example.com success', 'ada@example.com failure'])
  })

  test('many times at once works once', async () => {
    const token = await mailedToken()
    const answers = await Promise.all(
      ['first one', 'second one', 'third one'].map((password) => confirm(token, password)),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401])
  })

  test('takes back the other resets of the user', async () => {
    const [first, second] = [await mailedToken(), await mailedToken()]
    expect((await confirm(second)).status).toBe(200)
    expect((await confirm(first)).status).toBe(401)
  })

  test('works for an hour', async () => {
    const [first, second] = [await mailedToken(), await mailedToken()]
    nines.clock.advance(60 * minute - 1)
    expect((await confirm(first, 'ada@example.com')).status).toBe(400)
    expect((await confirm(first)).status).toBe(200)
    nines.clock.advance(1)
    expect((await confirm(second)).status).toBe(401)
  })

  test('an hour later has no effect', async () => {
    const token = await mailedToken()
    nines.clock.advance(60 * minute)
    const { status, body } = await confirm(token)
    expect([status, body]).toEqual([401, refused])
    expect((await login(nines, 'ada')).status).toBe(200)
  })

  test('lets a user in who has failed too often', async () => {
    const attempt = { email_key: 'ada@example.com', ip: '192.0.2.1', attempted_at: nines.clock.now() }
    await nines.app.db.write
      .insertInto('login_attempts')
      .values(Array.from({ length: 10 }, () => attempt))
      .execute()
    await nines.app.db.write.deleteFrom('known_networks').execute() // like a login from an unknown network
    expect((await login(nines, 'ada')).status).toBe(429)
    await confirm(await mailedToken())
    expect((await login(nines, 'ada', 'battery staple')).status).toBe(200)
  })

  test('does not take the token of a reset that was made for nobody', async () => {
    await request('nobody@example.com')
    const { hash } = await nines.app.db.read.selectFrom('password_resets').select('hash').executeTakeFirstOrThrow()
    expect((await confirm(hash)).status).toBe(401)
  })

  test.each([
    ['a short password', 'password', { new_password: '1234567' }, 400],
    ['the e-mail as password', 'password', { new_password: 'ADA@example.com' }, 400],
    ['no password', 'password', { new_password: undefined }, 400],
    ['no token', 'token', { token: undefined }, 400],
    ['an unknown token', 'token', { token: crypto.randomUUID() }, 401],
    ['no UUID', 'token', { token: "' OR 1=1 --" }, 401],
  ])('with %s is refused, and the token stays good', async (_, field, difference, status) => {
    const token = await mailedToken()
    const answer = await call('password-reset-confirm', { token, new_password: 'battery staple', ...difference })
    expect([answer.status, answer.body.details]).toEqual([status, expect.stringContaining(field)])
    expect((await login(nines, 'ada')).status).toBe(200)
    expect((await confirm(token)).status).toBe(200)
  })
})

test('without a mail server a reset is logged as undeliverable, without the token', async () => {
  const alone = await testApp()
  await alone.join('ada')
  const answer = await alone.call('POST', '/api/v1/auth/password-reset-request', { email: 'ada@example.com' })
  expect([answer.status, answer.body]).toEqual([200, answered])
  await alone.app.mailer.drain()
  const lines = alone.logged.filter((line) => line.includes('mail not sent'))
  expect(lines).toHaveLength(1)
  expect(lines[0]).not.toMatch(uuid)
  await alone.close()
})
