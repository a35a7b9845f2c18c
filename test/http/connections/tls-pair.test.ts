import { afterEach, describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { expiryProblem, readTlsPair, tlsFilesOf } from '../../../src/http/connections/tls-pair.ts'
import { closeAll } from '../../support/closing.ts'
import { makeCertificate } from '../../support/make-certificate.ts'
import { certificate, dayMs, filesOf, nowMs } from './pair-files.ts'

afterEach(closeAll)

describe('certificate and key', () => {
  test('are read with their names, and the expiry of the first of the chain that expires', () => {
    const authority = makeCertificate({ names: ['ca'], fromMs: nowMs - dayMs, untilMs: nowMs + 5 * dayMs })
    const leaf = makeCertificate({
      names: ['nines.test', 'www.nines.test'],
      fromMs: nowMs,
      untilMs: nowMs + 60 * dayMs,
      issuer: authority,
    })
    const pair = readTlsPair(filesOf({ cert: leaf.cert + authority.cert, key: leaf.key }).files)
    expect(pair.names).toContain('www.nines.test')
    expect(pair.expiresAt).toBe((nowMs + 5 * dayMs) / 1000)
  })

  const { cert, key } = certificate(60)
  const encrypted = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'hunter2',
  })
  test.each([
    ['a text that is no certificate', { cert: 'hello', key }, /^TLS_CERT: .*cert\.pem must hold a certificate in PEM/],
    [
      'a damaged certificate',
      { cert: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', key },
      /^TLS_CERT: .* cannot be read/,
    ],
    ['a text that is no key', { cert, key: cert }, /^TLS_KEY: .*key\.pem must hold a private key in PEM/],
    ['a key with a passphrase', { cert, key: String(encrypted) }, /^TLS_KEY: .* must be without a passphrase/],
    [
      'the key of another certificate',
      { cert, key: certificate(60).key },
      /^TLS_KEY: .* is not the key of .*cert\.pem/,
    ],
  ])('%s is refused with the setting that names it', (_, texts, message) => {
    const { files } = filesOf(texts)
    expect(() => readTlsPair(files)).toThrow(message)
  })

  test('a file that does not exist is named, with the reason', () => {
    expect(() => readTlsPair({ cert: '/nowhere/cert.pem', key: '/nowhere/key.pem' })).toThrow(
      'TLS_CERT: /nowhere/cert.pem cannot be read (ENOENT)',
    )
  })

  test('neither setting is no TLS', () => {
    expect(tlsFilesOf({ tlsCert: null, tlsKey: null })).toBeNull()
  })

  test.each([
    [60, null],
    [5, 'the certificate of TLS_CERT expires in 5 days'],
    [1, 'the certificate of TLS_CERT expires in 1 day'],
    [-1, 'the certificate of TLS_CERT expired 1 day ago'],
  ])('one that expires in %p days is reported as %p', (days, sentence) => {
    expect(expiryProblem(readTlsPair(filesOf(certificate(days, -90)).files), nowMs)).toBe(sentence)
  })
})
