import { type CannedAnswer, canned, jsonType, sample, sized, success } from './canned-answers.ts'
import { type ReceivedRequest, rawHttp, type Wire } from './raw-http.ts'

/** Answer to a request. Sizes in bytes are those of the decompressed body. */
export type Fault =
  | 'ok' // one sample, 0.999, or one series of it for a range
  | 'hang' // accepted and never answered
  | 'stall' // headers and half a body, then nothing
  | 'dribble' // a body that never ends, one byte every 20 ms
  | 'reset' // closed without an answer
  | 'cut' // half a body, then closed
  | 'not-http'
  | 'html'
  | 'broken-json'
  | 'garbled-gzip'
  | 'empty'
  | 'nan'
  | 'string'
  | 'scalar'
  | 'several'
  | 'partial' // like the kit's Thanos
  | 'redirect'
  | 'timeout-503' // like Prometheus when a query takes too long
  | 'limit-422' // like Mimir when a query exceeds its limits
  | 'too-many-429' // with Retry-After: 1
  | 'post-405' // answers GET only
  | { delayMs: number }
  | { bodyBytes: number; gzip?: boolean }
  | { status: number; body?: string; headers?: Record<string, string> }
  | { body: string; headers?: Record<string, string>; gzip?: boolean } // 200

export type FaultySource = {
  url: string
  /** Requests received so far, oldest first. */
  asked: ReceivedRequest[]
  /** Sets the fault for all later requests, or for the next `times` requests only. */
  order(fault: Fault, times?: number): void
  /** Connections accepted so far; `openConnections`: those open now. */
  connections(): number
  openConnections(): number
  sentBytes(): number
  /** Resolves once `condition` is true; it is checked after each request and each closed connection. */
  until(condition: () => boolean): Promise<void>
  close(): void
}

/** A metrics source on 127.0.0.1 that fails as ordered. */
export function faultySource(first: Fault = 'ok'): FaultySource {
  let standing = first
  let passing: Fault[] = []
  const timers = new Set<Timer>()
  const asked: ReceivedRequest[] = []
  let waiting: { condition: () => boolean; resolve: () => void }[] = []

  const server = rawHttp((request, wire) => {
    asked.push(request)
    answer(passing.shift() ?? standing, request, wire)
    notice()
  }, notice)

  function notice() {
    for (const { resolve } of waiting.filter(({ condition }) => condition())) resolve()
    waiting = waiting.filter(({ condition }) => !condition())
  }

  function later(ms: number, work: () => void) {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, ms)
    timers.add(timer)
  }

  function dribble(wire: Wire) {
    wire.write(' ')
    if (wire.isOpen()) later(20, () => dribble(wire))
  }

  function answer(fault: Fault, request: ReceivedRequest, wire: Wire): void {
    if (typeof fault === 'object') {
      if ('delayMs' in fault) return later(fault.delayMs, () => respond(wire, success(request, sample('0.999'))))
      return respond(wire, 'bodyBytes' in fault ? { body: sized(fault.bodyBytes), gzip: fault.gzip } : fault)
    }
    switch (fault) {
      case 'hang':
        return
      case 'stall':
      case 'cut':
        wire.write(
          'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"status":"success"',
        )
        return fault === 'cut' ? wire.end() : undefined
      case 'dribble':
        wire.write(
          'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"status":"success"',
        )
        return dribble(wire)
      case 'reset':
        return wire.reset()
      case 'not-http':
        return wire.write('SSH-2.0-OpenSSH_9.2\r\n\r\n')
      case 'post-405':
        return respond(wire, request.method === 'POST' ? { status: 405 } : success(request, sample('0.999')))
      default:
        return respond(wire, typeof canned[fault] === 'function' ? canned[fault](request) : canned[fault])
    }
  }

  return {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    order(fault, times) {
      if (times === undefined) standing = fault
      passing = Array.from({ length: times ?? 0 }, () => fault)
    },
    connections: server.connections,
    openConnections: server.open,
    sentBytes: server.sentBytes,
    until(condition) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push({ condition, resolve })
      notice()
      return promise
    },
    close() {
      for (const timer of timers) clearTimeout(timer)
      server.close()
    },
  }
}

function respond(wire: Wire, { status = 200, body = '', headers = jsonType, gzip = false }: CannedAnswer) {
  const bytes = gzip ? Bun.gzipSync(body) : Buffer.from(body)
  const all = { ...headers, ...(gzip && { 'Content-Encoding': 'gzip' }), 'Content-Length': bytes.byteLength }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  wire.write(`HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n`)
  wire.write(bytes)
}
