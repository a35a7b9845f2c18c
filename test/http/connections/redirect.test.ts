import { expect, test } from 'bun:test'
import { secureAddress } from '../../../src/http/connections/redirect.ts'

test.each([
  ['http://nines.example.com/a?b=c', null, 443, 'https://nines.example.com/a?b=c'],
  ['http://nines.example.com:8080/', null, 8443, 'https://nines.example.com:8443/'],
  ['http://[::1]:8080/a', null, 8443, 'https://[::1]:8443/a'],
  ['http://other.example/a', 'https://nines.example.com', 8443, 'https://nines.example.com/a'],
  ['http://other.example/a', 'https://example.com/nines', 8443, 'https://example.com/a'],
  ['http://nines.example.com/a', 'http://nines.example.com', 443, 'https://nines.example.com/a'],
  ['http://nines.example.com//elsewhere.example/x', null, 443, 'https://nines.example.com//elsewhere.example/x'],
])('%s with PUBLIC_URL %p leads, at port %p, to %s', (url, publicUrl, securePort, expected) => {
  expect(secureAddress(new URL(url), { publicUrl, securePort })).toBe(expected)
})
