import { BlockList, isIP } from 'node:net'

type AddressSet = { has(address: string): boolean }

/**
 * Set of the IP addresses inside any of `cidrs` (`10.0.0.0/8`, `fe80::/10`, or a bare address). Throws an `Error` that names an
 * item that is neither. An IPv4-mapped IPv6 address counts as its IPv4 address, in every spelling. A text that is not an
 * address is in no set.
 */
export function addressSet(cidrs: string[]): AddressSet {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const { address, prefix, family } = readCidr(cidr)
    list.addSubnet(address, prefix, family)
  }
  return {
    has: (address) => {
      const version = isIP(address)
      return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6')
    },
  }
}

/** Splits a CIDR or a bare address (all of its bits). Throws an `Error` that names the text it could not read. */
export function readCidr(cidr: string): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } {
  const [address = '', bits, ...rest] = cidr.split('/')
  const version = isIP(address)
  const max = version === 4 ? 32 : 128
  const prefix = bits === undefined ? max : Number(bits)
  // BlockList accepts `1.2.3/8` without an error
  if (version === 0 || rest.length > 0 || !/^\d+$/.test(bits ?? '0') || prefix > max) {
    throw new Error(`must be an IP address or a CIDR, got "${cidr}"`)
  }
  return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' }
}

/** The eight groups of an IPv6 address in any spelling, without its zone. Undefined if `address` is not IPv6. */
export function ipv6Groups(address: string): number[] | undefined {
  const bare = address.replace(/%.*$/s, '')
  if (isIP(bare) !== 6) return undefined
  const [head = '', tail] = new URL(`http://[${bare}]/`).hostname.slice(1, -1).split('::')
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')]
  return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last]
}

/**
 * IPv4 addresses that a packet to an IPv6 address may reach: mapped and compatible addresses (RFC 4291), NAT64 (RFC 6052, and
 * RFC 8215 with any prefix length), IPv4-translated (RFC 2765), 6to4 (RFC 3056), server and client of Teredo (RFC 4380), and
 * ISATAP (RFC 5214) inside any network.
 */
export function embeddedIpv4(address: string): string[] {
  const groups = ipv6Groups(address)
  if (!groups) return []
  const isIsatap = groups[5] === 0x5efe && (groups[4] === 0 || groups[4] === 0x200)
  return [...embeddedByPrefix(groups), ...(isIsatap ? [ipv4At(groups, 12, 13, 14, 15)] : [])]
}

function embeddedByPrefix(groups: number[]): string[] {
  const at = (...places: number[]) => ipv4At(groups, ...places)
  const begins = (...start: number[]) => start.every((group, place) => groups[place] === group)
  const last = at(12, 13, 14, 15)
  if (begins(0, 0, 0, 0, 0, 0xffff) || begins(0, 0, 0, 0, 0xffff, 0)) return [last] // mapped, translated
  if (begins(0, 0, 0, 0, 0, 0)) return groups[6] === 0 ? [] : [last] // compatible; `::` and `::1` embed none
  if (begins(0x64, 0xff9b, 0, 0, 0, 0)) return [last] // NAT64
  if (begins(0x64, 0xff9b, 1)) {
    // NAT64 of RFC 8215: the place of the address depends on the prefix, here of 96, 48, 56 and 64 bits
    const candidates = [last, at(6, 7, 9, 10), at(7, 9, 10, 11), at(9, 10, 11, 12)]
    return candidates.filter((one) => !one.startsWith('0.')) // with a longer prefix, candidates for shorter ones begin with 0
  }
  if (begins(0x2002)) return [at(2, 3, 4, 5)] // 6to4
  if (begins(0x2001, 0)) {
    // Teredo: the server, and the client with its bits inverted
    const inverted = groups.map((group) => group ^ 0xffff)
    return [at(4, 5, 6, 7), ipv4At(inverted, 12, 13, 14, 15)]
  }
  return []
}

/** The bytes at these places of an IPv6 address, as dotted IPv4. */
function ipv4At(groups: number[], ...places: number[]): string {
  const bytes = groups.flatMap((group) => [group >> 8, group & 0xff])
  return places.map((place) => bytes[place]).join('.')
}

function groupsOf(part: string): number[] {
  return part === '' ? [] : part.split(':').map((group) => parseInt(group, 16))
}

/**
 * Addresses that no source or channel may reach unless `OUTBOUND_DENY` is set: link-local, where the large clouds keep their
 * instance metadata and its credentials, and metadata services at other addresses.
 */
export const defaultOutboundDeny = [
  '169.254.0.0/16', // AWS, Azure, Google, Oracle, OpenStack, DigitalOcean, Hetzner, …
  'fe80::/10',
  'fd00:ec2::254/128', // AWS instance metadata
  'fd00:ec2::23/128', // AWS EKS pod identity
  'fd20:ce::254/128', // Google
  'fd00:c1::a9fe:a9fe/128', // Oracle
  'fd00:42::42/128', // Scaleway
  '100.100.100.200/32', // Alibaba
  '168.63.129.16/32', // Azure WireServer
  '192.0.0.192/32', // Oracle Classic
]
