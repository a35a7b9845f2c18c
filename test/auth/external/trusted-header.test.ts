import { afterEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../support/app.ts'

let nines: TestApp
let base: string
afterEach(() => nines.close())

const settings = {
  TRUSTED_HEADER_USER: 'Remote-User',
  TRUSTED_HEADER_EMAIL: 'Remote-Email',
  TRUSTED_HEADER_NAME: 'Remote-Name',
  TRUSTED_HEADER_GROUPS: 'Remote-Groups',
  OIDC_ROLE_MAP: 'admins=admin,dev=member',
}
const ada = {
  'remote-user': 'ada',
  'remote-email': 'ada@example.com',
  'remote-name': 'Ada',
  'remote-groups': 'dev, admins',
}

async function start(env: Record<string, string> = {}) {
  nines = await testApp({ env: { TRUST_PROXY: '127.0.0.1', ...settings, ...env } })
  base = nines.listen()
}

async function login(headers: Record<string, string>) {
  const response = await fetch(`${base}/api/v1/auth/proxy-login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{}',
  })
  // oxlint-disable-next-line typescript/no-explicit-any -- an answer is assessed by what a test expects of it
  const body: any = await response.json()
  return { status: response.status, headers: response.headers, body }
}

const me = (token: string) => nines.call('GET', '/api/v1/auth/me', undefined, { token })

describe('a trusted header', () => {
  test('from the proxy signs its user in for 12 hours, with the role of the groups', async () => {
    await start()
    const { status, body } = await login(ada)
    expect([status, body.user.email, body.user.name, body.user.role]).toEqual([200, 'ada@example.com', 'Ada', 'admin'])
    expect((await me(body.access_token)).status).toBe(200)
    const renewed = await login({ ...ada, 'remote-groups': 'dev' })
    expect([renewed.body.user.id, renewed.body.user.role]).toEqual([body.user.id, 'member'])
    nines.clock.advance(12 * 3_600_000)
    const { status: refreshed } = await nines.call(
      'POST',
      '/api/v1/auth/refresh',
      { refresh_token: body.refresh_token },
      { token: null },
    )
    expect(refreshed).toBe(401)
  })

  test('gives a browser its refresh token in a cookie', async () => {
    await start()
    const { body, headers } = await login({ ...ada, 'x-nines-session': 'cookie' })
    expect(body.refresh_token).toBeUndefined()
    expect(headers.get('set-cookie')).toMatch(/^nines_.*HttpOnly; SameSite=Strict$/)
  })

  test('from elsewhere is ignored, and a condition says so for an hour', async () => {
    await start({ TRUST_PROXY: '192.0.2.1' })
    const { status, body } = await login({ ...ada, 'x-forwarded-for': '192.0.2.1' })
    expect([status, body.error]).toEqual([403, 'The header is trusted only from the proxy'])
    expect(await nines.app.db.read.selectFrom('users').selectAll().execute()).toEqual([])
    await nines.app.selfMonitoring.watch()
    expect(nines.app.conditions.list()).toMatchObject([{ name: 'trusted_header_ignored' }])
    nines.clock.advance(3_600_000)
    await nines.app.selfMonitoring.watch()
    expect(nines.app.conditions.list()).toEqual([])
  })

  test('means nothing at any other route', async () => {
    await start()
    const { body } = await login(ada)
    for (const headers of [ada, { ...ada, authorization: 'Bearer nines_x' }]) {
      expect((await fetch(`${base}/api/v1/auth/me`, { headers })).status).toBe(401)
    }
    const made = await nines.call(
      'POST',
      '/api/v1/auth/tokens',
      { name: 'CI', role: 'viewer' },
      { token: body.access_token },
    )
    const other = await fetch(`${base}/api/v1/auth/me`, {
      headers: { ...ada, 'remote-user': 'eve', authorization: `Bearer ${made.body.token}` },
    })
    expect(await other.json()).toMatchObject({ email: 'ada@example.com' })
  })

  test('takes access from a user whose groups have no role any more', async () => {
    await start()
    const { body } = await login(ada)
    const { status, body: refused } = await login({ ...ada, 'remote-groups': 'guests' })
    expect([status, refused.details]).toEqual([403, expect.stringContaining('ask the administrator of the proxy')])
    expect((await me(body.access_token)).status).toBe(401)
    expect(nines.logged.join('')).toContain('the header TRUSTED_HEADER_GROUPS: guests')
  })

  test('with another user name and the address of an account that is linked is refused', async () => {
    await start()
    await login(ada)
    const { status, body } = await login({ ...ada, 'remote-user': 'eve' })
    expect([status, body.details]).toEqual([403, expect.stringContaining('belongs to another user of the proxy')])
    const subjects = nines.app.db.read.selectFrom('external_identities').select('subject')
    expect(await subjects.execute()).toEqual([{ subject: 'ada' }])
    expect((await login({ ...ada, 'remote-email': 'lovelace@example.com' })).status).toBe(200)
  })

  test('that is missing, or names nobody with an address, is refused with what to ask of whom', async () => {
    await start({ TRUSTED_HEADER_EMAIL: '' })
    expect((await login({})).body).toMatchObject({
      error: 'The proxy did not say who you are',
      details: expect.stringContaining('remote-user'),
    })
    expect((await login(ada)).body.details).toContain('did not say your e-mail address')
    expect((await login({ ...ada, 'remote-user': 'ada@example.com' })).status).toBe(200)
  })

  test('without the setting is off', async () => {
    await start({ TRUSTED_HEADER_USER: '' })
    expect((await login(ada)).body).toMatchObject({ error: 'Sign-in by a proxy is off' })
  })
})
