import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { hashOpaqueToken } from '../../../src/auth/sessions/tokens.ts'
import { type Client, type OAuthWorld, oauthWorld } from '../../support/oauth.ts'
import { invited } from '../../support/people.ts'

let nines: OAuthWorld
let client: Client
beforeEach(async () => {
  nines = await oauthWorld()
  client = await nines.client()
})
afterEach(() => nines.close())

const begin = async (scope = 'read write', as = 'ada') =>
  (await nines.redeem(client, await nines.consent(client, { scope }, as))).body

describe('an application acts', () => {
  test.each([
    ['admin', 'read', 'viewer'],
    ['admin', 'write', 'member'],
    ['admin', 'read write', 'member'],
    ['member', 'read', 'viewer'],
    ['member', 'write', 'member'],
    ['viewer', 'read', 'viewer'],
    ['viewer', 'read write', 'viewer'],
  ] as const)('for a user who is %s, with the scope %s, as %s', async (role, scope, acts) => {
    await invited(nines, nines.ada, 'bob', role)
    const { access_token: token } = await begin(scope, 'bob')
    const read = await nines.call('GET', '/api/v1/slos', undefined, { token })
    const write = await nines.call('POST', '/api/v1/slos', {}, { token })
    const manage = await nines.call('GET', '/api/v1/audit-log', undefined, { token })
    expect([read.status, write.status, manage.status]).toEqual([200, acts === 'member' ? 400 : 403, 403])
  })

  test.each([
    ['POST', '/api/v1/auth/tokens', { name: 'forever', role: 'viewer' }],
    ['POST', '/api/v1/oauth/clients', { name: 'a', redirect_uris: ['https://a.example/'] }],
    ['POST', '/api/v1/auth/change-password', { current_password: 'correct horse', new_password: 'incorrect horse' }],
    ['POST', '/api/v1/auth/logout', undefined],
    ['DELETE', '/api/v1/organization/users/1', undefined],
  ])('never on the account itself: %s %s', async (method, path, body) => {
    const { access_token: token } = await begin()
    expect((await nines.call(method, path, body, { token })).status).toBe(403)
  })
})

describe('its access ends at once when', () => {
  const ends = async (happens: () => Promise<unknown>, as = 'ada') => {
    const code = await nines.consent(client, {}, as)
    const { access_token, refresh_token } = await begin('read write', as)
    expect((await nines.me(access_token)).status).toBe(200)
    await happens()
    expect((await nines.me(access_token)).status).toBe(401)
    expect((await nines.refresh(client, refresh_token)).body.access_token).toBeUndefined()
    expect((await nines.redeem(client, code)).body.access_token).toBeUndefined()
  }
  const call = async (method: string, path: string, body?: object) =>
    expect((await nines.call(method, path, body)).status).toBe(200)

  test('the application is deleted', () => ends(() => call('DELETE', `/api/v1/oauth/clients/${client.client_id}`)))

  test('the user is removed', async () => {
    const { id } = await invited(nines, nines.ada, 'bob', 'member')
    await ends(() => call('DELETE', `/api/v1/organization/users/${id}`), 'bob')
  })

  test('the user changes the password', () =>
    ends(() =>
      call('POST', '/api/v1/auth/change-password', {
        current_password: 'correct horse',
        new_password: 'incorrect horse',
      }),
    ))

  test('the user resets the password', () =>
    ends(async () => {
      const token = crypto.randomUUID()
      const times = { created_at: nines.clock.now(), expires_at: nines.clock.now() + 1000, used_at: null }
      await nines.app.db.write
        .insertInto('password_resets')
        .values({ hash: hashOpaqueToken(token), user_id: 1, ...times })
        .execute()
      await call('POST', '/api/v1/auth/password-reset-confirm', { token, new_password: 'incorrect horse' })
    }))
})

test('a user who becomes a viewer is one for applications too, at once', async () => {
  const { id } = await invited(nines, nines.ada, 'bob', 'member')
  const { access_token: token } = await begin('read write', 'bob')
  expect((await nines.call('POST', '/api/v1/slos', {}, { token })).status).toBe(400)
  expect((await nines.call('PUT', `/api/v1/organization/users/${id}`, { role: 'viewer' })).status).toBe(200)
  expect((await nines.call('POST', '/api/v1/slos', {}, { token })).status).toBe(403)
})

test('a token that nobody was given opens nothing', async () => {
  for (const token of ['nineso_', `nineso_${'x'.repeat(43)}`]) expect((await nines.me(token)).status).toBe(401)
})
