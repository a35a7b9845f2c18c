import { networkInterfaces } from 'node:os'
import { type AddressSet, addressSet, embeddedIpv4 } from '../cidr.ts'
import { OutboundError } from './outbound-error.ts'

/** What decides where nines may connect to. */
export type ReachOptions = {
  /** CIDRs that nothing reaches. */
  deny: string[]
  /** Denies `privateRanges`, but for these CIDRs; null: they may be reached. */
  allowPrivate?: string[] | null
  /** The port that nines itself listens on; null: it does not listen (yet). */
  ownPort?: () => number | null
}

/** Past which checks a connection goes. `toPrivate`: the operator named the place; `toOwn`: nines asks itself. */
export type ReachExceptions = { toPrivate?: boolean | undefined; toOwn?: boolean | undefined }

/** Throws a `forbidden` `OutboundError` for an address and port that may not be connected to. */
export type AssertReachable = (address: string, port: number, exceptions?: ReachExceptions) => void

/** What an outsider has no other way to: the machine itself, and the networks that it is in. */
export const privateRanges = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::/128',
  '::1/128',
  'fc00::/7',
]

export function createReach({ deny, allowPrivate = null, ownPort = () => null }: ReachOptions): AssertReachable {
  const denied = addressSet(deny)
  const privates = addressSet(privateRanges)
  const allowed = addressSet(allowPrivate ?? privateRanges)

  return (address, port, { toPrivate = false, toOwn = false } = {}) => {
    const places = [address, ...embeddedIpv4(address)]
    if (places.flatMap(alsoLoopback).some(denied.has)) {
      throw new OutboundError('forbidden', `the address ${address} is denied (OUTBOUND_DENY)`)
    }
    if (port === ownPort() && places.some(isOwn)) {
      if (toOwn) return
      throw new OutboundError('forbidden', `the address ${address} with port ${port} is where nines itself listens`)
    }
    if (!toPrivate && places.some((place) => privates.has(place) && !allowed.has(place))) {
      const why = 'with REGISTRATION=open it is reached only if OUTBOUND_ALLOW names it'
      throw new OutboundError('forbidden', `the address ${address} is private: ${why}`)
    }
  }
}

/** Connecting to these reaches the machine itself. */
const unspecified = addressSet(['0.0.0.0/8', '::'])
const loopback = addressSet(['127.0.0.0/8', '::1'])

function alsoLoopback(place: string): string[] {
  return unspecified.has(place) ? [place, '127.0.0.1', '::1'] : [place]
}

/** Whether this machine answers at an address. */
function isOwn(place: string): boolean {
  return unspecified.has(place) || loopback.has(place) || ownInterfaces().has(withoutZone(place))
}

/** They may change while nines runs. */
function ownInterfaces(): AddressSet {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return addressSet(own.map(({ address }) => withoutZone(address)))
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/s, '')
}

/** Whether two lists of addresses have one in common, in whatever spelling; those of this machine are all the same one. */
export function isSameHost(some: string[], others: string[]): boolean {
  const [places, otherPlaces] = [some, others].map((addresses) =>
    addresses.flatMap((address) => [address, ...embeddedIpv4(address)].map(withoutZone)),
  )
  if (!places || !otherPlaces) return false
  return places.some(addressSet(otherPlaces).has) || (places.some(isOwn) && otherPlaces.some(isOwn))
}
