import { addressSet } from '../../cidr.ts'
import type { Log } from '../../log.ts'
import { type Bounds, surplus } from './connection-bounds.ts'
import type { Connection, Sockets } from './native-sockets.ts'

type Deps = {
  sockets: Sockets
  bounds: Bounds
  maxDescriptors: number
  log: Log
  trustProxy: string[]
  maxSilentMs: number
}

export type ConnectionGuard = { stop(): void }

const calmMs = 100
const pressedMs = 20
const calmAfterMs = 5000
const maxSweepMs = 5000
const warnMs = 60_000
const usualBacklog = 512

/**
 * Keeps descriptors free for files and for what nines itself asks, whatever connects: it ends connections beyond the
 * bounds, and those that have not had one answer after `maxSilentMs`, which is how long a slow request may take with its body. While there are many, it lets the server accept only
 * as many at once as there is room for. Where half of the descriptors are free it only counts them.
 */
export function guardConnections({
  sockets,
  bounds,
  maxDescriptors,
  log,
  trustProxy,
  maxSilentMs,
}: Deps): ConnectionGuard {
  const proxies = addressSet(trustProxy)
  const sweepMs = Math.min(maxSweepMs, maxSilentMs / 4)
  const firstSeen = new Map<string, number>()
  let isPressed = false
  let pressedUntil = 0
  let sweptAt = 0
  let warnedAt = -warnMs
  let timer = setTimeout(look, calmMs)

  function look(): void {
    const now = performance.now()
    const isSweep = now - sweptAt >= sweepMs
    if (isPressed || isSweep || sockets.openDescriptors() > maxDescriptors / 2) {
      const connections = sockets.connections()
      const ended = surplus(connections, bounds, proxies)
      if (isSweep) {
        sweptAt = now
        ended.push(...neverAnswered(connections, now))
      }
      for (const one of new Set(ended)) sockets.end(one)
      press(connections.length, ended.length, now)
    }
    timer = setTimeout(look, isPressed ? pressedMs : calmMs)
  }

  /** Those that had time enough for a whole request and its answer. */
  function neverAnswered(connections: Connection[], now: number): Connection[] {
    const waiting = connections.filter(({ isAnswered }) => !isAnswered)
    const names = new Set(waiting.map(nameOf))
    for (const name of firstSeen.keys()) if (!names.has(name)) firstSeen.delete(name)
    for (const name of names) if (!firstSeen.has(name)) firstSeen.set(name, now)
    return waiting.filter((one) => now - (firstSeen.get(nameOf(one)) ?? now) > maxSilentMs)
  }

  function press(count: number, ended: number, now: number): void {
    const { maxConnections } = bounds
    const wasPressed = isPressed
    if (ended > 0 || count > (3 / 4) * maxConnections) pressedUntil = now + calmAfterMs
    isPressed = now < pressedUntil
    if (isPressed && now - warnedAt >= warnMs) {
      warnedAt = now
      const descriptors = { open_descriptors: sockets.openDescriptors(), max_descriptors: maxDescriptors }
      log.warn('connections near the limit', { connections: count, max: maxConnections, ended, ...descriptors })
    }
    if (!isPressed && !wasPressed) return
    if (isPressed) sockets.setBacklog(Math.max(4, Math.floor((maxConnections - count + ended) / 2)))
    else sockets.setBacklog(usualBacklog)
    sockets.setAccepting(true)
    if (isPressed) setImmediate(() => setImmediate(() => isPressed && sockets.setAccepting(false))) // one turn accepts what waits
  }

  return {
    stop() {
      clearTimeout(timer)
      sockets.setAccepting(true)
      sockets.close()
    },
  }
}

const nameOf = ({ descriptor, ip, port }: Connection) => `${descriptor} ${ip} ${port}`
