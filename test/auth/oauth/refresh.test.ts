import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { pruneOldRows } from '../../../src/jobs/prune.ts'
import { type Client, type Fields, type OAuthWorld, oauthWorld } from '../../support/oauth.ts'
import { dump } from '../../support/populated.ts'

const day = 86_400_000

let nines: OAuthWorld
let client: Client
beforeEach(async () => {
  nines = await oauthWorld()
  client = await nines.client({ confidential: true })
})
afterEach(() => nines.close())

const begin = async (scope = 'read write') => (await nines.redeem(client, await nines.consent(client, { scope }))).body

describe('a refresh is refused, and good afterwards, for', () => {
  test.each<[string, Fields, number, string]>([
    ['no token', { refresh_token: undefined }, 400, 'invalid_request'],
    ['another token', { refresh_token: 'x'.repeat(43) }, 400, 'invalid_grant'],
    ['no secret', { client_secret: undefined }, 401, 'invalid_client'],
    ['another scope', { scope: 'admin' }, 400, 'invalid_scope'],
    ['more than was allowed', { scope: 'read write' }, 400, 'invalid_scope'],
  ])('%s', async (_, change, status, error) => {
    const { refresh_token } = await begin('read')
    const before = dump(nines)
    const refused = await nines.refresh(client, refresh_token, change)
    expect([refused.status, refused.body.error]).toEqual([status, error])
    expect(dump(nines)).toEqual(before)
    expect((await nines.refresh(client, refresh_token)).body.scope).toBe('read')
  })

  test('another application, whose own tokens stay', async () => {
    const other = await nines.client()
    const { refresh_token, access_token } = await begin()
    expect((await nines.refresh(other, refresh_token)).body.error).toBe('invalid_grant')
    expect((await nines.me(access_token)).status).toBe(200)
  })

  test('an access token in its place', async () => {
    const { access_token } = await begin()
    expect((await nines.refresh(client, access_token)).body.error).toBe('invalid_grant')
    expect((await nines.me(access_token)).status).toBe(200)
  })
})

test('a refresh token used twice ends every token of its grant', async () => {
  const first = await begin()
  const second = (await nines.refresh(client, first.refresh_token)).body
  const third = (await nines.refresh(client, second.refresh_token)).body
  expect((await nines.me(third.access_token)).status).toBe(200)
  expect((await nines.refresh(client, first.refresh_token)).body.error).toBe('invalid_grant')
  expect((await nines.me(third.access_token)).status).toBe(401)
  expect((await nines.refresh(client, third.refresh_token)).body.error).toBe('invalid_grant')
  const { body } = await nines.call('GET', '/api/v1/audit-log?event=oauth_token_revoked')
  expect(body.entries).toMatchObject([{ outcome: 'failure', details: { reason: 'refresh token used twice' } }])
})

test('a refresh token used five times at once gives tokens once at most', async () => {
  const { refresh_token } = await begin()
  const replies = await Promise.all(Array.from({ length: 5 }, () => nines.refresh(client, refresh_token)))
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400])
})

test('less may be requested, and what was allowed again later', async () => {
  const { refresh_token } = await begin()
  const less = (await nines.refresh(client, refresh_token, { scope: 'read' })).body
  expect(less.scope).toBe('read')
  const write = { token: less.access_token }
  expect((await nines.call('POST', '/api/v1/slos', {}, write)).status).toBe(403)
  expect((await nines.refresh(client, less.refresh_token)).body.scope).toBe('read write')
})

test('an access token is good for an hour, a refresh token for 30 days', async () => {
  const [one, other] = [await begin(), await begin()]
  nines.clock.advance(3_599_999)
  expect((await nines.me(one.access_token)).status).toBe(200)
  nines.clock.advance(1)
  expect((await nines.me(one.access_token)).status).toBe(401)
  nines.clock.advance(30 * day - 3_600_001)
  expect((await nines.refresh(client, one.refresh_token)).status).toBe(200)
  nines.clock.advance(1)
  expect((await nines.refresh(client, other.refresh_token)).body.error).toBe('invalid_grant')
})

test('rows go when they are past their time, and not before: until then they betray a replay', async () => {
  const count = async (table: 'oauth_codes' | 'oauth_tokens') =>
    (await nines.app.db.read.selectFrom(table).selectAll().execute()).length
  const first = await begin()
  const second = (await nines.refresh(client, first.refresh_token)).body
  nines.clock.advance(59_999)
  await pruneOldRows(nines.app)
  expect([await count('oauth_codes'), await count('oauth_tokens')]).toEqual([1, 2])
  nines.clock.advance(30 * day - 60_000)
  await pruneOldRows(nines.app)
  expect([await count('oauth_codes'), await count('oauth_tokens')]).toEqual([0, 2])
  const third = (await nines.refresh(client, second.refresh_token)).body
  nines.clock.advance(1)
  await pruneOldRows(nines.app)
  expect([await count('oauth_tokens'), (await nines.me(third.access_token)).status]).toEqual([1, 200])
})
