import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Client, type Fields, type OAuthWorld, oauthWorld, passwordOf } from '../../../support/oauth.ts'
import { dump } from '../../../support/populated.ts'

let nines: OAuthWorld
let client: Client
let request: string
beforeEach(async () => {
  nines = await oauthWorld()
  client = await nines.client()
  request = await nines.formToken(client)
})
afterEach(() => nines.close())

const ada = { email: 'ada@example.com', ...passwordOf }
const decide = (change: Fields = {}, headers?: Record<string, string>) =>
  nines.post('/oauth/authorize', { request, ...ada, ...change }, headers)
const codes = () => nines.app.db.read.selectFrom('oauth_codes').selectAll().execute()

/** Request token with changed content and the old signature. */
function tampered(change: object): string {
  const [text = '', signature = ''] = request.split('.')
  const signed = JSON.parse(Buffer.from(text, 'base64url').toString())
  const other = { ...signed, authRequest: { ...signed.authRequest, ...change } }
  return `${Buffer.from(JSON.stringify(other)).toString('base64url')}.${signature}`
}

test('a no goes to the application, without a sign-in', async () => {
  const { status, location } = await decide({ decision: 'deny', email: '', password: '' })
  expect([status, location?.origin]).toEqual([303, 'https://app.example'])
  expect(Object.fromEntries(location?.searchParams ?? [])).toEqual({
    from: 'nines',
    error: 'access_denied',
    error_description: 'the user said no',
    state: 'a state & more',
    iss: 'https://nines.example',
  })
  expect(await codes()).toEqual([])
})

describe('the form is refused, on a page and without effect,', () => {
  test.each<[string, () => Fields]>([
    ['without its token', () => ({ request: undefined })],
    ['with garbage for a token', () => ({ request: 'garbage' })],
    ['with a signature missing', () => ({ request: request.split('.')[0] })],
    ['for another redirect URI', () => ({ request: tampered({ redirectUri: 'https://evil.example/' }) })],
    ['for more scopes', () => ({ request: tampered({ scopes: ['read', 'write', 'admin'] }) })],
    ['for another client', () => ({ request: tampered({ clientId: 'other' }) })],
    ['without a decision', () => ({ decision: undefined })],
    ['with another decision', () => ({ decision: 'maybe' })],
  ])('%s', async (_, change) => {
    const before = dump(nines)
    const { status, location, text } = await decide(change())
    expect([status, location]).toEqual([400, null])
    expect(text).toContain('This link cannot be used')
    expect(dump(nines)).toEqual(before)
  })

  test('a second time', async () => {
    expect((await decide()).status).toBe(303)
    const before = dump(nines)
    expect((await decide()).status).toBe(400)
    expect(dump(nines)).toEqual(before)
  })

  test('ten minutes later', async () => {
    const other = await nines.formToken(client)
    nines.clock.advance(599_999)
    expect((await decide()).status).toBe(303)
    nines.clock.advance(1)
    expect((await decide({ request: other })).status).toBe(400)
  })

  test('when another site made the browser send it', async () => {
    for (const site of ['cross-site', 'same-site', 'none']) {
      expect((await decide({}, { 'sec-fetch-site': site })).status).toBe(400)
    }
    expect(await codes()).toEqual([])
    expect((await decide({}, { 'sec-fetch-site': 'same-origin' })).status).toBe(303)
  })

  test.each([
    'https://evil.example',
    'null',
    'http://nines.example:8080',
    'https://nines.example.evil.example',
    'garbage',
  ])('from a page of the origin %s', async (origin) => {
    expect((await decide({}, { origin })).status).toBe(400)
    expect(await codes()).toEqual([])
    expect((await decide({}, { origin: 'https://nines.example' })).status).toBe(303)
  })

  test('when the application was deleted', async () => {
    await nines.call('DELETE', `/api/v1/oauth/clients/${client.client_id}`)
    expect((await decide()).status).toBe(400)
  })

  test('as JSON, or with a field twice', async () => {
    const json = await nines.call('POST', '/oauth/authorize', { request, ...ada }, { token: null })
    expect(json.status).toBe(415)
    const twice = new URLSearchParams({ request, ...ada })
    twice.append('decision', 'deny')
    expect((await nines.post('/oauth/authorize', twice)).status).toBe(400)
    expect(await codes()).toEqual([])
  })
})

describe('a sign-in that fails', () => {
  test('shows the form again with a new token, which then works', async () => {
    const { status, text, location } = await decide({ password: 'wrong', email: '"><i>@example.com' })
    expect([status, location]).toEqual([401, null])
    expect(text).toContain('E-mail or password is wrong.')
    expect(text).toContain('value="&quot;&gt;&lt;i&gt;@example.com"')
    expect(text).not.toContain('wrong"')
    expect(await codes()).toEqual([])
    const next = /name="request" value="([^"]+)"/.exec(text)?.[1]
    expect(next).not.toBe(request)
    expect((await decide({ request: next })).status).toBe(303)
  })

  test('counts as a failed login, and after ten of them nothing is looked at', async () => {
    for (let at = 0; at < 10; at += 1) {
      expect((await decide({ request: await nines.formToken(client), password: 'wrong' })).status).toBe(401)
    }
    const { status, text, headers } = await decide()
    expect([status, headers.get('retry-after')]).toEqual([429, '900'])
    expect(text).toContain('Too many failed logins: Try again in 900 seconds.')
    expect(await codes()).toEqual([])
    await nines.app.db.write.deleteFrom('known_networks').execute() // like a login from an unknown network
    const login = { email: ada.email, password: ada.password }
    expect((await nines.call('POST', '/api/v1/auth/login', login, { token: null })).status).toBe(429)
    const { body } = await nines.call('GET', '/api/v1/audit-log?event=login&outcome=failure')
    expect(body.total).toBe(10)
  })
})

test('a user of another organization cannot allow it', async () => {
  await nines.join('eve')
  const { status, text, location } = await decide({ email: 'eve@example.com' })
  expect([status, location]).toEqual([403, null])
  expect(text).toContain('This application is for members of ada Inc only.')
  expect(await codes()).toEqual([])
  expect((await nines.call('GET', '/api/v1/audit-log?event=oauth_consent')).body.total).toBe(0)
})

test('has the colours of the tokens of the page, in both themes', async () => {
  const { text } = await nines.get('/oauth/consent.css')
  const tokens = await Bun.file(new URL('../../../../src/web/page/style/tokens.css', import.meta.url)).text()
  const themes = (css: string, dark: string) => [css.slice(0, css.indexOf(dark)), css.slice(css.indexOf(dark))]
  const coloursOf = (css = '') => new Set([...css.matchAll(/--[\w-]+: #[\da-f]{6};/g)].map(([colour]) => colour))
  const own = themes(text, '(prefers-color-scheme: dark)')
  const page = themes(tokens, "[data-theme='dark']")
  for (const at of [0, 1]) {
    expect(coloursOf(own[at]).size).toBe(12)
    expect([...coloursOf(own[at]).difference(coloursOf(page[at]))]).toEqual([])
  }
})
