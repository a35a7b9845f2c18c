import { networkInterfaces } from 'node:os'
import { addressSet, embeddedIpv4 } from '../../cidr.ts'
import { OutboundError } from './error.ts'

/** Settings that decide where nines may connect to. */
export type ReachOptions = {
  /** CIDRs that may never be connected to. */
  deny: string[]
  /** Denies `privateRanges` and the machine's own addresses, except these CIDRs; null: private addresses are allowed. */
  allowPrivate?: string[] | null
  /** Port that nines listens on; null: it does not listen (yet). */
  ownPort?: () => number | null
  /** Addresses of the machine's interfaces, which may change while nines runs. */
  ownAddresses?: () => string[]
}

/**
 * Checks to skip. `allowPrivate`: the operator configured the host, so private addresses are allowed. `allowSelf`: a request of nines
 * to itself.
 */
export type ReachExceptions = { allowPrivate?: boolean | undefined; allowSelf?: boolean | undefined }

/**
 * Throws a `forbidden` `OutboundError` for an address and port that may not be connected to. `isResolved`: the address comes
 * from a name server. Then the error omits the address, and with open registration also the reason: both would reveal what
 * names in the operator's network resolve to.
 */
type AssertReachable = (address: string, port: number, exceptions?: ReachExceptions & { isResolved?: boolean }) => void

/**
 * Ranges that an outsider cannot reach otherwise: this machine, its networks, and addresses that are not hosts on the internet.
 */
const privateRanges = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24', // IETF protocol assignments
  '192.0.2.0/24', // documentation, as are the two of 198.51.100.0 and 203.0.113.0
  '192.88.99.0/24', // anycast of 6to4 relays
  '192.168.0.0/16',
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  '::/128',
  '::1/128',
  '100::/64', // discard
  '2001:db8::/32', // documentation
  '3fff::/20', // documentation
  '5f00::/16', // segment routing
  'fc00::/7',
  'fe80::/10',
  'fec0::/10', // site-local
  'ff00::/8', // multicast
]

export function createReach(options: ReachOptions): AssertReachable {
  const { deny, allowPrivate: exceptions = null, ownPort = () => null, ownAddresses = interfaceAddresses } = options
  const denied = addressSet(deny)
  const privates = addressSet(privateRanges)
  const allowed = addressSet(exceptions ?? [])

  /**
   * Checks an address against the settings; the result never changes. `spellings`: the address and an IPv4 address embedded in it;
   * `notAllowed`: those of them that `OUTBOUND_ALLOW` does not name.
   */
  const checked = memoized((address) => {
    const spellings = [address, ...embeddedIpv4(address)]
    const notAllowed = spellings.filter((one) => !allowed.has(one))
    const isDenied = spellings.flatMap(alsoLoopback).some(denied.has)
    return { spellings, notAllowed, isDenied, isPrivate: notAllowed.some(privates.has) }
  })

  return (address, port, { allowPrivate = false, allowSelf = false, isResolved = false } = {}) => {
    const { spellings, notAllowed, isDenied, isPrivate } = checked(address)
    const refusal = (why: string) => {
      const subject = isResolved ? 'the address of the host' : `the address ${address}`
      const isSecret = isResolved && exceptions !== null
      return new OutboundError('forbidden', `${subject} ${isSecret ? secretReason : why}`)
    }
    if (isDenied) throw refusal('is denied (OUTBOUND_DENY)')
    if (port === ownPort() && spellings.some(ownAddressTest(ownAddresses()))) {
      if (allowSelf) return
      throw refusal(`with port ${port} is where nines itself listens`)
    }
    if (allowPrivate || exceptions === null || notAllowed.length === 0) return
    if (isPrivate || notAllowed.some(ownAddressTest(ownAddresses()))) {
      throw refusal(
        `is ${isPrivate ? 'private' : 'of this machine'}: with REGISTRATION=open it is reached only if OUTBOUND_ALLOW names it`,
      )
    }
  }
}

const secretReason =
  'may not be reached: OUTBOUND_DENY names it, or it is private or of this machine and OUTBOUND_ALLOW does not name it'

const maxRemembered = 1000

function memoized<T>(find: (address: string) => T): (address: string) => T {
  const valueByAddress = new Map<string, T>()
  return (address) => {
    const known = valueByAddress.get(address)
    if (known !== undefined) return known
    if (valueByAddress.size >= maxRemembered) valueByAddress.clear()
    const value = find(address)
    valueByAddress.set(address, value)
    return value
  }
}

/** Unspecified addresses: connecting to them reaches this machine. */
const unspecified = addressSet(['0.0.0.0/8', '::'])
const loopback = addressSet(['127.0.0.0/8', '::1'])

function alsoLoopback(address: string): string[] {
  return unspecified.has(address) ? [address, '127.0.0.1', '::1'] : [address]
}

/** Returns a predicate for addresses of this machine, given its interface addresses. */
function ownAddressTest(addresses: string[]): (address: string) => boolean {
  const own = addressSet(addresses.map(withoutZone))
  return (address) => unspecified.has(address) || loopback.has(address) || own.has(withoutZone(address))
}

function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address))
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/s, '')
}

/** True if two lists share an address, in any spelling. All addresses of this machine count as the same. */
export function isSameHost(one: string[], other: string[]): boolean {
  const [spellings, otherSpellings] = [one, other].map((addresses) =>
    addresses.flatMap((address) => [address, ...embeddedIpv4(address)].map(withoutZone)),
  )
  if (!spellings || !otherSpellings) return false
  const isOwn = ownAddressTest(interfaceAddresses())
  return spellings.some(addressSet(otherSpellings).has) || (spellings.some(isOwn) && otherSpellings.some(isOwn))
}
