import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import type { Gauges } from './gauges.ts'

/**
 * Earliest expiry of a server's certificates, in Unix seconds. `earliestExpiry`: of all that it sent; `chainExpiry`: of the
 * chain that proves its identity, null if that is not trusted. `version`: TLS version, as in `TLS 1.3`.
 */
export type Certificates = { earliestExpiry: number; chainExpiry: number | null; version: string }

/** Certificates of a connected server; null if it sent none. */
export function certificatesOf(socket: TLSSocket): Certificates | null {
  const sent = sentBy(socket)
  if (sent.length === 0) return null
  return {
    earliestExpiry: earliestOf(sent),
    chainExpiry: socket.authorized ? earliestOf(chainOf(sent)) : null,
    version: socket.getProtocol()?.replace('v', ' ') ?? 'unknown',
  }
}

/** Sets the gauges of the blackbox exporter for certificates; none without certificates. */
export function setCertificates(gauges: Gauges, certificates: Certificates | null) {
  if (!certificates) return
  const { earliestExpiry, chainExpiry, version } = certificates
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

function earliestOf(certificates: readonly DetailedPeerCertificate[]): number {
  return Math.min(...certificates.map(({ valid_to }) => Date.parse(valid_to) / 1000))
}
