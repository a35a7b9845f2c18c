import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { newDataDir, type TestApp, testApp } from '../support/app.ts'
import { rulesOf } from '../support/rules-of.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await testApp()
})
afterEach(() => nines.close())

const ada = {
  email: 'Ada@Example.com',
  name: 'Ada',
  password: 'correct horse',
  organization_name: 'Analytical Engines',
}
const register = (body: unknown) => nines.call('POST', '/api/v1/auth/register', body, { token: null })
const login = (body: unknown) => nines.call('POST', '/api/v1/auth/login', body, { token: null })
const me = (token: string | null) => nines.call('GET', '/api/v1/auth/me', undefined, { token })

describe('registration', () => {
  test('answers with a token response, and the token opens the door', async () => {
    const { status, body } = await register(ada)
    expect(status).toBe(201)
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'Bearer',
      expires_at: new Date(nines.clock.now() + 8 * 3_600_000).toISOString(),
      user: {
        id: 1,
        email: 'Ada@Example.com',
        name: 'Ada',
        organization_id: 1,
        role: 'admin',
        email_confirmed: true,
        time_zone: null,
        clock: null,
        organization: { time_zone: null, clock: null },
      },
    })
    expect((await me(body.access_token)).body).toEqual(body.user)
  })

  test('makes an organization in the user’s name where none is named', async () => {
    const { organization_name: _, ...alone } = ada
    await register(alone)
    const row = await nines.app.db.read.selectFrom('organizations').selectAll().executeTakeFirstOrThrow()
    expect(row.name).toBe('Ada')
  })

  test('never joins an existing organization by naming it', async () => {
    const first = await register(ada)
    const second = await register({ ...ada, email: 'eve@example.com' })
    expect(second.body.user.organization_id).not.toBe(first.body.user.organization_id)
  })

  test('gives each organization its Default team, and the source of SOURCE_URL', async () => {
    const other = await testApp({ env: { SOURCE_URL: 'http://127.0.0.1:9090/' } })
    await other.join('ada')
    const teams = await other.app.db.read.selectFrom('teams').selectAll().execute()
    expect(teams).toMatchObject([{ organization_id: 1, id: 1, name: 'Default' }])
    const { body } = await other.call('GET', '/api/v1/tsdb/sources')
    expect(body.sources).toMatchObject([{ name: 'default', api_url: 'http://127.0.0.1:9090', is_default: true }])
    await other.close()
  })

  test('refuses an e-mail in use, in whatever case, and leaves nothing behind', async () => {
    await register(ada)
    const again = await register({ ...ada, email: 'ADA@example.COM' })
    expect([again.status, again.body]).toEqual([
      409,
      {
        success: false,
        error: 'E-mail already registered',
        details: expect.stringContaining('reset its password by mail'),
        problems: [expect.objectContaining({ field: 'email', code: 'in_use' })],
      },
    ])
    expect(await nines.app.db.read.selectFrom('organizations').selectAll().execute()).toHaveLength(1)
  })

  test('of one e-mail twice at the same time makes one account', async () => {
    const answers = await Promise.all([register(ada), register(ada), register(ada)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
    expect(await nines.app.db.read.selectFrom('organizations').selectAll().execute()).toHaveLength(1)
  })

  test.each([
    ['no e-mail', { email: undefined }, 'email: is required: an e-mail address'],
    ['a line break in the e-mail', { email: 'a@b.c\r\nRCPT TO:<evil@x>' }, 'email: must be an e-mail address'],
    ['two addresses', { email: 'a@b.c, d@e.f' }, 'email: must be an e-mail address'],
    ['a number as e-mail', { email: 7 }, 'email: must be an e-mail address'],
    ['a blank name', { name: '   ' }, 'name: must be 1 to 200 characters, one of them visible, no control characters'],
    [
      'a name with a control character',
      { name: 'a\u0007b' },
      'name: must be 1 to 200 characters, one of them visible, no control characters',
    ],
    ['a short password', { password: '1234567' }, 'password: must be a password of 8 to 256 characters'],
    ['a long password', { password: 'x'.repeat(257) }, 'password: must be a password of 8 to 256 characters'],
    ['the e-mail as password', { password: 'ADA@example.com' }, 'password: must not be the e-mail'],
    [
      'a common password, however it is written',
      { password: 'Password1' },
      'password: must not be one of the 10,000 most common passwords',
    ],
    [
      'a long organization name',
      { organization_name: 'x'.repeat(201) },
      'organization_name: must be 1 to 200 characters, one of them visible, no control characters',
    ],
  ])('refuses %s', async (_, change, details) => {
    const { status, body } = await register({ ...ada, ...change })
    expect([status, body, rulesOf(body)]).toEqual([
      400,
      { success: false, error: 'Invalid request', details: expect.any(String), problems: expect.any(Array) },
      details,
    ])
    expect(await nines.app.db.read.selectFrom('users').selectAll().execute()).toEqual([])
  })

  test.each(['closed', 'invite'])('when %s lets only the very first account in', async (mode) => {
    const other = await testApp({ env: { REGISTRATION: mode } })
    await other.join('first')
    const { status, body } = await other.call('POST', '/api/v1/auth/register', ada, { token: null })
    expect([status, body.error]).toEqual([403, 'Registration is not open'])
    expect(await other.app.db.read.selectFrom('users').selectAll().execute()).toHaveLength(1)
    await other.close()
  })
})

describe('login', () => {
  test('takes the e-mail in any case and gives a token response', async () => {
    await register(ada)
    const { status, body } = await login({ email: ' ada@example.com', password: ada.password })
    expect(status).toBe(200)
    expect((await me(body.access_token)).status).toBe(200)
  })

  test('answers a wrong password and an unknown e-mail with the same error, and records both', async () => {
    await register(ada)
    const wrong = await login({ email: ada.email, password: 'incorrect horse' })
    const unknown = await login({ email: 'nobody@example.com', password: 'incorrect horse' })
    expect([wrong.status, wrong.text]).toEqual([401, unknown.text])
    const attempts = await nines.app.db.read.selectFrom('login_attempts').select('email_key').execute()
    expect(attempts.map(({ email_key }) => email_key)).toEqual(['ada@example.com', 'nobody@example.com'])
  })
})

describe('the bearer guard', () => {
  test.each([
    ['no header', undefined],
    ['another scheme', 'Basic YTpi'],
    ['an empty token', 'Bearer '],
    ['garbage', 'Bearer garbage'],
    ['three dots', 'Bearer a.b.c'],
  ])('refuses %s before it looks at the body', async (_, authorization) => {
    const headers = authorization === undefined ? {} : { authorization }
    const {
      status,
      body,
      headers: sent,
    } = await nines.call('POST', '/api/v1/slos', '{broken', { token: null, headers })
    expect([status, body.error]).toEqual([401, 'Not signed in'])
    expect(sent.get('www-authenticate')).toBe('Bearer')
  })

  test('refuses a token once it has expired', async () => {
    const token = await nines.join('ada')
    nines.clock.advance(8 * 3_600_000 - 1000)
    expect((await me(token)).status).toBe(200)
    nines.clock.advance(1000)
    expect((await me(token)).status).toBe(401)
  })

  test('refuses a token that another instance signed', async () => {
    const other = await testApp({ dataDir: newDataDir() })
    const foreign = await other.join('ada')
    await nines.join('ada')
    expect((await me(foreign)).status).toBe(401)
    await other.close()
  })

  test('lets a viewer read and not write', async () => {
    const token = await nines.join('ada')
    await nines.app.db.write.updateTable('users').set({ role: 'viewer' }).execute()
    expect((await nines.call('GET', '/api/v1/slos', undefined, { token })).status).toBe(200)
    const { status, body } = await nines.call('POST', '/api/v1/slos', {}, { token })
    expect([status, body]).toEqual([
      403,
      { success: false, error: 'Insufficient permissions', details: 'needs the role member' },
    ])
  })
})
