import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { dayMs, isoTime } from '../../../src/clock.ts'
import { login } from '../../support/accounts.ts'
import { type Client, type OAuthWorld, oauthWorld } from '../../support/oauth.ts'
import { invited, lastAudit } from '../../support/people.ts'

let nines: OAuthWorld
let client: Client
beforeEach(async () => {
  nines = await oauthWorld()
  client = await nines.client()
})
afterEach(() => nines.close())

const path = '/api/v1/auth/applications'
const list = async (token?: string | null) =>
  (await nines.call('GET', path, undefined, token === undefined ? {} : { token })).body.applications
const signIn = async (name: string): Promise<string> => (await login(nines, name)).body.access_token
const allow = async (scope = 'read write', as = 'ada') =>
  (await nines.redeem(client, await nines.consent(client, { scope }, as))).body
const revoke = (id = client.client_id, token?: string) =>
  nines.call('DELETE', `${path}/${id}`, undefined, token === undefined ? {} : { token })

describe('the list of applications that act for the caller', () => {
  test('has each once, with the widest of its scopes, when it was allowed, renewed and when it ends', async () => {
    expect(await list()).toEqual([])
    const allowedMs = nines.clock.now()
    const { refresh_token } = await allow('read')
    await allow('read write')
    nines.clock.advance(dayMs)
    await nines.refresh(client, refresh_token)
    const renewedMs = nines.clock.now()
    expect(await list(await signIn('ada'))).toEqual([
      {
        client_id: client.client_id,
        name: 'Reporter',
        scope: 'write',
        allowed_at: isoTime(allowedMs),
        renewed_at: isoTime(renewedMs),
        expires_at: isoTime(renewedMs + 30 * dayMs),
      },
    ])
  })

  test('leaves out what has expired, and what colleagues have allowed', async () => {
    const bob = await invited(nines, nines.ada, 'bob', 'viewer')
    await allow('read', 'bob')
    expect([await list(), (await list(bob.token)).length]).toEqual([[], 1])
    nines.clock.advance(30 * dayMs)
    expect(await list(await signIn('bob'))).toEqual([])
  })

  test('is for sessions alone', async () => {
    const { access_token } = await allow()
    expect((await nines.call('GET', path, undefined, { token: access_token })).status).toBe(403)
  })
})

describe('revoking one', () => {
  test('ends all its tokens and codes for the caller at once, and is recorded', async () => {
    const [first, second] = [await allow(), await allow('read')]
    const code = await nines.consent(client)
    expect([(await nines.me(first.access_token)).status, (await nines.me(second.access_token)).status]).toEqual([
      200, 200,
    ])
    const { status, body } = await revoke()
    expect([status, body]).toEqual([200, { message: 'Application no longer allowed' }])
    expect([(await nines.me(first.access_token)).status, (await nines.me(second.access_token)).status]).toEqual([
      401, 401,
    ])
    expect((await nines.refresh(client, first.refresh_token)).body.error).toBe('invalid_grant')
    expect((await nines.redeem(client, code)).body.error).toBe('invalid_grant')
    expect(await list()).toEqual([])
    expect(await lastAudit(nines)).toMatchObject({
      event: 'oauth_token_revoked',
      details: { client_id: client.client_id, name: 'Reporter', reason: 'revoked by the user' },
    })
    expect((await revoke()).status).toBe(404)
  })

  test('leaves what colleagues have allowed the same application', async () => {
    await invited(nines, nines.ada, 'bob', 'viewer')
    const [, ofBob] = [await allow(), await allow('read', 'bob')]
    await revoke()
    expect((await nines.me(ofBob.access_token)).status).toBe(200)
  })
})

test('what a user has allowed ends after a year, however often it was renewed', async () => {
  let { refresh_token } = await allow()
  for (let day = 0; day < 360; day += 20) {
    nines.clock.advance(20 * dayMs)
    ;({ refresh_token } = (await nines.refresh(client, refresh_token)).body)
  }
  nines.clock.advance(5 * dayMs - 60_000)
  const last = (await nines.refresh(client, refresh_token)).body
  expect(last.expires_in).toBe(60)
  nines.clock.advance(60_000)
  expect((await nines.me(last.access_token)).status).toBe(401)
  expect((await nines.refresh(client, last.refresh_token)).body.error).toBe('invalid_grant')
})
