import { afterEach, beforeEach, expect, test } from 'bun:test'
import { callback, type OAuthWorld, oauthWorld, passwordOf, question } from '../../support/oauth.ts'

let nines: OAuthWorld
beforeEach(async () => {
  nines = await oauthWorld()
})
afterEach(() => nines.close())

test('an application is registered, allowed, given tokens, and reads and writes as its user', async () => {
  const client = await nines.client({ confidential: true })
  const page = await nines.get('/oauth/authorize', question(client))
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  for (const shown of ['Reporter', 'ada Inc', 'app.example', '<b>read</b>', '<b>write</b>']) {
    expect(page.text).toContain(shown)
  }
  const request = await nines.formToken(client)
  const sent = await nines.post('/oauth/authorize', { request, email: ' ADA@example.com ', ...passwordOf })
  expect([sent.status, sent.text, sent.headers.get('cache-control')]).toEqual([303, '', 'no-store'])
  expect(sent.location?.href.startsWith(`${callback}&`)).toBe(true)
  expect(Object.fromEntries(sent.location?.searchParams ?? [])).toEqual({
    from: 'nines',
    code: expect.stringMatching(/^[\w-]{43}$/),
    state: 'a state & more',
    iss: 'https://nines.example',
  })
  const { status, body, headers } = await nines.redeem(client, sent.location?.searchParams.get('code') ?? '')
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(body).toEqual({
    access_token: expect.stringMatching(/^nineso_[\w-]{43}$/),
    token_type: 'Bearer',
    expires_in: 3600,
    refresh_token: expect.stringMatching(/^[\w-]{43}$/),
    scope: 'read write',
  })
  expect((await nines.me(body.access_token)).body).toMatchObject({ email: 'ada@example.com', organization_id: 1 })
  const slo = { name: 'a', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
  expect((await nines.call('POST', '/api/v1/slos', slo, { token: body.access_token })).status).toBe(201)
  const again = await nines.refresh(client, body.refresh_token)
  expect((await nines.me(again.body.access_token)).status).toBe(200)
  expect((await nines.me(body.access_token)).status).toBe(401)
})

test('a public application needs no secret, only its verifier', async () => {
  const client = await nines.client()
  const { status, body } = await nines.redeem(client, await nines.consent(client))
  expect([status, body.scope]).toEqual([200, 'read write'])
  expect((await nines.refresh(client, body.refresh_token)).status).toBe(200)
})

test('codes, tokens and secrets are stored as hashes, and logged nowhere', async () => {
  const client = await nines.client({ confidential: true })
  const code = await nines.consent(client)
  const { body } = await nines.redeem(client, code)
  const { read } = nines.app.db
  const stored = JSON.stringify([
    await read.selectFrom('oauth_clients').selectAll().execute(),
    await read.selectFrom('oauth_codes').selectAll().execute(),
    await read.selectFrom('oauth_tokens').selectAll().execute(),
    await read.selectFrom('audit_log').selectAll().execute(),
    nines.logged,
  ])
  expect(stored).toContain(client.client_id)
  for (const secret of [client.client_secret, code, body.access_token, body.refresh_token, passwordOf.password]) {
    expect(secret).toBeString()
    expect(stored).not.toContain(String(secret))
  }
})

test('the discovery document names every endpoint, and nothing that is refused', async () => {
  const { status, body, headers } = await nines.get('/.well-known/oauth-authorization-server')
  expect([status, headers.get('x-frame-options')]).toEqual([200, 'DENY'])
  expect(body).toEqual({
    issuer: 'https://nines.example',
    authorization_endpoint: 'https://nines.example/oauth/authorize',
    token_endpoint: 'https://nines.example/oauth/token',
    revocation_endpoint: 'https://nines.example/oauth/revoke',
    introspection_endpoint: 'https://nines.example/oauth/introspect',
    scopes_supported: ['read', 'write'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  })
})

test('the audit log has who allowed what, and what was revoked', async () => {
  const client = await nines.client()
  const { body } = await nines.redeem(client, await nines.consent(client))
  await nines.post('/oauth/revoke', { client_id: client.client_id, token: body.access_token })
  const entries = await nines.app.db.read
    .selectFrom('audit_log')
    .select(['event', 'outcome', 'email', 'details'])
    .where('event', 'like', 'oauth%')
    .orderBy('id')
    .execute()
  const told = entries.map(({ details, ...entry }) => ({ ...entry, details: JSON.parse(details) }))
  const about = { client_id: client.client_id, name: 'Reporter' }
  const by = { outcome: 'success' as const, email: 'ada@example.com' }
  expect(told).toEqual([
    { ...by, event: 'oauth_client_created', details: { ...about, redirect_uris: [callback] } },
    { ...by, event: 'oauth_consent', details: { ...about, scopes: ['read', 'write'] } },
    { ...by, event: 'oauth_token_revoked', details: { ...about, reason: 'revoked' } },
  ])
})
