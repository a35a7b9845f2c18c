import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { createSeal } from '../../src/db/seal.ts'

const key = randomBytes(32)
const seal = createSeal(key)

test.each(['', 'x', '{"bearer":{"token":"s3cret"}}', 'ä€😀', 'x'.repeat(100_000)])(
  '%.40s comes back as it was',
  (plain) => {
    expect(seal.open(seal.close(plain))).toBe(plain)
    expect(createSeal(key).open(seal.close(plain))).toBe(plain)
  },
)

test('the sealed text shows nothing of the plain one', () => {
  const sealed = seal.close('s3cret')
  expect(sealed).toMatch(/^[A-Za-z0-9+/]+=*$/)
  expect(Buffer.from(sealed, 'base64').includes('s3cret')).toBe(false)
})

test('the same text is sealed differently every time, with a nonce of its own', () => {
  const sealed = Array.from({ length: 1000 }, () => seal.close('s3cret'))
  const nonces = sealed.map((text) => Buffer.from(text, 'base64').subarray(0, 12).toString('hex'))
  expect(new Set(nonces).size).toBe(1000)
})

test('a change of any single byte is noticed', () => {
  const bytes = Buffer.from(seal.close('s3cret'), 'base64')
  for (const at of bytes.keys()) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    expect(() => seal.open(changed.toString('base64'))).toThrow()
  }
})

test.each(['s3cret', ''])('a shortened seal of "%s" is noticed, however short', (plain) => {
  const bytes = Buffer.from(seal.close(plain), 'base64')
  for (const length of bytes.keys()) {
    expect(() => seal.open(bytes.subarray(0, length).toString('base64'))).toThrow()
  }
})

test('another key opens nothing', () => {
  expect(() => createSeal(randomBytes(32)).open(seal.close('s3cret'))).toThrow()
})
