import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import type { ServerCertificate } from '../../certificate.ts'
import type { Gauges } from './gauges.ts'

/**
 * Certificates of a server. `earliestExpiry`: Unix seconds at which the first of all that it sent expires; `chainExpiry`: the same for the
 * chain that proves its identity, null if that is not trusted. `version`: TLS version, as in `TLS 1.3`. `certificate`: the first one; its
 * times are those of the first to expire in its chain, or, if that is not trusted, of all.
 */
export type Certificates = {
  earliestExpiry: number
  chainExpiry: number | null
  version: string
  certificate: ServerCertificate
}

/** Certificates of a connected server; null if it sent none. */
export function certificatesOf(socket: TLSSocket): Certificates | null {
  const sent = sentBy(socket)
  const [first] = sent
  if (!first) return null
  const chain = socket.authorized ? chainOf(sent) : null
  return {
    earliestExpiry: expiryOf(earliestOf(sent)),
    chainExpiry: chain && expiryOf(earliestOf(chain)),
    version: socket.getProtocol()?.replace('v', ' ') ?? 'unknown',
    certificate: certificateOf(first, earliestOf(chain ?? sent)),
  }
}

const maxNames = 20
const maxTextCharacters = 200

function certificateOf(first: DetailedPeerCertificate, earliest: DetailedPeerCertificate): ServerCertificate {
  return {
    fingerprint: first.fingerprint256.replaceAll(':', '').toLowerCase(),
    issuer: issuerOf(first),
    names: namesOf(first),
    startsAt: Date.parse(earliest.valid_from) / 1000,
    expiresAt: expiryOf(earliest),
  }
}

/** Issuer as `R11 (Let's Encrypt)`: its name, and its organization where the name does not contain that. */
function issuerOf({ issuer }: DetailedPeerCertificate): string {
  const [name, organization] = [textOf(issuer?.CN), textOf(issuer?.O)]
  if (name === '' || organization === '') return name || organization || 'unknown'
  return name.includes(organization) ? name : `${name} (${organization})`
}

/** Host names and addresses that a certificate is for; without any, the common name of its subject. */
function namesOf({ subjectaltname = '', subject }: DetailedPeerCertificate): string[] {
  const names = subjectaltname.split(', ').flatMap((one) => /^(?:DNS|IP Address):(.+)$/s.exec(one)?.[1] ?? [])
  const all = names.length > 0 ? names : [subject?.CN]
  return [...new Set(all.slice(0, maxNames).map(textOf))].filter((name) => name !== '')
}

/** Text from a certificate, which may hold anything: on one line, and cut. */
function textOf(value: unknown): string {
  const text = Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : ''
  return text.replaceAll(/\p{C}/gu, '').slice(0, maxTextCharacters)
}

/** Sets the certificate, and the gauges of the blackbox exporter for certificates; none without certificates. */
export function setCertificates(gauges: Gauges, certificates: Certificates | null) {
  if (!certificates) return
  const { earliestExpiry, chainExpiry, version, certificate } = certificates
  gauges.certificate = certificate
  gauges.set('probe_ssl_earliest_cert_expiry', earliestExpiry)
  if (chainExpiry !== null) gauges.set('probe_ssl_last_chain_expiry_timestamp_seconds', chainExpiry)
  gauges.set('probe_tls_version_info', 1, ['version', version])
}

/** All certificates that the server sent, in its order, followed by the trusted ones in which they end. */
function sentBy(socket: TLSSocket): DetailedPeerCertificate[] {
  const sent: DetailedPeerCertificate[] = []
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true)
  while (next?.valid_to !== undefined && !sent.includes(next)) {
    sent.push(next)
    next = next.issuerCertificate
  }
  return sent
}

/** The first certificate, its issuer, and so on; servers also send certificates that are not in the chain. */
function chainOf(sent: readonly DetailedPeerCertificate[]): DetailedPeerCertificate[] {
  const chain = sent.slice(0, 1)
  for (let last = chain[0]; last; last = chain.at(-1)) {
    const { issuer } = last
    const next = sent.find((one) => !chain.includes(one) && Bun.deepEquals(one.subject, issuer))
    if (!next) break
    chain.push(next)
  }
  return chain
}

function earliestOf(certificates: readonly DetailedPeerCertificate[]): DetailedPeerCertificate {
  return certificates.reduce((earliest, one) => (expiryOf(one) < expiryOf(earliest) ? one : earliest))
}

function expiryOf({ valid_to }: DetailedPeerCertificate): number {
  return Date.parse(valid_to) / 1000
}
