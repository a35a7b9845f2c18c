import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { addUser, audited, isGood, login } from '../../support/accounts.ts'
import { openSession } from '../../../src/auth/sessions/sessions.ts'
import type { TestApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'

const day = 86_400_000

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
})
afterEach(() => nines.close())

const refresh = (refresh_token: unknown) =>
  nines.call('POST', '/api/v1/auth/refresh', { refresh_token }, { token: null })
const logout = (token: string) => nines.call('POST', '/api/v1/auth/logout', undefined, { token })
const refused = {
  success: false,
  error: 'Invalid refresh token',
  details: 'refresh_token: unknown, expired or already used',
  problems: [{ field: 'refresh_token', message: 'unknown, expired or already used', code: 'unknown', params: {} }],
}
const sessions = () => nines.app.db.read.selectFrom('sessions').selectAll().orderBy('id').execute()

test('of the sessions of a user the 100 that were last used stay; the others end at once', async () => {
  const first = (await login(nines, 'ada')).body
  const second = (await login(nines, 'ada')).body
  const { app } = nines
  const user = await app.db.read.selectFrom('users').selectAll().executeTakeFirstOrThrow()
  nines.clock.advance(1000)
  const refreshed = (await refresh(first.refresh_token)).body
  expect(await isGood(nines, second.access_token)).toBe(true)
  for (let number = 0; number < 99; number += 1) await openSession(app, user)
  expect(await sessions()).toHaveLength(100)
  expect([await isGood(nines, second.access_token), await isGood(nines, refreshed.access_token)]).toEqual([false, true])
})

test('a sign-in by a provider opens a session that stays, also beside 100 sessions that end later', async () => {
  const { app } = nines
  const user = await app.db.read.selectFrom('users').selectAll().executeTakeFirstOrThrow()
  for (let number = 0; number < 100; number += 1) await openSession(app, user)
  nines.clock.advance(1000)
  const { access_token } = await openSession(app, user, { external: { idToken: null } })
  expect(await sessions()).toHaveLength(100)
  expect(await isGood(nines, access_token)).toBe(true)
})

test('a session remembers the last 500 of its refresh tokens', async () => {
  let { refresh_token } = (await login(nines, 'ada')).body
  const tokens = [refresh_token]
  for (let number = 0; number < 502; number += 1) {
    nines.clock.advance(1)
    refresh_token = (await refresh(refresh_token)).body.refresh_token
    tokens.push(refresh_token)
  }
  const { id = 0 } = (await sessions()).at(-1) ?? {}
  const kept = nines.app.db.read.selectFrom('refresh_tokens').select('hash').where('session_id', '=', id)
  expect(await kept.execute()).toHaveLength(500)
  expect((await refresh(tokens[0])).status).toBe(401)
  expect((await refresh(refresh_token)).status).toBe(200)
})

describe('refresh', () => {
  test('answers with a new pair, and both access tokens are good', async () => {
    const { body: first } = await login(nines, 'ada')
    nines.clock.advance(3_600_000)
    const { status, body: second } = await refresh(first.refresh_token)
    expect(status).toBe(200)
    expect(second).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'Bearer',
      expires_at: new Date(nines.clock.now() + 8 * 3_600_000).toISOString(),
      user: first.user,
    })
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect([await isGood(nines, first.access_token), await isGood(nines, second.access_token)]).toEqual([true, true])
    expect(await audited(nines, 'token_refresh')).toEqual(['ada@example.com success'])
  })

  test('within the same second gives another access token, and the one before stays good', async () => {
    const { body: first } = await login(nines, 'ada')
    const { body: second } = await refresh(first.refresh_token)
    const { body: third } = await refresh(second.refresh_token)
    const tokens = [first, second, third].map(({ access_token }) => access_token)
    expect(new Set(tokens).size).toBe(3)
    for (const token of tokens) expect(await isGood(nines, token)).toBe(true)
  })

  test('shows the user as they are now', async () => {
    const { body } = await login(nines, 'ada')
    await nines.app.db.write.updateTable('users').set({ role: 'viewer', name: 'Countess' }).execute()
    expect((await refresh(body.refresh_token)).body.user).toMatchObject({ role: 'viewer', name: 'Countess' })
  })

  test('gives the session 30 days from then', async () => {
    const { body } = await login(nines, 'ada')
    nines.clock.advance(30 * day - 1)
    const next = await refresh(body.refresh_token)
    expect(next.status).toBe(200)
    nines.clock.advance(30 * day - 1)
    expect((await refresh(next.body.refresh_token)).status).toBe(200)
  })

  test('does not extend a session past its whole lifetime, for either token', async () => {
    let { body } = await login(nines, 'ada')
    for (let days = 29; days < 90; days += 29) {
      nines.clock.advance(29 * day)
      body = (await refresh(body.refresh_token)).body
    }
    nines.clock.advance(3 * day - 3_600_000)
    body = (await refresh(body.refresh_token)).body
    expect(await isGood(nines, body.access_token)).toBe(true)
    nines.clock.advance(3_600_000)
    expect(await isGood(nines, body.access_token)).toBe(false)
    expect((await refresh(body.refresh_token)).body).toEqual(refused)
  })

  test('is refused 30 days after the last one', async () => {
    const { body } = await login(nines, 'ada')
    nines.clock.advance(30 * day)
    const { status, body: answer } = await refresh(body.refresh_token)
    expect([status, answer]).toEqual([401, refused])
  })

  test('with a used token ends the session, its refresh token and its access tokens, and no other', async () => {
    const { body: first } = await login(nines, 'ada')
    const { body: other } = await login(nines, 'ada')
    const { body: second } = await refresh(first.refresh_token)
    expect(await isGood(nines, second.access_token)).toBe(true)

    const { status, body } = await refresh(first.refresh_token)
    expect([status, body]).toEqual([401, refused])
    expect([await isGood(nines, first.access_token), await isGood(nines, second.access_token)]).toEqual([false, false])
    expect((await refresh(second.refresh_token)).status).toBe(401)
    expect(await isGood(nines, other.access_token)).toBe(true)
    expect((await refresh(other.refresh_token)).status).toBe(200)
    const audit = ['success', 'failure', 'success'].map((outcome) => `ada@example.com ${outcome}`)
    expect(await audited(nines, 'token_refresh')).toEqual(audit)
  })

  test('of one token many times at once leaves nobody with a session', async () => {
    const { body } = await login(nines, 'ada')
    const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(body.refresh_token)))
    const winners = answers.filter(({ status }) => status === 200)
    expect(winners).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(4)
    expect(await isGood(nines, winners[0]?.body.access_token)).toBe(false)
    expect((await refresh(winners[0]?.body.refresh_token)).status).toBe(401)
  })

  test('for a removed user is 404; with a token they had used, 401', async () => {
    await addUser(nines, 'bob', 'member')
    const { body: first } = await login(nines, 'bob')
    const { body: second } = await refresh(first.refresh_token)
    await nines.app.db.write.deleteFrom('users').where('email', '=', 'bob@example.com').execute()
    const gone = await refresh(second.refresh_token)
    expect([gone.status, gone.body]).toEqual([404, { success: false, error: 'User not found' }])
    expect((await refresh(first.refresh_token)).status).toBe(401)
    nines.clock.advance(30 * day)
    expect((await refresh(second.refresh_token)).status).toBe(401)
  })

  test.each([
    ['an unknown token', 'x'.repeat(43), 401],
    ['no token', undefined, 400],
    ['an empty token', '', 400],
    ['a number', 7, 400],
    ['a huge token', 'x'.repeat(1001), 400],
  ])('with %s is refused', async (_, token, status) => {
    const before = await sessions()
    expect((await refresh(token)).status).toBe(status)
    expect(await sessions()).toEqual(before)
  })

  test('does not take an access token for a refresh token', async () => {
    const { body } = await login(nines, 'ada')
    expect((await refresh(body.access_token)).status).toBe(401)
    expect(await isGood(nines, body.access_token)).toBe(true)
  })

  test('tokens are stored as hashes only', async () => {
    const { body } = await login(nines, 'ada')
    const { body: next } = await refresh(body.refresh_token)
    const stored = JSON.stringify(await nines.app.db.read.selectFrom('refresh_tokens').selectAll().execute())
    for (const token of [body.refresh_token, next.refresh_token]) expect(stored).not.toContain(token)
  })
})

test('an access token that outlives its session is refused once the session has ended, though it was seen before', async () => {
  const long = await joinedApp({ env: { JWT_EXPIRATION: '31536000' } })
  const token = long.token() ?? ''
  expect(await isGood(long, token)).toBe(true)
  long.clock.advance(30 * day - 1)
  expect(await isGood(long, token)).toBe(true)
  long.clock.advance(1)
  expect(await isGood(long, token)).toBe(false)
  await long.close()
})

test('a token response says when the access token is no longer good: with its session at the latest', async () => {
  const long = await joinedApp({ env: { JWT_EXPIRATION: '31536000' } })
  const ends = (days: number) => new Date(long.clock.now() + days * day).toISOString()
  let { body } = await login(long, 'ada')
  expect(body.expires_at).toBe(ends(30))
  for (const left of [30, 30, 3]) {
    long.clock.advance(29 * day)
    body = (await long.call('POST', '/api/v1/auth/refresh', { refresh_token: body.refresh_token })).body
    expect(body.expires_at).toBe(ends(left))
  }
  long.clock.advance(3 * day - 1)
  expect(await isGood(long, body.access_token)).toBe(true)
  long.clock.advance(1)
  expect(await isGood(long, body.access_token)).toBe(false)
  await long.close()
})

describe('logout', () => {
  test('ends this session at once, and no other', async () => {
    const { body: here } = await login(nines, 'ada')
    const { body: there } = await login(nines, 'ada')
    expect(await isGood(nines, here.access_token)).toBe(true)
    const { status, body } = await logout(here.access_token)
    expect([status, body]).toEqual([200, { message: 'Signed out' }])
    expect(await isGood(nines, here.access_token)).toBe(false)
    expect((await refresh(here.refresh_token)).status).toBe(401)
    expect((await logout(here.access_token)).status).toBe(401)
    expect(await isGood(nines, there.access_token)).toBe(true)
    expect(await audited(nines, 'logout')).toEqual(['ada@example.com success'])
  })

  test('ends access tokens from before a refresh too', async () => {
    const { body: first } = await login(nines, 'ada')
    const { body: second } = await refresh(first.refresh_token)
    await logout(second.access_token)
    expect(await isGood(nines, first.access_token)).toBe(false)
  })

  test('is open to a viewer', async () => {
    expect((await logout(await addUser(nines, 'bob', 'viewer'))).status).toBe(200)
  })
})
