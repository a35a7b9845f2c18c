import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { callback, type Client, type Fields, type OAuthWorld, oauthWorld, question } from '../../support/oauth.ts'
import { dump } from '../../support/populated.ts'

let nines: OAuthWorld
let client: Client
beforeAll(async () => {
  nines = await oauthWorld()
  client = await nines.client({ redirect_uris: [callback, 'http://127.0.0.1/cb'] })
})
afterAll(() => nines.close())

const open = (change?: Fields) => nines.get('/oauth/authorize', question(client, change))

describe('nobody is sent anywhere for', () => {
  test.each<[string, Fields]>([
    ['no client_id', { client_id: undefined }],
    ['an unknown client_id', { client_id: 'nobodys' }],
    ['no redirect_uri', { redirect_uri: undefined }],
    ['a redirect_uri elsewhere', { redirect_uri: 'https://evil.example/callback?from=nines' }],
    ['one that begins like the registered', { redirect_uri: `${callback}.evil.example` }],
    ['one on another port', { redirect_uri: 'https://app.example:8443/callback?from=nines' }],
    ['one with more in its query', { redirect_uri: `${callback}&next=https://evil.example` }],
    ['one without its query', { redirect_uri: 'https://app.example/callback' }],
    ['a script', { redirect_uri: 'javascript:alert(1)' }],
    ['a loopback of another name', { redirect_uri: 'http://localhost/cb' }],
  ])('%s', async (_, change) => {
    const { status, location, text, headers } = await open({ ...change, response_type: 'nonsense' })
    expect([status, location, headers.get('content-type')]).toEqual([400, null, 'text/html; charset=utf-8'])
    expect(text).toContain('This link cannot be used')
    expect(text).not.toContain('<form')
    expect(text).not.toContain('evil')
  })

  test.each(['client_id', 'redirect_uri'])('%s given twice', async (name) => {
    const query = question(client)
    query.append(name, query.get(name) ?? '')
    const { status, location } = await nines.get('/oauth/authorize', query)
    expect([status, location]).toEqual([400, null])
  })
})

describe('the application gets the error, with its state, of', () => {
  test.each<[string, Fields, string]>([
    ['no response_type', { response_type: undefined }, 'invalid_request'],
    ['the implicit grant', { response_type: 'token' }, 'unsupported_response_type'],
    ['a hybrid one', { response_type: 'code token' }, 'unsupported_response_type'],
    ['another response_mode', { response_mode: 'fragment' }, 'invalid_request'],
    ['no code_challenge', { code_challenge: undefined }, 'invalid_request'],
    ['no code_challenge_method, which means plain', { code_challenge_method: undefined }, 'invalid_request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge that is no SHA-256', { code_challenge: 'x' }, 'invalid_request'],
    ['a challenge with padding', { code_challenge: `${'x'.repeat(43)}=` }, 'invalid_request'],
    ['an unknown scope', { scope: 'read admin' }, 'invalid_scope'],
    ['a scope in upper case', { scope: 'READ' }, 'invalid_scope'],
  ])('%s', async (_, change, error) => {
    const before = dump(nines)
    const { status, location, text } = await open(change)
    expect([status, text, location?.origin, location?.pathname]).toEqual([303, '', 'https://app.example', '/callback'])
    expect(Object.fromEntries(location?.searchParams ?? [])).toEqual({
      from: 'nines',
      error,
      error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
      state: 'a state & more',
      iss: 'https://nines.example',
    })
    expect(dump(nines)).toEqual(before)
  })

  test('a parameter given twice; a state given twice is not sent back', async () => {
    const query = question(client)
    query.append('scope', 'read')
    const scope = (await nines.get('/oauth/authorize', query)).location?.searchParams
    expect([scope?.get('error'), scope?.get('state')]).toEqual(['invalid_request', 'a state & more'])
    const twice = question(client)
    twice.append('state', 'other')
    const state = (await nines.get('/oauth/authorize', twice)).location?.searchParams
    expect([state?.get('error'), state?.get('state')]).toEqual(['invalid_request', null])
  })
})

describe('the consent page', () => {
  test('requests no more than the application did, and by default to read', async () => {
    const { text } = await open({ scope: undefined })
    expect(text).toContain('<b>read</b>')
    expect(text).not.toContain('<b>write</b>')
  })

  test('says what the application may do, and for how long', async () => {
    const { text } = await open()
    expect(text).toContain('<b>write</b> Change SLOs and what belongs to them')
    expect(text).toContain(
      'until you revoke it under Settings, Security, it is not used for 30 days, or a year has passed.',
    )
  })

  test('may not be framed, cached or scripted, and its form is answered by a redirect to the application', async () => {
    const { headers, text } = await open()
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-security-policy')).toContain("default-src 'self'")
    expect(headers.get('content-security-policy')).toContain("form-action 'self' https:;")
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(text).not.toMatch(/<script|<style|style=|\son\w+=/i)
    const css = await nines.get('/oauth/consent.css')
    expect([css.status, css.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
    expect(text).toContain('href="consent.css"')
  })

  test('takes a free port on the user’s own machine', async () => {
    const { status, text } = await open({ redirect_uri: 'http://127.0.0.1:51004/cb' })
    expect(status).toBe(200)
    expect(text).toContain('127.0.0.1:51004')
  })

  test('shows names as text, whatever they hold', async () => {
    client = await nines.client({ name: `<img src=x onerror=alert(1)>"'&` })
    const { text } = await open()
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;')
    expect(text).not.toContain('<img')
  })
})
