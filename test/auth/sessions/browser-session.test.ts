import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp({ env: { PUBLIC_URL: 'https://nines.example/slo' } })
})
afterEach(() => nines.close())

const inCookie = { 'x-nines-session': 'cookie' }
const credentials = { email: 'ada@example.com', password: 'correct horse' }
const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  nines.call('POST', `/api/v1/auth/${path}`, body, { token: null, headers })
const cookieOf = (headers: Headers) => headers.get('set-cookie') ?? ''
const pairOf = (headers: Headers) => cookieOf(headers).split(';')[0] ?? ''
const refresh = (cookie: string, headers: Record<string, string> = {}) =>
  post('refresh', {}, { ...inCookie, cookie, ...headers })

describe('a browser', () => {
  test('gets its refresh token in a cookie that only the refresh path is sent, and no script reads', async () => {
    const { status, body, headers } = await post('login', credentials, inCookie)
    expect([status, body.refresh_token, typeof body.access_token]).toEqual([200, undefined, 'string'])
    expect(cookieOf(headers)).toMatch(
      /^nines_[0-9a-z]{12}=[\w-]{43}; Path=\/slo\/api\/v1\/auth\/refresh; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure$/,
    )
  })

  test('gets it so when it registers, too', async () => {
    const { status, body, headers } = await post(
      'register',
      { email: 'eve@example.com', name: 'Eve', password: 'another horse' },
      inCookie,
    )
    expect([status, body.refresh_token, cookieOf(headers).startsWith('nines_')]).toEqual([201, undefined, true])
  })

  test('refreshes by its cookie, and gets another one', async () => {
    const first = pairOf((await post('login', credentials, inCookie)).headers)
    const { status, body, headers } = await refresh(first)
    expect([status, body.refresh_token]).toEqual([200, undefined])
    expect(pairOf(headers)).not.toBe(first)
    expect((await nines.call('GET', '/api/v1/auth/me', undefined, { token: body.access_token })).status).toBe(200)
    expect((await refresh(pairOf(headers))).status).toBe(200)
  })

  test('with two tabs that send one cookie at once stays signed in, in both', async () => {
    const cookie = pairOf((await post('login', credentials, inCookie)).headers)
    const [one, other] = await Promise.all([refresh(cookie), refresh(cookie)])
    expect([one.status, other.status]).toEqual([200, 200])
    const cookies = [one, other].map(({ headers }) => pairOf(headers)).filter(Boolean)
    expect(cookies).toHaveLength(1)
    expect((await refresh(cookies[0] ?? '')).status).toBe(200)
  })

  test('whose cookie comes back later ends the session: it may have been stolen', async () => {
    const cookie = pairOf((await post('login', credentials, inCookie)).headers)
    const next = pairOf((await refresh(cookie)).headers)
    nines.clock.advance(10_001)
    expect((await refresh(cookie)).status).toBe(401)
    expect((await refresh(next)).status).toBe(401)
  })

  test('that signs out has no cookie left', async () => {
    const { body, headers } = await post('login', credentials, inCookie)
    const left = await nines.call('POST', '/api/v1/auth/logout', {}, { token: body.access_token, headers: inCookie })
    expect(cookieOf(left.headers)).toContain('=; Path=/slo/api/v1/auth/refresh; Max-Age=0')
    expect((await refresh(pairOf(headers))).status).toBe(401)
  })

  test.each([
    ['https://evil.example', 403],
    ['null', 403],
    ['https://nines.example', 200],
    ['http://localhost', 200],
  ])('refreshes for a page of the origin %p: %p', async (origin, status) => {
    const cookie = pairOf((await post('login', credentials, inCookie)).headers)
    expect((await refresh(cookie, { origin, host: 'localhost' })).status).toBe(status)
  })

  test('without a cookie, or with that of another instance, has no session', async () => {
    expect((await refresh('')).status).toBe(401)
    expect((await refresh('nines_aaaaaaaaaaaa=abc')).status).toBe(401)
  })
})

describe('a client of the API', () => {
  test('gets its refresh token in the answer, and no cookie', async () => {
    const { body, headers } = await post('login', credentials)
    expect([typeof body.refresh_token, headers.get('set-cookie')]).toEqual(['string', null])
    const refreshed = await post('refresh', { refresh_token: body.refresh_token })
    expect([refreshed.status, refreshed.headers.get('set-cookie')]).toEqual([200, null])
    expect((await post('refresh', { refresh_token: body.refresh_token })).status).toBe(401) // no grace period
  })

  test('is not let in by a cookie: a form of another page could send it', async () => {
    const cookie = pairOf((await post('login', credentials, inCookie)).headers)
    expect((await post('refresh', {}, { cookie })).status).toBe(400)
    const { status } = await nines.call('GET', '/api/v1/slos', undefined, { token: null, headers: { cookie } })
    expect(status).toBe(401)
  })
})
