import { afterEach, describe, expect, test } from 'bun:test'
import { addUser } from '../../support/accounts.ts'
import { oidcWorld, type OidcWorld } from '../../support/oidc-world.ts'
import { ada, type Page, type Tampering, unsigned } from '../../support/test-provider.ts'

let nines: OidcWorld
afterEach(() => nines.close())

const grace = { ...ada, sub: 'grace', email: 'grace@example.com', name: 'Grace Hopper', groups: ['sre'] }
const users = () => nines.app.db.read.selectFrom('users').selectAll().orderBy('id').execute()
const sessions = () => nines.app.db.read.selectFrom('sessions').selectAll().execute()

/** Refused, without an account or a session; the log has a line with these words. */
async function expectRefused(page: Page, status: number, logged: string) {
  expect([page.status, page.location]).toEqual([status, ''])
  expect(page.text).toContain('<h1>')
  expect(await sessions()).toEqual([])
  expect(nines.logged.join('')).toContain(logged)
}

describe('a sign-in by the provider', () => {
  test('opens a session of 12 hours, whose tokens stand in no address', async () => {
    nines = await oidcWorld()
    const page = await nines.signIn(ada)
    expect([page.status, page.text]).toEqual([303, ''])
    expect(page.location).toBe(`${nines.base}/login?next=%2Fslos%2Fnew#signed-in`)
    expect(page.cookies).toEqual([
      expect.stringMatching(/^nines_\w+=[\w-]{43}; Path=\/api\/v1\/auth\/refresh; .*HttpOnly/),
    ])
    const { status, body } = await nines.refresh()
    expect([status, body.refresh_token, body.user.email, body.user.role]).toEqual([200, undefined, ada.email, 'admin'])
    expect(await users()).toMatchObject([
      { name: 'Ada Lovelace', password_hash: '', email_confirmed_at: expect.anything() },
    ])
    nines.clock.advance(12 * 3_600_000 - 1000)
    expect((await nines.refresh()).status).toBe(200)
    nines.clock.advance(1000)
    expect((await nines.refresh()).status).toBe(401)
  })

  test('goes on to a path of nines alone', async () => {
    nines = await oidcWorld()
    nines.provider.person = ada
    for (const next of ['//evil.example', '/\\evil.example', 'https://evil.example/', '/a b', '/a\r\nb']) {
      const { location } = await nines.open(await nines.toCallback(next))
      expect(location).toBe(`${nines.base}/login?next=%2F#signed-in`)
    }
  })

  test('finds the same account again, by the subject and not by the address', async () => {
    nines = await oidcWorld()
    await nines.signIn(ada)
    await nines.signIn({ ...ada, email: 'lovelace@example.com' })
    expect(await users()).toMatchObject([{ email: 'ada@example.com' }])
    expect(await sessions()).toHaveLength(2)
  })

  test('asks the userinfo endpoint where the ID token has no address and no groups', async () => {
    nines = await oidcWorld({}, { keepsIdTokenShort: true })
    await nines.signIn(ada)
    expect(nines.provider.asked).toContain('/me')
    expect((await nines.refresh()).body.user).toMatchObject({ email: ada.email, role: 'admin' })
  })

  test('reads roles by a dotted path', async () => {
    nines = await oidcWorld({ OIDC_ROLE_CLAIM: 'realm_access.roles' })
    await nines.signIn({ ...ada, groups: undefined, realm_access: { roles: ['offline_access', 'sre-leads'] } })
    expect((await nines.refresh()).body.user.role).toBe('admin')
  })

  test('sends neither code, state nor tokens to the log, and stores no secret of the client', async () => {
    nines = await oidcWorld()
    nines.provider.person = ada
    const callback = await nines.toCallback()
    await nines.open(callback)
    const logged = nines.logged.join('')
    for (const name of ['code', 'state']) expect(logged).not.toContain(callback.searchParams.get(name) ?? 'none')
    expect(logged).not.toContain(nines.provider.env['OIDC_CLIENT_SECRET'] ?? '')
  })

  test('asks with PKCE, state and nonce', async () => {
    nines = await oidcWorld()
    const { status, location, cookies } = await nines.open(`${nines.base}/auth/oidc/start`)
    const { searchParams, origin } = new URL(location)
    expect([status, origin]).toEqual([303, nines.provider.issuer])
    expect(Object.fromEntries(searchParams)).toEqual({
      redirect_uri: `${nines.base}/auth/oidc/callback`,
      scope: 'openid profile email groups',
      client_id: 'nines',
      response_type: 'code',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(cookies).toEqual([expect.stringMatching(/; Path=\/auth\/oidc; Max-Age=600; HttpOnly; SameSite=Lax$/)])
  })
})

describe('refused', () => {
  const hour = 3600
  const seconds = () => Math.floor(Date.now() / 1000)
  test.each<[string, Tampering, string]>([
    ['a wrong issuer', { claims: (claims) => ({ ...claims, iss: 'https://evil.example' }) }, 'iss'],
    ['a wrong audience', { claims: (claims) => ({ ...claims, aud: 'another' }) }, 'aud'],
    ['a wrong nonce', { claims: (claims) => ({ ...claims, nonce: 'another' }) }, 'nonce'],
    ['no nonce', { claims: (claims) => ({ ...claims, nonce: undefined }) }, 'nonce'],
    ['an expired ID token', { claims: (claims) => ({ ...claims, exp: seconds() - hour }) }, 'exp'],
    ['an ID token of the future', { claims: (claims) => ({ ...claims, iat: seconds() + 60 }) }, 'iat'],
    ['an empty subject', { claims: (claims) => ({ ...claims, sub: '' }) }, 'sub'],
    ['no subject', { claims: (claims) => ({ ...claims, sub: undefined }) }, 'sub'],
    ['the algorithm none', { idToken: unsigned }, 'alg'],
    [
      'the algorithm none, although the provider lists it',
      {
        idToken: unsigned,
        discovery: (metadata) => ({ ...metadata, id_token_signing_alg_values_supported: ['none', 'RS256'] }),
      },
      'alg',
    ],
    ['a signature of another key', { idToken: (token) => `${token.slice(0, -8)}AAAAAAAA` }, 'signature'],
  ])('%s', async (_, tampering, reason) => {
    nines = await oidcWorld()
    nines.provider.tampering = tampering
    await expectRefused(await nines.signIn(ada), 403, reason)
    expect(await users()).toEqual([])
  })

  test('a discovery document of another issuer', async () => {
    nines = await oidcWorld()
    nines.provider.tampering = { discovery: (metadata) => ({ ...metadata, issuer: 'https://evil.example' }) }
    await expectRefused(await nines.open(`${nines.base}/auth/oidc/start`), 503, 'issuer')
  })

  test.each([
    ['a state that was used', (url: URL) => url],
    ['another state', (url: URL) => changedUrl(url, 'state', 'another')],
    ['the answer of another issuer (RFC 9207)', (url: URL) => changedUrl(url, 'iss', 'https://evil.example')],
    ['an answer without its issuer', (url: URL) => changedUrl(url, 'iss', null)],
  ] as const)('%s', async (name, change) => {
    nines = await oidcWorld()
    nines.provider.person = ada
    const callback = await nines.toCallback()
    if (name === 'a state that was used') {
      await nines.open(callback)
      await nines.app.db.write.deleteFrom('sessions').execute()
    }
    const page = await nines.open(change(callback))
    await expectRefused(page, 403, '')
    expect(page.cookies).toEqual([])
  })

  test('the answer in another browser than the one that began', async () => {
    nines = await oidcWorld()
    nines.provider.person = ada
    const callback = await nines.toCallback()
    nines.forget()
    const page = await nines.open(callback)
    expect([page.status, page.cookies]).toEqual([403, []])
    expect(page.text).toContain('began in another browser')
  })

  test('an answer after ten minutes', async () => {
    nines = await oidcWorld()
    nines.provider.person = ada
    const callback = await nines.toCallback()
    nines.clock.advance(600_000)
    expect((await nines.open(callback)).status).toBe(403)
  })

  test('a person whom the provider refuses, with its word as text', async () => {
    nines = await oidcWorld()
    const callback = await nines.toCallback().then((url) => changedUrl(url, 'code', null))
    callback.searchParams.set('error', 'access_denied')
    callback.searchParams.set('error_description', '<script>')
    const page = await nines.open(callback)
    expect([page.status, page.cookies]).toEqual([403, []])
    expect(page.text).toContain('access_denied (&lt;script&gt;)')
  })
})

function changedUrl(url: URL, name: string, value: string | null): URL {
  const changed = new URL(url)
  if (value === null) changed.searchParams.delete(name)
  else changed.searchParams.set(name, value)
  return changed
}

describe('a provider', () => {
  test('may replace its keys at any time', async () => {
    nines = await oidcWorld()
    await nines.signIn(ada)
    nines.provider.rotateKey()
    expect((await nines.signIn(ada)).status).toBe(303)
  })

  test('may be away at the start: nines works, and signs in once it is back', async () => {
    nines = await oidcWorld()
    nines.provider.isAway = true
    await nines.join('eve')
    expect((await nines.call('GET', '/api/v1/auth/me')).status).toBe(200)
    const page = await nines.open(`${nines.base}/auth/oidc/start`)
    expect(page.status).toBe(503)
    expect(page.text).toContain('Example ID does not answer')
    nines.provider.isAway = false
    expect((await nines.signIn(grace)).status).toBe(303)
  })

  test('may go away in the middle: the person is asked to try again, and can', async () => {
    nines = await oidcWorld()
    nines.provider.person = ada
    const callback = await nines.toCallback()
    nines.provider.isAway = true
    await expectRefused(await nines.open(callback), 503, 'sign-in by the provider failed')
    nines.provider.isAway = false
    expect((await nines.signIn(ada)).status).toBe(303)
  })

  test('is asked for its discovery document once an hour, whose last one serves while it is away', async () => {
    nines = await oidcWorld()
    const reads = () => nines.provider.asked.filter((path) => path.startsWith('/.well-known/')).length
    const start = () => nines.open(`${nines.base}/auth/oidc/start`)
    await start()
    await start()
    expect(reads()).toBe(1)
    nines.clock.advance(3_600_000)
    nines.provider.isAway = true
    expect((await start()).status).toBe(303)
    expect(nines.logged.join('')).toContain('discovery of the OpenID provider failed')
    nines.provider.isAway = false
    await start()
    expect(reads()).toBe(2)
  })

  test('signs its people out too', async () => {
    nines = await oidcWorld()
    await nines.signIn(ada)
    const { access_token: token } = (await nines.refresh()).body
    const { body } = await nines.call('POST', '/api/v1/auth/logout', {}, { token })
    const url = new URL(body.provider_logout_url)
    expect(url.origin + url.pathname).toBe(`${nines.provider.issuer}/session/end`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'nines',
      post_logout_redirect_uri: `${nines.base}/login`,
      id_token_hint: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    })
    expect(await sessions()).toEqual([])
  })
})

describe('accounts', () => {
  test('the first one needs the role admin', async () => {
    nines = await oidcWorld()
    const page = await nines.signIn(grace)
    await expectRefused(page, 403, 'must have the role admin')
    expect(page.text).toContain('OIDC_ROLE_MAP must give you the role admin')
    await nines.signIn(ada)
    await nines.signIn(grace)
    expect(await users()).toMatchObject([
      { email: ada.email, role: 'admin', organization_id: 1 },
      { email: grace.email, role: 'member', organization_id: 1 },
    ])
  })

  test('roles are renewed at each sign-in, also for tokens that are out', async () => {
    nines = await oidcWorld()
    await nines.signIn(ada)
    await nines.signIn(grace)
    const { access_token: token } = (await nines.refresh()).body
    await nines.signIn({ ...grace, groups: ['everyone'] })
    expect((await nines.call('GET', '/api/v1/auth/me', undefined, { token })).body.role).toBe('viewer')
    await nines.signIn({ ...grace, groups: ['everyone', 'sre-leads'] })
    expect((await nines.call('GET', '/api/v1/auth/me', undefined, { token })).body.role).toBe('admin')
  })

  test('who is in no group any more loses sessions, API tokens and password', async () => {
    nines = await oidcWorld()
    await nines.signIn(ada)
    await nines.signIn(grace)
    const { access_token: token } = (await nines.refresh()).body
    const made = await nines.call('POST', '/api/v1/auth/tokens', { name: 'CI', role: 'member' }, { token })
    expect(made.status).toBe(201)
    const page = await nines.signIn({ ...grace, groups: [] })
    expect([page.status, page.cookies]).toEqual([403, []])
    expect(page.text).toContain('ask the administrator of Example ID to add you to a group of nines')
    for (const ended of [token, made.body.token]) {
      expect((await nines.call('GET', '/api/v1/auth/me', undefined, { token: ended })).status).toBe(401)
    }
    expect((await nines.refresh()).status).toBe(401)
    expect(nines.logged.join('')).toContain('the claim groups has no group')
    await nines.call('POST', '/api/v1/auth/password-reset-request', { email: grace.email }, { token: null })
    const resets = nines.app.db.read.selectFrom('password_resets').select('user_id')
    expect(await resets.execute()).toEqual([{ user_id: null }])
  })

  test('one with the address is linked if both sides have verified it', async () => {
    nines = await oidcWorld()
    await nines.join('ada')
    await nines.signIn(ada)
    expect(await users()).toHaveLength(1)
    const { access_token: token } = (await nines.refresh()).body
    const { body } = await nines.call('GET', '/api/v1/audit-log?event=identity_linked', undefined, { token })
    expect(body.entries).toMatchObject([{ details: { issuer: nines.provider.issuer, subject: ada.sub } }])
  })

  test.each([false, undefined, 'no'])('one with the address is not linked with email_verified %p', async (verified) => {
    nines = await oidcWorld()
    await nines.join('ada')
    const page = await nines.signIn({ ...ada, email_verified: verified })
    expect([page.status, page.cookies]).toEqual([403, []])
    expect(page.text).toContain('has not verified that the address is yours')
    expect(await nines.app.db.read.selectFrom('external_identities').selectAll().execute()).toEqual([])
  })

  test('one that never confirmed the address has to give it up to who reads its mailbox', async () => {
    nines = await oidcWorld()
    await nines.join('ada')
    await addUser(nines, 'grace', 'member')
    await nines.app.db.write
      .updateTable('users')
      .set({ email_confirmed_at: null })
      .where('email_key', '=', grace.email)
      .execute()
    await nines.signIn(grace)
    expect(await users()).toHaveLength(3)
    expect((await nines.refresh()).body.user).toMatchObject({ id: 3, email: grace.email })
  })

  test('an unverified address of nobody gets an account whose address is not confirmed', async () => {
    nines = await oidcWorld()
    await nines.signIn(ada)
    await nines.signIn({ ...grace, email_verified: false })
    expect((await nines.refresh()).body.user).toMatchObject({ email: grace.email, email_confirmed: false })
  })

  test('none is created without an address', async () => {
    nines = await oidcWorld()
    const page = await nines.signIn({ ...ada, email: undefined })
    await expectRefused(page, 403, 'no e-mail address')
  })

  test('none is created with OIDC_CREATE_USERS=false, except for the invited', async () => {
    nines = await oidcWorld({ OIDC_CREATE_USERS: 'false' })
    const token = await nines.join('eve')
    expect((await nines.signIn(grace)).text).toContain('ask an administrator of nines for an invitation')
    await nines.call('POST', '/api/v1/organization/invitations', { email: grace.email, role: 'viewer' }, { token })
    await nines.signIn(grace)
    expect((await nines.refresh()).body.user).toMatchObject({ email: grace.email, role: 'member', organization_id: 1 })
  })

  test('without a role map, roles are those of nines', async () => {
    nines = await oidcWorld({ OIDC_ROLE_MAP: '' })
    const page = await nines.signIn(ada)
    expect(page.text).toContain('create the first account with the setup token')
    const token = await nines.join('eve')
    expect((await nines.signIn(ada)).status).toBe(403)
    await nines.call('POST', '/api/v1/organization/invitations', { email: grace.email, role: 'viewer' }, { token })
    await nines.signIn(grace)
    expect((await nines.refresh()).body.user.role).toBe('viewer')
  })

  test('the role map leaves other organizations alone', async () => {
    nines = await oidcWorld()
    await nines.join('eve')
    await nines.join('grace')
    await nines.signIn(grace)
    expect((await nines.refresh()).body.user).toMatchObject({ organization_id: 2, role: 'admin' })
  })
})

describe('OIDC_ONLY', () => {
  test('refuses passwords and registrations, and nobody is locked out of the provider', async () => {
    nines = await oidcWorld({ OIDC_ONLY: 'true' })
    await nines.signIn(ada)
    const login = { email: ada.email, password: 'correct horse' }
    const answer = await nines.call('POST', '/api/v1/auth/login', login, { token: null })
    expect([answer.status, answer.body.error]).toEqual([403, 'Sign in with Example ID'])
    const registration = { ...login, email: 'eve@example.com', name: 'Eve' }
    expect((await nines.call('POST', '/api/v1/auth/register', registration, { token: null })).status).toBe(403)
    expect((await nines.signIn(ada)).status).toBe(303)
  })
})

test('nothing is at the routes of the provider where none is set up', async () => {
  nines = await oidcWorld({ OIDC_ISSUER: '', OIDC_CLIENT_ID: '' })
  for (const path of ['start', 'callback']) {
    const { status, text } = await nines.open(`${nines.base}/auth/oidc/${path}`)
    expect([status, text]).toEqual([404, expect.stringContaining('OIDC_ISSUER is not set')])
  }
})
