import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import type { Gauges } from './gauges.ts'

/** When certificates of a server end, in Unix seconds. `chainExpiry`: of those that prove it; null where nothing does. */
export type Certificates = { earliestExpiry: number; chainExpiry: number | null; version: string }

/** Null for a server that shows none. */
export function certificatesOf(socket: TLSSocket): Certificates | null {
  const sent = sentBy(socket)
  if (sent.length === 0) return null
  return {
    earliestExpiry: earliestOf(sent),
    chainExpiry: socket.authorized ? earliestOf(chainOf(sent)) : null,
    version: socket.getProtocol()?.replace('v', ' ') ?? 'unknown',
  }
}

/** As the blackbox exporter reports them; nothing without certificates. */
export function setCertificates(gauges: Gauges, certificates: Certificates | null) {
  if (!certificates) return
  const { earliestExpiry, chainExpiry, version } = certificates
  gauges.set('probe_ssl_earliest_cert_expiry', earliestExpiry)
  if (chainExpiry !== null) gauges.set('probe_ssl_last_chain_expiry_timestamp_seconds', chainExpiry)
  gauges.set('probe_tls_version_info', 1, ['version', version])
}

/** All that the server sent, in its order, and then what of the trusted ones they end in. */
function sentBy(socket: TLSSocket): DetailedPeerCertificate[] {
  const sent: DetailedPeerCertificate[] = []
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true)
  while (next?.valid_to !== undefined && !sent.includes(next)) {
    sent.push(next)
    next = next.issuerCertificate
  }
  return sent
}

/** The first, who issued it, and so on: servers send others with them. */
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
