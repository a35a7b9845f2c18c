import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { type Static, t } from 'elysia'
import { invalid } from '../errors.ts'
import { readCertificates } from './outbound/authorities.ts'
import { readerOf } from './schemas.ts'

const Pem = (maxLength: number, subject: string) =>
  t.String({ minLength: 1, maxLength, description: `${subject}, as PEM of at most ${maxLength} characters` })

export const EndpointTls = t.Object(
  {
    ca: t.Optional(Pem(131_072, 'the certificates of the authorities that are trusted instead of the usual ones')),
    certificate: t.Optional(Pem(32_768, 'the certificate that nines shows, with those between it and its authority')),
    key: t.Optional(Pem(16_384, 'the private key of the certificate, without a passphrase')),
  },
  {
    minProperties: 1,
    additionalProperties: false, // all but `key` is shown again: an unknown field could hold a secret
    description: 'an object with ca, or certificate and key, or all three',
  },
)

/** Trust in one server over TLS, and the certificate with which nines answers when that server asks for one. */
export type EndpointTls = Static<typeof EndpointTls>

const readConfiguration = readerOf(t.Object({ configuration: t.Object({ tls: EndpointTls }) }))

/** Reads `tls` of a `configuration` that has no schema of its own. Throws the errors of an invalid body. */
export function readConfiguredTls(sent: unknown): EndpointTls {
  return readConfiguration({ configuration: { tls: sent } }).configuration.tls
}

/** Throws `invalid` if `url` is not https, or for the reasons of `assertPair`. `field`: path of `tls` in the body. */
export function assertTls(tls: EndpointTls, field: string, url: string): void {
  if (URL.parse(url)?.protocol !== 'https:') throw invalid(field, 'needs an https URL')
  assertPair(tls, field)
}

/** Throws `invalid` if TLS cannot use the certificates or the key. `field`: path of `tls` in the body. */
export function assertPair({ ca, certificate, key }: EndpointTls, field: string): void {
  if (ca !== undefined) assertPem(`${field}.ca`, () => readShown(ca))
  if (certificate === undefined && key === undefined) return
  if (certificate === undefined) throw invalid(`${field}.certificate`, 'is required with key')
  if (key === undefined) throw invalid(`${field}.key`, 'is required with certificate')
  const [first] = assertPem(`${field}.certificate`, () => readShown(certificate))
  const privateKey = readKey(`${field}.key`, key)
  if (!new X509Certificate(first).checkPrivateKey(privateKey)) {
    throw invalid(`${field}.key`, 'must be the key of this certificate, not of another one')
  }
}

/** Options of `fetch` and of `tls.connect`. */
export function tlsOptions(tls: EndpointTls | undefined): { ca?: string; cert?: string; key?: string } {
  if (tls === undefined) return {}
  const { ca, certificate, key } = tls
  return {
    ...(ca !== undefined && { ca }),
    ...(certificate !== undefined && key !== undefined && { cert: certificate, key }),
  }
}

/** Certificates of a text that everybody in the organization can read. Throws if it has a key, or anything else in PEM. */
function readShown(pem: string): [string, ...string[]] {
  const certificates = readCertificates(pem)
  if (certificates.reduce((text, one) => text.replace(one, ''), pem).includes('-----BEGIN')) {
    throw new Error('must have certificates alone: the private key is sent as key, which is not shown again')
  }
  return certificates
}

function assertPem<T>(field: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw invalid(field, error instanceof Error ? error.message : String(error))
  }
}

function readKey(field: string, pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    // the reason of the library is not passed on: it may hold a part of the key
    throw invalid(field, 'must be a private key in PEM (-----BEGIN PRIVATE KEY-----), without a passphrase')
  }
}
