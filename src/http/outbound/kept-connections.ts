import type { Socket } from 'bun'
import { createAnswerReader, type AnswerReader, type RawAnswer } from './answer-reader.ts'
import { neverConnected, OutboundError } from './error.ts'

/** A request as it goes over the wire. */
export type WireRequest = {
  /** What a connection is for: those that differ share none. */
  place: string
  port: number
  bytes: Buffer
  /** So much of the body of an answer is read, by its headers. */
  maxBytes: (headers: Headers) => number
  signal: AbortSignal | undefined
  /** The addresses that may be connected to, in the order to try them. */
  lookUp: () => Promise<string[]>
}

/**
 * Sends requests over connections that are kept for the next one. What is lost with a kept connection before its answer began is
 * sent once more over a new one. Throws what `Bun.connect` does, `OutboundError`, `signal.reason`.
 */
export type Connections = { exchange(request: WireRequest): Promise<RawAnswer> }

/** Below what servers keep theirs for: 5 s at least. */
const maxIdleMs = 3000
/** The name of a host is looked up again after so long. */
const maxAgeMs = 60_000
const maxIdle = 64

type Exchange = {
  reader: AnswerReader
  isBegun: boolean
  unsent: Buffer
  resolve: (answer: RawAnswer) => void
  reject: (error: unknown) => void
}

type Connection = {
  place: string
  beganMs: number
  socket: Socket<Connection> | undefined
  /** None while it is idle, and once it is closed. */
  exchange: Exchange | undefined
  isOpen: boolean
  idleSinceMs: number
}

/** `nowMs`: of a clock that nobody sets. */
export function createConnections(nowMs: () => number = () => performance.now()): Connections {
  /** The one that has been idle for longest first. */
  const idle = new Set<Connection>()
  let sweeping: ReturnType<typeof setTimeout> | undefined

  function leave(connection: Connection): void {
    connection.isOpen = false
    idle.delete(connection)
  }

  function close(connection: Connection): void {
    leave(connection)
    connection.socket?.terminate()
  }

  function sweep(): void {
    sweeping = undefined
    for (const one of idle) if (isOld(one)) close(one)
    if (idle.size > 0) sweepLater()
  }

  function sweepLater(): void {
    sweeping ??= setTimeout(sweep, maxIdleMs)
    sweeping.unref()
  }

  const isOld = ({ idleSinceMs, beganMs }: Connection) =>
    nowMs() - idleSinceMs >= maxIdleMs || nowMs() - beganMs >= maxAgeMs

  function putBack(connection: Connection): void {
    connection.idleSinceMs = nowMs()
    connection.socket?.unref()
    idle.add(connection)
    const [longest] = idle
    if (idle.size > maxIdle && longest) close(longest)
    sweepLater()
  }

  function takeIdle({ place }: WireRequest): Connection | undefined {
    for (const one of idle) {
      if (one.place !== place) continue
      if (isOld(one)) {
        close(one)
        continue
      }
      idle.delete(one)
      one.socket?.ref()
      return one
    }
    return undefined
  }

  function finish(connection: Connection, answer: RawAnswer): void {
    const { exchange, isOpen } = connection
    connection.exchange = undefined
    if (answer.isKept && isOpen) putBack(connection)
    else close(connection)
    exchange?.resolve(answer)
  }

  function fail(connection: Connection, error: unknown): void {
    const { exchange } = connection
    connection.exchange = undefined
    close(connection)
    exchange?.reject(error)
  }

  function flush(socket: Socket<Connection>): void {
    const { exchange } = socket.data
    if (!exchange || exchange.unsent.length === 0) return
    const written = Math.max(0, socket.write(exchange.unsent))
    exchange.unsent = exchange.unsent.subarray(written)
  }

  const handlers = {
    data(socket: Socket<Connection>, bytes: Uint8Array) {
      const connection = socket.data
      if (!connection.exchange) return close(connection) // nothing was asked
      connection.exchange.isBegun = true
      try {
        const answer = connection.exchange.reader.take(bytes)
        if (answer) finish(connection, answer)
      } catch (error) {
        fail(connection, error)
      }
    },
    drain: flush,
    error: (socket: Socket<Connection>, error: Error) => fail(socket.data, error),
    close(socket: Socket<Connection>) {
      const connection = socket.data
      leave(connection)
      const answer = connection.exchange?.reader.end()
      if (answer) finish(connection, answer)
      else fail(connection, connection.exchange?.isBegun === false ? new Unanswered() : new Lost())
    },
  }

  async function connectTo(address: string, { place, port }: WireRequest): Promise<Connection> {
    const data: Connection = {
      place,
      beganMs: nowMs(),
      socket: undefined,
      exchange: undefined,
      isOpen: true,
      idleSinceMs: 0,
    }
    data.socket = await Bun.connect<Connection>({ hostname: address, port, data, socket: handlers })
    return data
  }

  async function connectToOneOf(addresses: string[], request: WireRequest): Promise<Connection> {
    for (const [index, address] of addresses.entries()) {
      try {
        return await connectTo(address, request)
      } catch (error) {
        if (request.signal?.aborted || index === addresses.length - 1 || !neverConnected(error)) throw error
      }
    }
    throw new OutboundError('unreachable', 'host name not found')
  }

  async function connect(request: WireRequest): Promise<Connection> {
    const { signal } = request
    const connecting = connectToOneOf(await request.lookUp(), request)
    if (!signal) return connecting
    const aborted = Promise.withResolvers<never>()
    const onAbort = () => {
      connecting.then(close).catch(() => {})
      aborted.reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      signal.throwIfAborted()
      return await Promise.race([connecting, aborted.promise])
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  async function exchangeOver(connection: Connection, { bytes, maxBytes, signal }: WireRequest): Promise<RawAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>()
    if (!connection.isOpen || !connection.socket) throw new Unanswered()
    connection.exchange = { reader: createAnswerReader(maxBytes), isBegun: false, unsent: bytes, resolve, reject }
    const onAbort = () => fail(connection, signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    flush(connection.socket)
    try {
      return await promise
    } finally {
      signal?.removeEventListener('abort', onAbort)
    }
  }

  return {
    async exchange(request) {
      const kept = takeIdle(request)
      if (!kept) return exchangeOver(await connect(request), request)
      try {
        return await exchangeOver(kept, request)
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error
        return exchangeOver(await connect(request), request)
      }
    },
  }
}

class Lost extends OutboundError {
  constructor() {
    super('lost', 'connection lost before the answer was complete')
  }
}

/** Before the answer began: a server that closes a connection which nothing came over for a while does not read what comes then. */
class Unanswered extends Lost {}
