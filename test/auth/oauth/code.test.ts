import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { callback, type Client, type Fields, type OAuthWorld, oauthWorld, verifier } from '../../support/oauth.ts'
import { dump } from '../../support/populated.ts'

let nines: OAuthWorld
let client: Client
const open = async () => {
  nines = await oauthWorld()
  client = await nines.client({ confidential: true })
}
const close = () => nines.close()

const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` })
const inHeader = { client_id: undefined, client_secret: undefined }

/** Redeems a code with credentials in a header. */
const redeemWith = (code: string, headers: Record<string, string>, change: Fields = inHeader) =>
  nines.post(
    '/oauth/token',
    { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier, ...change },
    headers,
  )

describe('a code is refused, and good afterwards, for', () => {
  beforeAll(open)
  afterAll(close)

  test.each<[string, Fields, number, string]>([
    ['no grant_type', { grant_type: undefined }, 400, 'invalid_request'],
    ['client_credentials', { grant_type: 'client_credentials' }, 400, 'unsupported_grant_type'],
    ['the password grant', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['the name of something in every object', { grant_type: 'constructor' }, 400, 'unsupported_grant_type'],
    ['no code', { code: undefined }, 400, 'invalid_request'],
    ['another code', { code: 'x'.repeat(43) }, 400, 'invalid_grant'],
    ['no redirect_uri', { redirect_uri: undefined }, 400, 'invalid_request'],
    ['another redirect_uri', { redirect_uri: 'https://app.example/callback' }, 400, 'invalid_grant'],
    ['no verifier', { code_verifier: undefined }, 400, 'invalid_request'],
    ['an empty verifier', { code_verifier: '' }, 400, 'invalid_request'],
    ['another verifier', { code_verifier: 'x'.repeat(43) }, 400, 'invalid_grant'],
    ['a short verifier', { code_verifier: 'x' }, 400, 'invalid_grant'],
    ['no client', { client_id: undefined, client_secret: undefined }, 401, 'invalid_client'],
    ['an unknown client', { client_id: 'nobodys' }, 401, 'invalid_client'],
    ['no secret', { client_secret: undefined }, 401, 'invalid_client'],
    ['another secret', { client_secret: 'x'.repeat(43) }, 401, 'invalid_client'],
  ])('%s', async (_, change, status, error) => {
    const code = await nines.consent(client)
    const before = dump(nines)
    const refused = await nines.redeem(client, code, change)
    expect([refused.status, refused.body]).toEqual([
      status,
      { error, error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/) },
    ])
    expect(refused.headers.get('cache-control')).toBe('no-store')
    expect(refused.headers.get('x-content-type-options')).toBe('nosniff')
    expect(refused.headers.get('www-authenticate')).toBe(status === 401 ? 'Basic realm="nines"' : null)
    expect(dump(nines)).toEqual(before)
    expect((await nines.redeem(client, code)).status).toBe(200)
  })

  test('another application, that says so', async () => {
    const other = await nines.client()
    const code = await nines.consent(client)
    const { status, body } = await nines.redeem(other, code)
    expect([status, body.error]).toEqual([400, 'invalid_grant'])
    expect((await nines.redeem(client, code)).status).toBe(200)
  })

  test('a secret where there is none', async () => {
    const open = await nines.client()
    const code = await nines.consent(open)
    expect((await nines.redeem(open, code, { client_secret: 'guess' })).body.error).toBe('invalid_client')
    expect((await nines.redeem(open, code)).status).toBe(200)
  })

  test('a field given twice', async () => {
    const code = await nines.consent(client)
    const fields = { grant_type: 'authorization_code', redirect_uri: callback, code_verifier: verifier, code }
    const twice = new URLSearchParams({ ...fields, client_id: client.client_id })
    twice.append('code', code)
    expect((await nines.post('/oauth/token', twice)).body).toEqual({
      error: 'invalid_request',
      error_description: 'body: must have each field once',
    })
  })

  test('JSON, a body too large, and fields in the query string', async () => {
    const code = await nines.consent(client)
    const json = await nines.call('POST', '/oauth/token', { grant_type: 'authorization_code', code }, { token: null })
    expect([json.status, json.body.error]).toEqual([415, 'invalid_request'])
    const large = await nines.redeem(client, code, { filler: 'x'.repeat(70_000) })
    expect([large.status, large.body.error]).toEqual([413, 'invalid_request'])
    const query = await nines.post(`/oauth/token?client_id=${client.client_id}&code=${code}`, {
      grant_type: 'authorization_code',
    })
    expect([query.status, query.body.error]).toEqual([401, 'invalid_client'])
    expect((await nines.redeem(client, code)).status).toBe(200)
  })
})

describe('credentials in a header', () => {
  beforeEach(open)
  afterEach(close)

  test('are as good as in the form, form-encoded as they have to be', async () => {
    const { client_id, client_secret = '' } = client
    const escaped = client_id.replaceAll('-', '%2D')
    const headers = { authorization: basic(escaped, client_secret).authorization.replace('Basic', 'bAsIc') }
    expect((await redeemWith(await nines.consent(client), headers)).status).toBe(200)
    const same = { client_id, client_secret: undefined }
    expect((await redeemWith(await nines.consent(client), headers, same)).status).toBe(200)
  })

  test.each<[string, (id: string, secret: string) => [Record<string, string>, Fields?], number, string]>([
    ['a wrong secret', (id) => [basic(id, 'wrong')], 401, 'invalid_client'],
    ['no secret', (id) => [basic(id, '')], 401, 'invalid_client'],
    ['no colon', (id) => [{ authorization: `Basic ${btoa(id)}` }], 401, 'invalid_client'],
    ['bad escapes', (id) => [basic(id, '%zz')], 401, 'invalid_client'],
    ['another scheme', (_, secret) => [{ authorization: `Bearer ${secret}` }], 401, 'invalid_client'],
    ['a second secret', (id, secret) => [basic(id, secret), { client_secret: secret }], 400, 'invalid_request'],
    ['another client_id', (id, secret) => [basic(id, secret), { client_id: 'other' }], 400, 'invalid_request'],
  ])('are refused with %s', async (_, spoil, status, error) => {
    const code = await nines.consent(client)
    const [headers, change = inHeader] = spoil(client.client_id, client.client_secret ?? '')
    const refused = await redeemWith(code, headers, change)
    expect([refused.status, refused.body.error]).toEqual([status, error])
    expect(await nines.app.db.read.selectFrom('oauth_tokens').selectAll().execute()).toEqual([])
  })
})

describe('a code used twice', () => {
  beforeEach(open)
  afterEach(close)

  test('ends every token it gave, also those of later refreshes', async () => {
    const code = await nines.consent(client)
    const first = (await nines.redeem(client, code)).body
    const second = (await nines.refresh(client, first.refresh_token)).body
    expect((await nines.me(second.access_token)).status).toBe(200)
    const replayed = await nines.redeem(client, code)
    expect([replayed.status, replayed.body.error]).toEqual([400, 'invalid_grant'])
    expect((await nines.me(second.access_token)).status).toBe(401)
    expect((await nines.refresh(client, second.refresh_token)).body.error).toBe('invalid_grant')
    const { body } = await nines.call('GET', '/api/v1/audit-log?event=oauth_token_revoked')
    expect(body.entries).toMatchObject([{ outcome: 'failure', details: { reason: 'code used twice' } }])
  })

  test('does so without the verifier, and long after it has been forgotten', async () => {
    const code = await nines.consent(client)
    const { body } = await nines.redeem(client, code)
    await nines.app.db.write.deleteFrom('oauth_codes').execute()
    expect((await nines.redeem(client, code, { code_verifier: 'x'.repeat(43) })).body.error).toBe('invalid_grant')
    expect((await nines.me(body.access_token)).status).toBe(401)
  })

  test('at the same time gives tokens once at most', async () => {
    const code = await nines.consent(client)
    const replies = await Promise.all(Array.from({ length: 5 }, () => nines.redeem(client, code)))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400])
  })

  test('leaves the other consents of the user alone', async () => {
    const { body } = await nines.redeem(client, await nines.consent(client))
    const code = await nines.consent(client)
    await nines.redeem(client, code)
    await nines.redeem(client, code)
    expect((await nines.me(body.access_token)).status).toBe(200)
  })
})

describe('a code', () => {
  beforeEach(open)
  afterEach(close)

  test('is good for a minute', async () => {
    const [early, late] = [await nines.consent(client), await nines.consent(client)]
    nines.clock.advance(59_999)
    expect((await nines.redeem(client, early)).status).toBe(200)
    nines.clock.advance(1)
    expect((await nines.redeem(client, late)).body.error).toBe('invalid_grant')
  })
})
