import { afterEach, expect, test } from 'bun:test'
import { oidcWorld, type OidcWorld } from '../../support/oidc-world.ts'

let nines: OidcWorld
afterEach(() => nines.close())

const read = (token: string) => nines.call('GET', '/api/v1/organization/sign-in', undefined, { token })
const check = (token: string) => nines.call('POST', '/api/v1/organization/sign-in/test', {}, { token })

test('administrators of the first organization read how people sign in, without secrets, and test the provider', async () => {
  nines = await oidcWorld({ TRUST_PROXY: '192.0.2.1', TRUSTED_HEADER_USER: 'Remote-User' })
  const token = await nines.join('ada')
  const { status, body, text } = await read(token)
  expect([status, body]).toEqual([
    200,
    {
      passwords: true,
      provider: {
        issuer: nines.provider.issuer,
        client_id: 'nines',
        name: 'Example ID',
        scopes: 'openid profile email groups',
        role_claim: 'groups',
        role_map: ['sre-leads=admin', 'sre=member', 'everyone=viewer'],
        create_users: true,
        redirect_uri: `${nines.base}/auth/oidc/callback`,
        logout_redirect_uri: `${nines.base}/login`,
      },
      proxy: { headers: ['remote-user'], addresses: ['192.0.2.1'] },
    },
  ])
  expect(text).not.toContain(nines.provider.env['OIDC_CLIENT_SECRET'] ?? '')
  const good = await check(token)
  expect(good.body).toMatchObject({ problem: null, endpoints: { token_endpoint: `${nines.provider.issuer}/token` } })
  nines.provider.tampering = { discovery: (metadata) => ({ ...metadata, issuer: 'https://evil.example' }) }
  expect((await check(token)).body.problem).toContain('issuer')
  nines.provider.isAway = true
  expect((await check(token)).body.problem).toBeString()
})

test('administrators of other organizations read and test nothing', async () => {
  nines = await oidcWorld()
  await nines.join('ada')
  const token = await nines.join('eve')
  expect([(await read(token)).status, (await check(token)).status]).toEqual([403, 403])
  expect(nines.provider.asked).toEqual([])
})
