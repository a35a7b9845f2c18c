import { networkOf } from '../headers/origin.ts'
import type { Connection } from './native-sockets.ts'

/** How many connections there may be: at all, and from one network (an IPv4 address, the /64 of an IPv6 one). */
export type Bounds = { maxConnections: number; maxPerNetwork: number; maxLive: number }

const minReserve = 48
const maxReserve = 1024

/**
 * What `maxDescriptors` leaves for connections: a quarter, 1,024 at most, is for files, sources, targets and receivers.
 * A network has half of them, so that there is room for others, and WebSockets, which last, have three quarters.
 */
export function boundsOf(maxDescriptors: number): Bounds {
  const reserve = Math.min(maxReserve, Math.max(minReserve, Math.ceil(maxDescriptors / 4)))
  const maxConnections = Math.max(8, maxDescriptors - reserve - minReserve)
  const maxPerNetwork = Math.max(4, Math.floor(maxConnections / 2))
  return { maxConnections, maxPerNetwork, maxLive: Math.max(4, Math.floor((maxConnections * 3) / 4)) }
}

type Trusted = { has(ip: string): boolean }

/**
 * Those that are to end, so that the rest is within the bounds: first who was never answered, then who has been silent
 * longest. A trusted proxy stands for many clients, and counts with all of them only.
 */
export function surplus(
  connections: Connection[],
  { maxConnections, maxPerNetwork }: Bounds,
  proxies: Trusted,
): Connection[] {
  const inOrder = connections.toSorted((a, b) => Number(b.isAnswered) - Number(a.isAnswered) || a.silentMs - b.silentMs)
  const places = new Map<string, number>()
  let kept = 0
  return inOrder.filter(({ ip }) => {
    const network = networkOf(ip)
    const taken = places.get(network) ?? 0
    if (kept >= maxConnections || (taken >= maxPerNetwork && !proxies.has(ip))) return true
    places.set(network, taken + 1)
    kept += 1
    return false
  })
}
