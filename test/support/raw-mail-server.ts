import { createServer, type Socket } from 'node:net'

export type RawMailServer = {
  port: number
  heard: string[]
  /** `connected` resolves at the first connection, `ended` when one has closed. */
  connected: Promise<void>
  ended: Promise<void>
  close(): void
}

/**
 * A mail server on 127.0.0.1 without an SMTP library. It sends `greeting`, and for each line the result of `answer`; null:
 * sends nothing.
 */
export async function startRawMailServer(
  greeting: string | null,
  answer: (line: string, socket: Socket) => string | null = () => null,
): Promise<RawMailServer> {
  const heard: string[] = []
  const sockets = new Set<Socket>()
  const { promise: connected, resolve: begin } = Promise.withResolvers<void>()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    sockets.add(socket)
    begin()
    const say = (reply: string | null) => void (reply === null || socket.write(`${reply}\r\n`))
    socket.on('data', (chunk) => {
      for (const line of chunk.toString().split('\r\n').filter(Boolean)) {
        heard.push(line)
        say(answer(line, socket))
      }
    })
    socket.on('error', () => {})
    socket.on('close', () => end())
    say(greeting)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the mail server has no port')
  return {
    port: address.port,
    heard,
    connected,
    ended,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
