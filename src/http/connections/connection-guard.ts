import { minuteMs, stopwatch } from '../../clock.ts'
import { addressSet } from '../../cidr.ts'
import type { Log } from '../../log.ts'
import type { AcceptGate } from './accept-gate.ts'
import type { Connection, Sockets } from './native-sockets.ts'
import { networkOf } from '../headers/origin.ts'

/** Maximum number of connections: in total, per network (an IPv4 address, or the /64 of an IPv6 address), and of WebSockets. */
export type Bounds = { maxConnections: number; maxPerNetwork: number; maxLive: number }

const minReserve = 48
const maxReserve = 1024

/**
 * Connection limits for `maxDescriptors`. A quarter (48 to 1,024) and another 48 are reserved for files, sources, targets and receivers. One
 * network gets half of the connections, so that others find room; WebSockets, which are long-lived, get three quarters.
 */
export function boundsOf(maxDescriptors: number): Bounds {
  const reserve = Math.min(maxReserve, Math.max(minReserve, Math.ceil(maxDescriptors / 4)))
  const maxConnections = Math.max(8, maxDescriptors - reserve - minReserve)
  const maxPerNetwork = Math.max(4, Math.floor(maxConnections / 2))
  return { maxConnections, maxPerNetwork, maxLive: Math.max(4, Math.floor((maxConnections * 3) / 4)) }
}

type Trusted = { has(ip: string): boolean }

/**
 * Connections to end so that the others are within the bounds: connections without a response first, then the ones silent
 * longest. A trusted proxy serves many clients, so only the total bound applies to it.
 */
export function excessConnections(
  connections: Connection[],
  { maxConnections, maxPerNetwork }: Bounds,
  proxies: Trusted,
): Connection[] {
  const inOrder = connections.toSorted((a, b) => Number(b.isAnswered) - Number(a.isAnswered) || a.silentMs - b.silentMs)
  const countByNetwork = new Map<string, number>()
  let total = 0
  return inOrder.filter(({ ip }) => {
    const network = networkOf(ip)
    const openCount = countByNetwork.get(network) ?? 0
    if (total >= maxConnections || (openCount >= maxPerNetwork && !proxies.has(ip))) return true
    countByNetwork.set(network, openCount + 1)
    total += 1
    return false
  })
}

/** An address of each network that has reached its limit. */
function networksAtLimit(connections: Connection[], { maxPerNetwork }: Bounds, proxies: Trusted): string[] {
  const byNetwork = Map.groupBy(connections, ({ ip }) => networkOf(ip))
  return [...byNetwork.values()].flatMap(([first, ...others]) =>
    first && others.length + 1 >= maxPerNetwork && !proxies.has(first.ip) ? [first.ip] : [],
  )
}

type Deps = {
  sockets: Sockets
  gate: AcceptGate
  bounds: Bounds
  maxDescriptors: number
  log: Log
  trustProxy: string[]
  maxSilentMs: number
}

export type ConnectionGuard = { stop(): void }

const calmIntervalMs = 100
const pressureIntervalMs = 20
const pressureHoldMs = 5000
const maxSweepIntervalMs = 5000
const warningIntervalMs = minuteMs
const defaultBacklog = 512
const scarceDescriptors = 1024

/**
 * Keeps descriptors free for files and for requests that nines sends. It ends connections beyond the bounds, and connections
 * without a response after `maxSilentMs`, the time that a slow request may take with its body. Under pressure, the server
 * accepts only as many connections at once as there is room for, and few from networks at their limit, so that others find a
 * place in the queue. While half of the descriptors are free, it only counts them.
 */
export function guardConnections({
  sockets,
  gate,
  bounds,
  maxDescriptors,
  log,
  trustProxy,
  maxSilentMs,
}: Deps): ConnectionGuard {
  const proxies = addressSet(trustProxy)
  const sweepIntervalMs = Math.min(maxSweepIntervalMs, maxSilentMs / 4)
  const firstSeenMs = new Map<string, number>()
  let isUnderPressure = false
  let pressureUntilMs = 0
  let lastSweepMs = 0
  let lastWarningMs = -warningIntervalMs
  let timer = setTimeout(checkConnections, calmIntervalMs)
  const { setAccepting } = sockets
  gate.attach({ setAccepting, isScarce: () => maxDescriptors - sockets.openDescriptors() < scarceDescriptors })

  function checkConnections(): void {
    const nowMs = stopwatch.now()
    const isSweep = nowMs - lastSweepMs >= sweepIntervalMs
    if (isUnderPressure || isSweep || sockets.openDescriptors() > maxDescriptors / 2) {
      const connections = sockets.connections()
      const ended = excessConnections(connections, bounds, proxies)
      if (isSweep) {
        lastSweepMs = nowMs
        ended.push(...timedOut(connections, nowMs))
      }
      for (const one of new Set(ended)) sockets.end(one)
      updatePressure(connections.length, ended.length, nowMs)
      sockets.setThrottledNetworks(isUnderPressure ? networksAtLimit(connections, bounds, proxies) : [])
    }
    timer = setTimeout(checkConnections, isUnderPressure ? pressureIntervalMs : calmIntervalMs)
  }

  /** Connections that had enough time for a whole request and its response. */
  function timedOut(connections: Connection[], nowMs: number): Connection[] {
    const waiting = connections.filter(({ isAnswered }) => !isAnswered)
    const names = new Set(waiting.map(keyOf))
    for (const name of firstSeenMs.keys()) if (!names.has(name)) firstSeenMs.delete(name)
    for (const name of names) if (!firstSeenMs.has(name)) firstSeenMs.set(name, nowMs)
    return waiting.filter((one) => nowMs - (firstSeenMs.get(keyOf(one)) ?? nowMs) > maxSilentMs)
  }

  function updatePressure(count: number, ended: number, nowMs: number): void {
    const { maxConnections } = bounds
    const wasUnderPressure = isUnderPressure
    if (ended > 0 || count > (3 / 4) * maxConnections) pressureUntilMs = nowMs + pressureHoldMs
    isUnderPressure = nowMs < pressureUntilMs
    if (isUnderPressure && nowMs - lastWarningMs >= warningIntervalMs) {
      lastWarningMs = nowMs
      const descriptors = { open_descriptors: sockets.openDescriptors(), max_descriptors: maxDescriptors }
      log.warn('connections near the limit', { connections: count, max: maxConnections, ended, ...descriptors })
    }
    if (!isUnderPressure && !wasUnderPressure) return
    if (isUnderPressure) sockets.setBacklog(Math.max(4, Math.floor((maxConnections - count + ended) / 2)))
    else sockets.setBacklog(defaultBacklog)
    gate.setOpen(true)
    if (isUnderPressure) setImmediate(() => setImmediate(() => isUnderPressure && gate.setOpen(false))) // accepts the waiting connections once
  }

  return {
    stop() {
      clearTimeout(timer)
      gate.attach(undefined)
      sockets.setAccepting(true)
      sockets.setThrottledNetworks([])
      sockets.close()
    },
  }
}

const keyOf = ({ descriptor, ip, port }: Connection) => `${descriptor} ${ip} ${port}`
