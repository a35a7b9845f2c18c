import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { expiryWords, stageOf } from '../../certificate.ts'

/**
 * Certificate chain and key of a listener, in PEM. `names`: names of the server in its certificate, as Node.js writes them
 * (`DNS:a.example, DNS:b.example`). The times are Unix seconds, of the certificate that expires first.
 */
export type TlsPair = { cert: string; key: string; names: string; startsAt: number; expiresAt: number }

/** Paths of `TLS_CERT` and `TLS_KEY`. */
export type TlsFiles = { cert: string; key: string }

/** Paths that the settings name; null: nines listens without TLS. */
export function tlsFilesOf(config: { tlsCert: string | null; tlsKey: string | null }): TlsFiles | null {
  const { tlsCert: cert, tlsKey: key } = config
  return cert === null || key === null ? null : { cert, key }
}

/** Reads a certificate and its key. Throws with the setting and what is wrong; nothing of the key is repeated. */
export function readTlsPair(files: TlsFiles): TlsPair {
  const cert = readPem(`TLS_CERT: ${files.cert}`, files.cert)
  const key = readPem(`TLS_KEY: ${files.key}`, files.key)
  const chain = (cert.match(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs) ?? []).map((text) => {
    try {
      return new X509Certificate(text)
    } catch (cause) {
      throw new Error(`TLS_CERT: ${files.cert} holds a certificate that cannot be read`, { cause })
    }
  })
  const [first] = chain
  if (!first)
    throw new Error(`TLS_CERT: ${files.cert} must hold a certificate in PEM, with those of its chain after it`)
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(key)) {
    throw new Error(`TLS_KEY: ${files.key} must hold a private key in PEM`)
  }
  if (key.includes('ENCRYPTED')) throw new Error(`TLS_KEY: ${files.key} must be without a passphrase`)
  assertFits({ cert, key }, files)
  const earliest = chain.reduce((one, other) => (expiryOf(other) < expiryOf(one) ? other : one))
  return {
    cert,
    key,
    names: first.subjectAltName ?? first.subject,
    startsAt: Date.parse(earliest.validFrom) / 1000,
    expiresAt: expiryOf(earliest),
  }
}

const expiryOf = ({ validTo }: X509Certificate) => Date.parse(validTo) / 1000

/** `name`: setting and path, for the error. */
function readPem(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    throw new Error(`${name} cannot be read (${reason})`, { cause })
  }
}

/** Throws if a TLS server cannot use the key with the certificate. */
function assertFits(pair: { cert: string; key: string }, files: TlsFiles): void {
  try {
    createSecureContext(pair)
  } catch (cause) {
    const isMismatch = cause instanceof Error && cause.message.includes('KEY_VALUES_MISMATCH')
    const problem = isMismatch ? `is not the key of ${files.cert}` : `does not serve with ${files.cert}`
    throw new Error(`TLS_KEY: ${files.key} ${problem}`, { cause })
  }
}

/** Sentence about a certificate that has expired or soon will; null if there is time. */
export function expiryProblem(pair: TlsPair, nowMs: number): string | null {
  if (stageOf(pair, nowMs / 1000) === null) return null
  return `the certificate of TLS_CERT ${expiryWords(pair.expiresAt * 1000, nowMs)}`
}
