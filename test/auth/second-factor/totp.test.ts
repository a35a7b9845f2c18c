import { describe, expect, test } from 'bun:test'
import { codeOf, encodeBase32, newSecret, otpauthUrl, stepOf } from '../../../src/auth/second-factor/totp.ts'

/** Secret of the vectors in RFC 6238, appendix B. */
const secret = encodeBase32(Buffer.from('12345678901234567890'))

test('the secret of the RFC is that of RFC 4648 in base32', () => {
  expect(secret).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
})

// The last six of the eight digits in the table: nines asks for six.
test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('at %p seconds the code of RFC 6238 is %p', (seconds, code) => {
  expect(codeOf(secret, Math.floor(seconds / 30))).toBe(code)
  expect(stepOf(secret, code, seconds * 1000)).toBe(Math.floor(seconds / 30))
})

// RFC 4226, appendix D.
const firstCodes = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489']
test.each(firstCodes.map((code, step) => [step, code] as const))('the code of step %p is %p', (step, code) => {
  expect(codeOf(secret, step)).toBe(code)
})

describe('the clock of a phone', () => {
  const nowMs = 2_000_000_010_000
  const current = Math.floor(nowMs / 30_000)
  test.each([
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ])('that is %p steps off: accepted is %p', (off, isAccepted) => {
    expect(stepOf(secret, codeOf(secret, current + off), nowMs)).toBe(isAccepted ? current + off : undefined)
  })
})

test.each(['', '12345', '1234567', 'abcdef', '28708２', '-87082', '28708 ', '0x7082'])('%p is no code', (text) => {
  expect(stepOf(secret, text, 59_000)).toBeUndefined()
})

test('a code with a digit added is not accepted', () => {
  expect(stepOf(secret, '287082', 59_000)).toBe(1)
  expect(stepOf(secret, '2870820', 59_000)).toBeUndefined()
})

test('each secret is another one, of 160 bits', () => {
  const secrets = Array.from({ length: 100 }, newSecret)
  expect(new Set(secrets).size).toBe(100)
  expect(secrets.every((one) => /^[A-Z2-7]{32}$/.test(one))).toBe(true)
})

test('the address for an app names nines, the account and the algorithm', () => {
  const url = new URL(otpauthUrl(secret, 'ada+x@example.com'))
  expect([url.protocol, url.host, decodeURIComponent(url.pathname)]).toEqual([
    'otpauth:',
    'totp',
    '/nines:ada+x@example.com',
  ])
  expect(Object.fromEntries(url.searchParams)).toEqual({
    secret,
    issuer: 'nines',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  })
})
