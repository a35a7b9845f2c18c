import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createSign, generateKeyPairSync } from 'node:crypto'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { type Claims, claimsOf, encode, forge, hmac, secret } from './forge.ts'

let nines: TestApp
let good: Claims
let token: string
let eve: Claims
beforeAll(async () => {
  nines = await joinedApp({ env: { JWT_SECRET: secret } })
  token = nines.token() ?? ''
  good = claimsOf(token)
  eve = claimsOf(await nines.join('eve'))
})
afterAll(() => nines.close())

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()
const rs256 = (text: string) => createSign('sha256').update(text).sign(rsa.privateKey, 'base64url')
const unsigned = () => ''
const without = (name: string) => Object.fromEntries(Object.entries(good).filter(([claim]) => claim !== name))
const seconds = () => Math.floor(nines.clock.now() / 1000)

const send = (authorization: string) =>
  nines.call('GET', '/api/v1/auth/me', undefined, { token: null, headers: { authorization } })
const present = (forged: string) => send(`Bearer ${forged}`)

async function expectRefused(authorization: string) {
  const { status, body, headers } = await send(authorization)
  expect([status, body]).toEqual([401, { success: false, error: 'Not signed in', details: expect.any(String) }])
  expect(headers.get('www-authenticate')).toBe('Bearer')
}

test('what these tests forge would be a good token, were nothing wrong with it', async () => {
  const { status, body } = await present(forge(good))
  expect([status, body.email]).toEqual([200, 'ada@example.com'])
})

test('each token names the instance it is for, and is unlike every other', async () => {
  const again = await nines.call('POST', '/api/v1/auth/login', { email: 'ada@example.com', password: 'correct horse' })
  const { aud, jti } = claimsOf(again.body.access_token)
  expect([aud, good.aud]).toEqual([eve.aud, eve.aud])
  expect(aud).toMatch(/^nines-[\da-f]{12}$/)
  expect(new Set([jti, good.jti, eve.jti]).size).toBe(3)
})

describe('an algorithm that is not ours is refused:', () => {
  const algorithms = ['none', 'None', 'NONE', 'nOnE', '', null, undefined, ['HS256'], 'hs256', 'HS256 ']
  test.each(algorithms.map((alg) => ({ alg })))('$alg', async ({ alg }) => {
    for (const sign of [unsigned, hmac('sha256', secret), hmac('sha256', '')]) {
      await expectRefused(`Bearer ${forge(good, { alg }, sign)}`)
    }
  })

  test.each([
    ['HS384 with our secret', { alg: 'HS384' }, hmac('sha384', secret)],
    ['HS512 with our secret', { alg: 'HS512' }, hmac('sha512', secret)],
    ['RS256 signed by a stranger', { alg: 'RS256' }, rs256],
    ['RS256 signed with our secret', { alg: 'RS256' }, hmac('sha256', secret)],
    ['HS256 with a public key as secret', { alg: 'HS256' }, hmac('sha256', publicPem)],
    ['RS256 with its key inside', { alg: 'RS256', jwk: rsa.publicKey.export({ format: 'jwk' }) }, rs256],
    [
      'RS256 with its key elsewhere',
      { alg: 'RS256', jku: 'http://127.0.0.1:1/keys', x5u: 'http://127.0.0.1:1' },
      rs256,
    ],
  ])('%s', async (_, header, sign) => expectRefused(`Bearer ${forge(good, header, sign)}`))
})

describe('a key that is not ours is refused:', () => {
  test.each([
    ['another one', {}, 'another secret of at least thirty-two bytes'],
    ['none', {}, ''],
    ['one like ours', {}, `${secret} `],
    ['one in the header', { jwk: { kty: 'oct', k: Buffer.from('mine').toString('base64url') } }, 'mine'],
    ['an empty file named by kid', { kid: '../../../../dev/null' }, ''],
    ['a query named by kid', { kid: "x' UNION SELECT 'mine" }, 'mine'],
    ['a number as kid', { kid: 0 }, '0'],
  ])('%s', async (_, header, key) => expectRefused(`Bearer ${forge(good, header, hmac('sha256', key))}`))
})

describe('a token signed by us is refused', () => {
  test.each([
    ['with a crit nobody knows', { crit: ['exp'] }],
    ['with an empty crit', { crit: [] }],
    ['with crit that names what is absent', { crit: ['b64'] }],
    ['with a payload that is not encoded', { crit: ['b64'], b64: false }],
  ])('%s', async (_, header) => expectRefused(`Bearer ${forge(good, header)}`))

  test.each(['aud', 'exp', 'sub', 'sid', 'iat', 'iss', 'jti'])('without %s', async (claim) =>
    expectRefused(`Bearer ${forge(without(claim))}`),
  )

  test.each([
    ['exp', () => seconds()],
    ['exp', () => 0],
    ['exp', () => -1],
    ['exp', () => String(seconds() + 60)],
    ['exp', () => null],
    ['nbf', () => seconds() + 60],
    ['nbf', () => 'soon'],
    ['iss', () => 'another'],
    ['iss', () => 'NINES'],
    ['iss', () => ['nines']],
    ['aud', () => 'nines'],
    ['aud', () => ['https://another.example']],
    ['iat', () => 'yesterday'],
    ['sub', () => eve['sub']],
    ['sub', () => ''],
    ['sub', () => [good['sub']]],
    ['sub', () => `${good['sub']} OR 1=1`],
    ['sub', () => '1e0'],
    ['sub', () => '0x1'],
    ['sub', () => null],
    ['sid', () => eve['sid']],
    ['sid', () => String(good['sid'])],
    ['sid', () => [good['sid']]],
    ['sid', () => ({})],
    ['sid', () => true],
    ['sid', () => null],
    ['sid', () => 0],
    ['sid', () => -1],
    ['sid', () => 1.5],
    ['sid', () => 1e300],
    ['sid', () => 2 ** 53],
    ['sid', () => '9'.repeat(400)],
  ])('whose %s is that of %p', async (claim, value) => expectRefused(`Bearer ${forge({ ...good, [claim]: value() })}`))

  test.each(['', 'null', '[]', '"text"', '7', '{', '{"sub":"1"', '\u0000', '{"__proto__":{"sub":"1"}}'])(
    'that says %p',
    async (payload) => expectRefused(`Bearer ${forge(payload)}`),
  )

  test('once its user has been deleted', async () => {
    const gone = await nines.join('gone')
    await nines.app.db.write.deleteFrom('users').where('email_key', '=', 'gone@example.com').execute()
    expect((await nines.call('GET', '/api/v1/slos', undefined, { token: gone })).status).toBe(401)
    expect((await present(gone)).status).toBe(404) // a user asking about itself gets 404
  })
})

describe('claims are no power:', () => {
  test.each([
    ['role', 'viewer'],
    ['organization_id', 2],
    ['email', 'eve@example.com'],
    ['sub', '2'],
    ['sid', 2],
    ['exp', 99_999_999_999],
  ])('an edited %s breaks the signature', async (claim, value) => {
    const [head, , signature] = token.split('.')
    await expectRefused(`Bearer ${head}.${encode({ ...good, [claim]: value })}.${signature}`)
  })

  test('role and organization are those of the user, whatever even a token of ours says', async () => {
    const viewer = claimsOf(await nines.join('vic'))
    await nines.app.db.write
      .updateTable('users')
      .set({ role: 'viewer' })
      .where('id', '=', Number(viewer['sub']))
      .execute()
    const forged = forge({ ...viewer, role: 'admin', organization_id: 1, email: 'ada@example.com' })
    expect((await present(forged)).body).toMatchObject({ email: 'vic@example.com', role: 'viewer' })
    expect((await present(forged)).body.organization_id).toBe(viewer['organization_id'])
    const write = await nines.call('POST', '/api/v1/slos', {}, { token: forged })
    expect(write.status).toBe(403)
    const list = await nines.call('GET', '/api/v1/audit-log', undefined, { token: forged })
    expect(list.status).toBe(403)
  })
})

describe('what is no token is refused:', () => {
  test.each([
    ['nothing after the scheme', () => 'Bearer'],
    ['a trailing dot', () => `Bearer ${token}.`],
    ['two trailing dots', () => `Bearer ${token}..`],
    ['a fourth part', () => `Bearer ${token}.${token.split('.')[2]}`],
    ['five parts', () => `Bearer ${token}.x.y`],
    ['no signature', () => `Bearer ${token.split('.').slice(0, 2).join('.')}`],
    ['an empty signature', () => `Bearer ${token.split('.').slice(0, 2).join('.')}.`],
    ['another’s signature', () => `Bearer ${token.split('.').slice(0, 2).join('.')}.${forge(eve).split('.')[2]}`],
    ['dots', () => 'Bearer ..'],
    ['a header that is no JSON', () => `Bearer ${encode('{')}.${token.split('.')[1]}.${token.split('.')[2]}`],
    ['a header that is null', () => `Bearer ${encode('null')}.${token.split('.')[1]}.${token.split('.')[2]}`],
    ['100 kB', () => `Bearer ${'a'.repeat(100_000)}`],
    ['100 kB in three parts', () => `Bearer ${forge({ ...good, more: 'x'.repeat(100_000) }, {}, unsigned)}A`],
    ['100 kB of dots', () => `Bearer ${'.'.repeat(100_000)}`],
    ['100 kB of spaces', () => `Bearer ${' '.repeat(100_000)}x`],
    ['two tokens', () => `Bearer ${token}, Bearer ${token}`],
    ['a token and more', () => `Bearer ${token} ${token}`],
    ['quotes', () => `Bearer "${token}"`],
    ['the token alone', () => token],
    ['another scheme', () => `Token ${token}`],
    ['Basic', () => `Basic ${btoa(`ada@example.com:${token}`)}`],
    ['letters beyond ASCII', () => 'Bearer \u00e9\u00ff.\u00e9.\u00e9'],
    ['a token with a letter beyond ASCII', () => `Bearer ${token}\u00e9`],
  ])('%s', async (_, authorization) => expectRefused(authorization()))

  test('and the scheme may be written in any case', async () => {
    for (const scheme of ['bearer', 'BEARER', 'Bearer ']) expect((await send(`${scheme} ${token}`)).status).toBe(200)
  })
})
