import { describe, expect, test } from 'bun:test'
import {
  formTargetsOf,
  isRedirectUri,
  isRegistered,
  withResponseParameters,
} from '../../../../src/auth/oauth/clients/redirect-uri.ts'

describe('a redirect URI', () => {
  test.each([
    'https://app.example',
    'https://app.example/',
    'https://app.example:8443/callback?from=nines',
    'http://localhost:3000/cb',
    'http://127.0.0.1/cb',
    'http://[::1]:8080/',
    'http://localhost/?a=b',
  ])('may be %s', (uri) => expect(isRedirectUri(uri)).toBe(true))

  test.each([
    ['http elsewhere', 'http://app.example/cb'],
    ['a host that only begins like one’s own machine', 'http://localhost.evil.example/cb'],
    ['another that does', 'http://127.0.0.1.evil.example/'],
    ['a user name that looks like a host', 'https://app.example@evil.example/cb'],
    ['the same on one’s own machine', 'http://localhost:80@evil.example/'],
    ['a fragment', 'https://app.example/cb#x'],
    ['an empty fragment', 'https://app.example/cb#'],
    ['a wildcard in the host', 'https://*.app.example/cb'],
    ['a wildcard in the path', 'https://app.example/*'],
    ['a script', 'javascript:alert(1)'],
    ['data', 'data:text/html,x'],
    ['a scheme of its own', 'com.example.app:/cb'],
    ['no scheme', '//app.example/cb'],
    ['no slashes', 'https:app.example/cb'],
    ['backslashes', 'https:\\\\app.example\\cb'],
    ['a backslash before the host ends', 'https://evil.example\\.app.example/cb'],
    ['a path that goes up', 'https://app.example/a/../b'],
    ['upper case in the host', 'https://App.example/cb'],
    ['a port that says nothing', 'https://app.example:443/cb'],
    ['a line break', 'https://app.example/cb\r\nSet-Cookie: a=b'],
    ['a space', 'https://app.example/c b'],
    ['letters beyond ASCII', 'https://äpp.example/cb'],
    ['too many characters', `https://app.example/${'x'.repeat(2000)}`],
    ['nothing', ''],
  ])('may not have %s', (_, uri) => expect(isRedirectUri(uri)).toBe(false))
})

describe('what was registered fits', () => {
  test.each([
    ['https://app.example/cb', 'https://app.example/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/cb'],
    ['http://127.0.0.1:8000/cb', 'http://127.0.0.1:51004/cb'],
    ['http://[::1]/cb?a=b', 'http://[::1]:51004/cb?a=b'],
    ['http://localhost:3000', 'http://localhost:4000'],
  ])('%s: %s', (registered, uri) => expect(isRegistered(['https://other.example/', registered], uri)).toBe(true))

  test.each([
    ['https://app.example/cb', 'https://app.example/cb/'],
    ['https://app.example/cb', 'https://app.example:8443/cb'],
    ['https://app.example/cb', 'https://app.example/cb?next=evil'],
    ['https://app.example/cb', 'https://app.example/CB'],
    ['https://app.example/cb', 'https://app.example/cb/../../evil'],
    ['https://app.example/cb', 'https://sub.app.example/cb'],
    ['https://app.example/cb', 'http://app.example/cb'],
    ['https://app.example/cb', 'https://app.example.evil.example/cb'],
    ['http://127.0.0.1/cb', 'http://localhost/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/other'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:99999/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:80@evil.example/cb'],
    ['http://127.0.0.1/cb', 'https://127.0.0.1/cb'],
  ])('%s not: %s', (registered, uri) => expect(isRegistered([registered], uri)).toBe(false))
})

test('an answer joins the query string that is there, and leaves out what is null', () => {
  expect(withResponseParameters('https://a.example/', { code: 'a&b', state: null })).toBe(
    'https://a.example/?code=a%26b',
  )
  expect(withResponseParameters('https://a.example/?x=1', { code: 'c' })).toBe('https://a.example/?x=1&code=c')
})

test('the policy of the page lets the form go no further than it must', () => {
  expect(formTargetsOf('https://app.example/cb')).toBe('https:')
  expect(formTargetsOf('http://127.0.0.1:4000/cb')).toBe('https: http://localhost:* http://127.0.0.1:*')
  expect(formTargetsOf('http://[::1]:4000/cb')).toBe('https: http:')
})
