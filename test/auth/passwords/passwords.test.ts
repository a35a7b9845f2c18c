import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { addUser, audited, isGood, login, usualPassword } from '../../support/accounts.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { lastAudit } from '../../support/people.ts'

let nines: TestApp
let ada: string
beforeEach(async () => {
  nines = await testApp()
  ada = await nines.join('ada')
})
afterEach(() => nines.close())

const wanted = { current_password: usualPassword, new_password: 'battery staple' }
const change = (token: string, body: unknown = wanted) =>
  nines.call('POST', '/api/v1/auth/change-password', body, { token })

describe('changing the password', () => {
  test('makes the new one good and the old one useless', async () => {
    const { status, body } = await change(ada)
    expect([status, body]).toEqual([
      200,
      {
        message:
          'Password changed; all other sessions have ended. API tokens stay: send revoke_tokens to revoke them too',
      },
    ])
    expect((await login(nines, 'ada', wanted.new_password)).status).toBe(200)
    expect((await login(nines, 'ada')).status).toBe(401)
    expect(await audited(nines, 'password_change')).toEqual(['ada@example.com success'])
  })

  test('ends all other sessions of the user at once, and nobody else’s', async () => {
    const bob = await addUser(nines, 'bob', 'member')
    const { body: other } = await login(nines, 'ada')
    expect(await isGood(nines, other.access_token)).toBe(true)
    await change(ada)
    expect([await isGood(nines, ada), await isGood(nines, bob)]).toEqual([true, true])
    expect(await isGood(nines, other.access_token)).toBe(false)
    const again = { refresh_token: other.refresh_token }
    expect((await nines.call('POST', '/api/v1/auth/refresh', again, { token: null })).status).toBe(401)
  })

  test('revokes API tokens at once where that is requested', async () => {
    const machine = async () =>
      (await nines.call('POST', '/api/v1/auth/tokens', { name: 'ci', role: 'viewer' }, { token: ada })).body.token
    const token = await machine()
    expect(await isGood(nines, token)).toBe(true)
    const { body } = await change(ada, { ...wanted, revoke_tokens: true })
    expect(body).toEqual({ message: 'Password changed; all other sessions have ended. API tokens are revoked' })
    expect(await lastAudit(nines)).toMatchObject({ event: 'password_change', details: { api_tokens_revoked: 1 } })
    expect([await isGood(nines, token), await isGood(nines, await machine())]).toEqual([false, true])
  })

  test('takes back resets that were mailed', async () => {
    await nines.call('POST', '/api/v1/auth/password-reset-request', { email: 'ada@example.com' }, { token: null })
    await change(ada)
    const open = nines.app.db.read.selectFrom('password_resets').where('used_at', 'is', null).selectAll()
    expect(await open.execute()).toEqual([])
  })

  test('with a wrong current password is refused like a failed login, and nothing has happened', async () => {
    const { body: other } = await login(nines, 'ada')
    const { status, body, headers } = await change(ada, { ...wanted, current_password: 'incorrect horse' })
    expect([status, body]).toEqual([401, { success: false, error: 'Invalid credentials' }])
    expect(headers.get('www-authenticate')).toBeNull()
    expect([await isGood(nines, ada), await isGood(nines, other.access_token)]).toEqual([true, true])
    expect((await login(nines, 'ada')).status).toBe(200)
    expect(await audited(nines, 'password_change')).toEqual(['ada@example.com failure'])
  })

  test('cannot be used to guess the current one', async () => {
    const guess = () => change(ada, { ...wanted, current_password: 'incorrect horse' })
    for (let tries = 0; tries < 10; tries += 1) expect((await guess()).status).toBe(401)
    expect((await change(ada)).status).toBe(429)
    nines.clock.advance(15 * 60_000)
    expect((await change(ada)).status).toBe(200)
  })

  test('twice at the same time happens once', async () => {
    const { body: other } = await login(nines, 'ada')
    const answers = await Promise.all([
      change(ada),
      change(other.access_token, { ...wanted, new_password: 'another one' }),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401])
    expect([await isGood(nines, ada), await isGood(nines, other.access_token)].toSorted()).toEqual([false, true])
  })

  test.each([
    ['a short one', { new_password: '1234567' }, 'new_password: must be a password of 8 to 256 characters'],
    ['a long one', { new_password: 'x'.repeat(257) }, 'new_password: must be a password of 8 to 256 characters'],
    ['the e-mail', { new_password: 'ADA@example.com' }, 'new_password: must not be the e-mail'],
    ['a common one', { new_password: 'trustno1' }, 'new_password: must not be one of the 10,000 most common passwords'],
    [
      'a part of the e-mail with digits',
      { new_password: 'Ada-2026!' },
      'new_password: must not be a part of the e-mail or the word nines with digits and punctuation',
    ],
    [
      'the name of the program with digits',
      { new_password: 'nines12345' },
      'new_password: must not be a part of the e-mail or the word nines with digits and punctuation',
    ],
    ['none', { new_password: undefined }, 'new_password: is required: a password of 8 to 256 characters'],
    ['no current one', { current_password: undefined }, 'current_password: is required: the current password'],
  ])('to %s is refused', async (_, difference, details) => {
    const { status, body } = await change(ada, { ...wanted, ...difference })
    expect([status, body]).toEqual([
      400,
      { success: false, error: 'Invalid request', details, problems: expect.any(Array) },
    ])
    expect((await login(nines, 'ada')).status).toBe(200)
  })

  test('is open to a viewer', async () => {
    expect((await change(await addUser(nines, 'bob', 'viewer'))).status).toBe(200)
  })
})

test('a login whose password changes while it is checked opens no session, and is no failed guess', async () => {
  const { db, passwords } = nines.app
  const rows = (table: 'sessions' | 'login_attempts') => db.read.selectFrom(table).selectAll().execute()
  const before = await rows('sessions')
  const other = await passwords.hash('battery staple')
  const { matches } = passwords
  using _ = spyOn(passwords, 'matches').mockImplementation(async (...asked) => {
    const matched = await matches(...asked)
    await db.write.updateTable('users').set({ password_hash: other }).execute()
    return matched
  })
  expect((await login(nines, 'ada')).status).toBe(401)
  expect([await rows('sessions'), await rows('login_attempts')]).toEqual([before, []])
})
