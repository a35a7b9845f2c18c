import type { Socket } from 'bun'

/** A received request; `parameters` merges the query string and a form body. */
export type ReceivedRequest = {
  method: string
  path: string
  parameters: Record<string, string>
  headers: Headers
  body: string
}

/** A connection; any bytes can be written as the answer. */
export type Wire = {
  /** Queues bytes in order; the rest waits until the client has read. */
  write(bytes: string | Uint8Array): void
  /** Closes once everything is written. */
  end(): void
  /** Closes at once, like a crashing server. */
  reset(): void
  isOpen(): boolean
}

export type RawHttp = { port: number; connections(): number; open(): number; sentBytes(): number; close(): void }

type Connection = { received: Buffer; unsent: Buffer[]; ending: boolean; isOpen: boolean }

/** An HTTP/1.1 server on 127.0.0.1 whose answers `answer` writes byte by byte. */
export function rawHttp(answer: (asked: ReceivedRequest, wire: Wire) => void, closed: () => void = () => {}): RawHttp {
  let connections = 0
  let sentBytes = 0
  const sockets = new Set<Socket<Connection>>()

  function flush(socket: Socket<Connection>) {
    const { unsent } = socket.data
    for (let next = unsent[0]; next; next = unsent[0]) {
      const written = Math.max(0, socket.write(next))
      sentBytes += written
      if (written < next.byteLength) {
        unsent[0] = next.subarray(written)
        return
      }
      unsent.shift()
    }
    if (socket.data.ending) socket.end()
  }

  const wireOf = (socket: Socket<Connection>): Wire => ({
    write: (bytes) => {
      socket.data.unsent.push(Buffer.from(bytes))
      if (socket.data.isOpen) flush(socket)
    },
    end: () => {
      socket.data.ending = true
      if (socket.data.isOpen) flush(socket)
    },
    reset: () => socket.terminate(),
    isOpen: () => socket.data.isOpen,
  })

  const server = Bun.listen<Connection>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        connections += 1
        sockets.add(socket)
        socket.data = { received: Buffer.alloc(0), unsent: [], ending: false, isOpen: true }
      },
      data(socket, bytes) {
        socket.data.received = Buffer.concat([socket.data.received, bytes])
        for (let request = take(socket.data); request; request = take(socket.data)) answer(request, wireOf(socket))
      },
      drain: flush,
      close(socket) {
        socket.data.isOpen = false
        sockets.delete(socket)
        closed()
      },
    },
  })
  return {
    port: server.port,
    connections: () => connections,
    open: () => sockets.size,
    sentBytes: () => sentBytes,
    close: () => server.stop(true),
  }
}

/** Removes one complete request from the received bytes; undefined: not complete yet. */
function take(connection: Connection): ReceivedRequest | undefined {
  const { received } = connection
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [requestLine = '', ...lines] = received.subarray(0, headEnd).toString().split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => [line.split(':', 1).join(), line.replace(/^.*?:\s*/, '')]),
  )
  const bodyEnd = headEnd + 4 + Number(headers.get('content-length') ?? 0)
  if (received.byteLength < bodyEnd) return undefined
  connection.received = received.subarray(bodyEnd)
  const [method = '', target = ''] = requestLine.split(' ')
  const url = new URL(target, 'http://source')
  const body = received.subarray(headEnd + 4, bodyEnd).toString()
  const isForm = headers.get('content-type') === 'application/x-www-form-urlencoded'
  const form = isForm ? new URLSearchParams(body) : []
  const parameters = Object.fromEntries([...url.searchParams, ...form])
  return { method, path: url.pathname, parameters, headers, body }
}
