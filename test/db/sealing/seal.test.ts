import { expect, test } from 'bun:test'
import { createCipheriv, randomBytes } from 'node:crypto'
import { createSeal, type SealedColumn } from '../../../src/db/sealing/seal.ts'

const key = randomBytes(32)
const { seal, unseal, keyId } = createSeal(key)
const column = 'channels.sealed_configuration'
const row = { id: 3, organization_id: 7 }
const bytesOf = (sealed: string) => Buffer.from(sealed.replace(/^v2:/, ''), 'base64')
const textOf = (bytes: Buffer) => `v2:${bytes.toString('base64')}`

test.each(['', 'x', '{"bearer":{"token":"s3cret"}}', 'ä€😀', 'x'.repeat(100_000)])(
  '%.40s comes back as it was',
  (plain) => {
    expect(unseal(seal(plain, column, row), column, row)).toBe(plain)
    expect(createSeal(key).unseal(seal(plain, column, row), column, row)).toBe(plain)
  },
)

test('the sealed text shows nothing of the plain one', () => {
  const sealed = seal('s3cret', column, row)
  expect(sealed).toMatch(/^v2:[A-Za-z0-9+/]+=*$/)
  expect(bytesOf(sealed).includes('s3cret')).toBe(false)
})

test('the same text is sealed differently every time, with a nonce of its own', () => {
  const sealed = Array.from({ length: 1000 }, () => seal('s3cret', column, row))
  const nonces = sealed.map((text) => bytesOf(text).subarray(0, 12).toString('hex'))
  expect(new Set(nonces).size).toBe(1000)
})

test('a change of any single byte is noticed', () => {
  const bytes = bytesOf(seal('s3cret', column, row))
  for (const at of bytes.keys()) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    expect(() => unseal(textOf(changed), column, row)).toThrow()
  }
})

test.each(['s3cret', ''])('a shortened seal of "%s" is noticed, however short', (plain) => {
  const bytes = bytesOf(seal(plain, column, row))
  for (const length of bytes.keys()) {
    expect(() => unseal(textOf(bytes.subarray(0, length)), column, row)).toThrow()
  }
})

test('another key opens nothing, and has another id, which reveals nothing of the key', () => {
  const other = createSeal(randomBytes(32))
  expect(() => other.unseal(seal('s3cret', column, row), column, row)).toThrow(
    'channels.sealed_configuration of 3 must be sealed with seal.secret, and for this row',
  )
  expect(other.keyId).not.toBe(keyId)
  expect([createSeal(key).keyId, key.toString('hex').includes(keyId)]).toEqual([keyId, false])
})

test.each<[string, SealedColumn, typeof row]>([
  ['row', column, { ...row, id: 4 }],
  ['organization', column, { ...row, organization_id: 8 }],
  ['column', 'probes.sealed_settings', row],
  ['pair of ids whose digits read the same', column, { id: 37, organization_id: 0 }],
])('a value does not open for another %s', (_, otherColumn, otherRow) => {
  expect(() => unseal(seal('s3cret', column, row), otherColumn, otherRow)).toThrow('and for this row')
})

test('a value in the form that was bound to nothing does not open, nor when it claims to be of this one', () => {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const body = Buffer.concat([cipher.update('s3cret'), cipher.final()])
  const unbound = Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
  expect(() => unseal(unbound, column, row)).toThrow('a sealed value must begin with "v2:"')
  expect(() => unseal(`v2:${unbound}`, column, row)).toThrow('and for this row')
})
