import { isIP } from 'node:net'
import { ipv6Groups } from '../../cidr.ts'
import type { ServerCertificate } from '../../certificate.ts'
import type { Label } from '../exposition/sample.ts'
import type { CollectedSample } from '../collection/target.ts'

/** Gauges of a probe so far; setting one again replaces its value. */
export type Gauges = {
  set(name: string, value: number, label?: Label): void
  samples(): CollectedSample[]
  /** Certificate of the server of the last connection; null: it has none, or there was no connection. */
  certificate: ServerCertificate | null
}

export function createGauges(): Gauges {
  const samples = new Map<string, CollectedSample>()
  return {
    set(name, value, label) {
      const labels: Label[] = [['__name__', name], ...(label ? [label] : [])]
      samples.set(JSON.stringify(labels), { labels, value })
    },
    samples: () => [...samples.values()],
    certificate: null,
  }
}

/**
 * Sets the duration of the name lookup, the IP version of the address (4, 6, or 0 if there is none), and a number that changes
 * with the address.
 */
export function setLookup(gauges: Gauges, seconds: number, address: string | null) {
  gauges.set('probe_dns_lookup_time_seconds', seconds)
  gauges.set('probe_ip_protocol', isIP(address ?? ''))
  gauges.set('probe_ip_addr_hash', address === null ? 0 : hashOf(address))
}

/** FNV-1a (32 bits) of the bytes of an address, like the blackbox exporter. */
function hashOf(address: string): number {
  return bytesOf(address).reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, 0x811c9dc5)
}

function bytesOf(address: string): number[] {
  if (isIP(address) === 4) return address.split('.').map(Number)
  return (ipv6Groups(address) ?? []).flatMap((group) => [group >> 8, group & 0xff])
}
