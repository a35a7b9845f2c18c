import { BlockList, isIP } from 'node:net'

export type AddressSet = { has(address: string): boolean }

/**
 * The IP addresses inside any of `cidrs` (`10.0.0.0/8`, `fe80::/10`, or a bare address); throws an `Error` that names an
 * item which is neither. An IPv4-mapped IPv6 address counts as the IPv4 address it holds, in every spelling; what is no
 * address at all is in no set.
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

/** Takes a CIDR or a bare address (all of its bits) apart; throws an `Error` that names what it could not read. */
export function readCidr(cidr: string): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } {
  const [address = '', bits, ...rest] = cidr.split('/')
  const version = isIP(address)
  const most = version === 4 ? 32 : 128
  const prefix = bits === undefined ? most : Number(bits)
  // BlockList itself takes `1.2.3/8` without a word
  if (version === 0 || rest.length > 0 || !/^\d+$/.test(bits ?? '0') || prefix > most) {
    throw new Error(`wanted an IP address or a CIDR, got "${cidr}"`)
  }
  return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' }
}
