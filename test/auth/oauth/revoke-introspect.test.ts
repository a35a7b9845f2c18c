import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Client, type Fields, type OAuthWorld, oauthWorld } from '../../support/oauth.ts'
import { dump } from '../../support/populated.ts'

let nines: OAuthWorld
let client: Client
let other: Client
beforeEach(async () => {
  nines = await oauthWorld()
  client = await nines.client({ confidential: true })
  other = await nines.client({ confidential: true })
})
afterEach(() => nines.close())

const begin = async (by = client) => (await nines.redeem(by, await nines.consent(by))).body
const asked = (path: string, by: Client, token: string, change: Fields = {}) =>
  nines.post(path, { client_id: by.client_id, client_secret: by.client_secret, token, ...change })
const revoke = (by: Client, token: string, change?: Fields) => asked('/oauth/revoke', by, token, change)
const introspect = (by: Client, token: string, change?: Fields) => asked('/oauth/introspect', by, token, change)

describe('revoking', () => {
  test.each(['access_token', 'refresh_token'])('the %s ends the whole grant, whatever the hint says', async (half) => {
    for (const hint of [undefined, 'access_token', 'refresh_token', 'nonsense']) {
      const [grant, kept] = [await begin(), await begin()]
      expect((await nines.me(grant.access_token)).status).toBe(200)
      const { status, text } = await revoke(client, grant[half], { token_type_hint: hint })
      expect([status, text]).toEqual([200, ''])
      expect((await nines.me(grant.access_token)).status).toBe(401)
      expect((await nines.refresh(client, grant.refresh_token)).body.error).toBe('invalid_grant')
      expect((await nines.me(kept.access_token)).status).toBe(200)
    }
  })

  test('what is unknown, or revoked already, is no error', async () => {
    const { access_token } = await begin()
    await revoke(client, access_token)
    const before = dump(nines)
    expect((await revoke(client, access_token)).status).toBe(200)
    expect((await revoke(client, 'unknown')).status).toBe(200)
    expect(dump(nines)).toEqual(before)
  })

  test('a public application does with its client_id', async () => {
    const open = await nines.client()
    const { access_token } = await begin(open)
    expect((await revoke(open, access_token)).status).toBe(200)
    expect((await nines.me(access_token)).status).toBe(401)
  })

  test('is refused without effect: another’s token, a wrong secret, no token', async () => {
    const { access_token, refresh_token } = await begin()
    const before = dump(nines)
    for (const token of [access_token, refresh_token]) {
      const foreign = await revoke(other, token)
      expect([foreign.status, foreign.body.error]).toEqual([400, 'invalid_grant'])
    }
    const wrong = await revoke(client, access_token, { client_secret: 'wrong' })
    expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_client'])
    const nothing = await revoke(client, access_token, { token: undefined })
    expect([nothing.status, nothing.body.error]).toEqual([400, 'invalid_request'])
    expect(dump(nines)).toEqual(before)
    expect((await nines.me(access_token)).status).toBe(200)
  })
})

describe('introspection', () => {
  test('describes to an application its own tokens', async () => {
    const { access_token, refresh_token } = await begin()
    const iat = Math.floor(nines.clock.now() / 1000)
    const told = {
      active: true,
      scope: 'read write',
      client_id: client.client_id,
      username: 'ada@example.com',
      iat,
      sub: '1',
      iss: 'https://nines.example',
    }
    const access = await introspect(client, access_token, { token_type_hint: 'refresh_token' })
    expect([access.status, access.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(access.body).toEqual({ ...told, token_type: 'Bearer', exp: iat + 3600 })
    expect((await introspect(client, refresh_token)).body).toEqual({ ...told, exp: iat + 30 * 86_400 })
  })

  test('says of any other only that it is not active', async () => {
    const { access_token, refresh_token } = await begin()
    const session = (
      await nines.call('POST', '/api/v1/auth/login', { email: 'ada@example.com', password: 'correct horse' })
    ).body.access_token
    for (const token of [access_token, refresh_token, session, 'unknown']) {
      const { status, body } = await introspect(other, token)
      expect([status, body]).toEqual([200, { active: false }])
    }
  })

  test('says so of one that was used, has expired or was revoked', async () => {
    const used = await begin()
    await nines.refresh(client, used.refresh_token)
    expect((await introspect(client, used.refresh_token)).body).toEqual({ active: false })
    expect((await introspect(client, used.access_token)).body).toEqual({ active: false })
    const expired = await begin()
    nines.clock.advance(3_600_000)
    expect((await introspect(client, expired.access_token)).body).toEqual({ active: false })
    expect((await introspect(client, expired.refresh_token)).body.active).toBe(true)
    await revoke(client, expired.refresh_token)
    expect((await introspect(client, expired.refresh_token)).body).toEqual({ active: false })
  })

  test('is for applications with a secret, and their right one', async () => {
    const open = await nines.client()
    const { access_token } = await begin(open)
    expect((await introspect(open, access_token)).body.error).toBe('invalid_client')
    expect((await introspect(client, access_token, { client_secret: undefined })).status).toBe(401)
    const nothing = await introspect(client, access_token, { token: undefined })
    expect([nothing.status, nothing.body.error]).toEqual([400, 'invalid_request'])
  })
})
