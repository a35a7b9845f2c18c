import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { addUser, audited, isGood, login, usualPassword } from '../../support/accounts.ts'
import type { TestApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'

const minute = 60_000
const firefox = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0'

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
})
afterEach(() => nines.close())

const path = '/api/v1/auth/sessions'
const list = async (token: string) => (await nines.call('GET', path, undefined, { token })).body.sessions
const end = (id: unknown, token: string) => nines.call('DELETE', `${path}/${id}`, undefined, { token })
const endOthers = (token: string) => nines.call('POST', `${path}/end-others`, undefined, { token })
const refresh = (refresh_token: string, userAgent = 'test') =>
  nines.call('POST', '/api/v1/auth/refresh', { refresh_token }, { token: null, headers: { 'user-agent': userAgent } })

async function loginWith(userAgent: string) {
  const body = { email: 'ada@example.com', password: usualPassword }
  const headers = { 'user-agent': userAgent }
  return (await nines.call('POST', '/api/v1/auth/login', body, { token: null, headers })).body
}

describe('the list of sessions', () => {
  test('has device, address and times of each sign-in, the last used first', async () => {
    const signedInMs = nines.clock.now()
    const own = nines.token() ?? ''
    nines.clock.advance(5 * minute)
    const other = await loginWith(firefox)
    const at = (ms: number) => new Date(ms).toISOString()
    const sessions = await list(other.access_token)
    expect(sessions).toHaveLength(2)
    expect(sessions[0]).toEqual({
      id: expect.any(Number),
      device: 'Firefox on Windows',
      ip: 'unknown',
      created_at: at(signedInMs + 5 * minute),
      last_used_at: at(signedInMs + 5 * minute),
      expires_at: at(signedInMs + 5 * minute + 30 * 1440 * minute),
      is_current: true,
    })
    expect(sessions[1]).toMatchObject({ created_at: at(signedInMs), last_used_at: at(signedInMs), is_current: false })
    expect(await list(own)).toMatchObject([{ is_current: false }, { is_current: true }])
  })

  test('says within five minutes when a session was last used', async () => {
    const { access_token } = await loginWith(firefox)
    const signedInMs = nines.clock.now()
    const lastUse = async () => {
      await nines.app.tokens.drain()
      const session = (await list(access_token)).find(
        ({ device }: { device: string }) => device === 'Firefox on Windows',
      )
      return Date.parse(session.last_used_at) - signedInMs
    }
    nines.clock.advance(5 * minute - 1)
    await isGood(nines, access_token)
    expect(await lastUse()).toBe(0)
    nines.clock.advance(1)
    await isGood(nines, access_token)
    expect(await lastUse()).toBe(5 * minute)
  })

  test('has the device of the last refresh', async () => {
    const { refresh_token } = await loginWith('curl/8.14.1')
    const { access_token } = (await refresh(refresh_token, firefox)).body
    const devices = (await list(access_token)).map(({ device }: { device: string }) => device)
    expect(devices).toEqual(['Firefox on Windows', 'Unknown device'])
  })

  test('leaves out sessions that have ended, and those of others', async () => {
    const bob = await addUser(nines, 'bob', 'viewer')
    expect(await list(bob)).toHaveLength(1)
    nines.clock.advance(30 * 1440 * minute)
    const { access_token } = await loginWith(firefox)
    expect(await list(access_token)).toMatchObject([{ device: 'Firefox on Windows' }])
  })

  test('is for sessions alone', async () => {
    const { token } = (await nines.call('POST', '/api/v1/auth/tokens', { name: 'ci', role: 'admin' })).body
    expect((await nines.call('GET', path, undefined, { token })).status).toBe(403)
  })
})

describe('ending a session', () => {
  test('refuses its tokens at once, and is recorded', async () => {
    const other = await loginWith(firefox)
    const own = nines.token() ?? ''
    expect(await isGood(nines, other.access_token)).toBe(true)
    const [{ id }] = await list(own)
    expect((await end(id, own)).body).toEqual({ message: 'Session ended' })
    expect([await isGood(nines, other.access_token), await isGood(nines, own)]).toEqual([false, true])
    expect((await refresh(other.refresh_token)).status).toBe(401)
    expect((await end(id, own)).status).toBe(404)
    expect(await audited(nines, 'session_ended')).toEqual(['ada@example.com success'])
  })

  test('of a colleague is not found, for an administrator too', async () => {
    const bob = await addUser(nines, 'bob', 'viewer')
    const [{ id }] = await list(bob)
    expect((await end(id, nines.token() ?? '')).status).toBe(404)
    expect(await isGood(nines, bob)).toBe(true)
  })

  test('may be that of the request', async () => {
    const own = nines.token() ?? ''
    const [{ id }] = await list(own)
    expect((await end(id, own)).status).toBe(200)
    expect(await isGood(nines, own)).toBe(false)
  })
})

describe('more than 15 minutes after the sign-in', () => {
  const quarter = 15 * minute
  const refused = [403, 'sign_in_again']

  test('neither another session nor all others end, until after another sign-in', async () => {
    const own = nines.token() ?? ''
    const other = await loginWith(firefox)
    const [{ id }] = await list(own)
    nines.clock.advance(quarter + 1)
    const answers = [await end(id, own), await endOthers(own)]
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([refused, refused])
    expect(await isGood(nines, other.access_token)).toBe(true)
    expect(await audited(nines, 'session_ended')).toEqual([])
    const { access_token: recent } = await loginWith('curl/8.14.1')
    expect((await end(id, recent)).status).toBe(200)
    expect((await endOthers(recent)).body.ended).toBe(1)
  })

  test('the session of the request ends', async () => {
    const own = nines.token() ?? ''
    nines.clock.advance(quarter + 1)
    const [{ id }] = await list(own)
    expect((await end(id, own)).status).toBe(200)
  })

  test('an administrator ends the sessions of others, and not their own', async () => {
    await addUser(nines, 'bob', 'viewer')
    nines.clock.advance(quarter + 1)
    const endAll = (userId: number) => nines.call('DELETE', `/api/v1/organization/users/${userId}/sessions`)
    expect((await endAll(2)).body.ended).toBe(1)
    const { status, body } = await endAll(1)
    expect([status, body.code]).toEqual(refused)
  })
})

describe('a sign-in of a browser with the token of a session', () => {
  const inBrowser = { 'x-nines-session': 'cookie' }
  const withToken = (token: string, password = usualPassword, headers: Record<string, string> = inBrowser) =>
    nines.call('POST', '/api/v1/auth/login', { email: 'ada@example.com', password }, { token, headers })

  test('ends that session, and no other', async () => {
    const [own, other] = [nines.token() ?? '', await loginWith(firefox)]
    const { status, body } = await withToken(other.access_token)
    expect(status).toBe(200)
    expect(await isGood(nines, other.access_token)).toBe(false)
    expect((await refresh(other.refresh_token)).status).toBe(401)
    for (const token of [own, body.access_token]) expect(await isGood(nines, token)).toBe(true)
    expect(await audited(nines, 'session_ended')).toEqual(['ada@example.com success'])
  })

  test('of somebody else ends it too: it was that of the same browser', async () => {
    const bob = await addUser(nines, 'bob', 'viewer')
    expect((await withToken(bob)).status).toBe(200)
    expect(await isGood(nines, bob)).toBe(false)
  })

  test('ends nothing if it is that of another client', async () => {
    const { access_token } = await loginWith(firefox)
    expect((await withToken(access_token, usualPassword, {})).status).toBe(200)
    expect(await isGood(nines, access_token)).toBe(true)
  })

  test('that fails ends nothing', async () => {
    const own = nines.token() ?? ''
    expect((await withToken(own, 'wrong horse')).status).toBe(401)
    expect(await isGood(nines, own)).toBe(true)
  })

  test('succeeds with a token that is none, and leaves an API token as it is', async () => {
    const { token } = (await nines.call('POST', '/api/v1/auth/tokens', { name: 'ci', role: 'admin' })).body
    expect((await withToken('none')).status).toBe(200)
    expect((await withToken(token)).status).toBe(200)
    expect(await isGood(nines, token)).toBe(true)
  })
})

describe('ending all other sessions', () => {
  test('leaves that of the request, API tokens and colleagues', async () => {
    const own = nines.token() ?? ''
    const others = [(await login(nines, 'ada')).body, (await login(nines, 'ada')).body]
    const { token: machine } = (await nines.call('POST', '/api/v1/auth/tokens', { name: 'ci', role: 'admin' })).body
    const bob = await addUser(nines, 'bob', 'viewer')
    expect((await endOthers(own)).body).toEqual({ message: 'All other sessions have ended', ended: 2 })
    for (const { access_token, refresh_token } of others) {
      expect(await isGood(nines, access_token)).toBe(false)
      expect((await refresh(refresh_token)).status).toBe(401)
    }
    for (const token of [own, machine, bob]) expect(await isGood(nines, token)).toBe(true)
    expect(await audited(nines, 'session_ended')).toEqual(['ada@example.com success'])
  })

  test('records nothing where there is no other', async () => {
    expect((await endOthers(nines.token() ?? '')).body.ended).toBe(0)
    expect(await audited(nines, 'session_ended')).toEqual([])
  })
})

describe('with SESSION_IDLE_HOURS', () => {
  const hour = 60 * minute
  const idle = async () => joinedApp({ env: { SESSION_IDLE_HOURS: '2' } })

  test('a session that was not used for so long ends, with both tokens', async () => {
    await nines.close()
    nines = await idle()
    const { access_token, refresh_token } = await loginWith(firefox)
    nines.clock.advance(2 * hour)
    expect(await isGood(nines, access_token)).toBe(true)
    await nines.app.tokens.drain()
    nines.clock.advance(2 * hour + 1)
    expect(await isGood(nines, access_token)).toBe(false)
    expect((await refresh(refresh_token)).status).toBe(401)
    expect(await list((await loginWith(firefox)).access_token)).toHaveLength(1)
  })

  test('a session that is used goes on', async () => {
    await nines.close()
    nines = await idle()
    const { access_token, refresh_token } = await loginWith(firefox)
    for (let used = 0; used < 4; used += 1) {
      nines.clock.advance(hour + 54 * minute)
      expect(await isGood(nines, access_token)).toBe(true)
      await nines.app.tokens.drain()
    }
    expect((await refresh(refresh_token)).status).toBe(200)
  })
})
