import { afterEach, expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { openSockets } from '../../../src/http/connections/native-sockets.ts'
import { closeAll, closeLater } from '../../support/closing.ts'

afterEach(closeAll)

const onLinux = test.skipIf(process.platform !== 'linux')
const tries = 60

function listening() {
  const server = Bun.serve({ port: 0, hostname: '::', fetch: () => new Response('here') })
  closeLater(() => void server.stop(true))
  const sockets = openSockets(Number(server.port))
  if (!sockets) throw new Error('the listener was not found')
  closeLater(() => sockets.close())
  return { port: Number(server.port), sockets }
}

/** Attempts to connect, all at the same time. */
function attempts(port: number, host: string, localAddress: string) {
  let connected = 0
  const { promise: all, resolve } = Promise.withResolvers<void>()
  const first = Promise.withResolvers<Socket>()
  for (let at = 0; at < tries; at += 1) {
    const socket = connect({ port, host, localAddress }, () => {
      connected += 1
      first.resolve(socket)
      if (connected === tries) resolve()
    })
    socket.on('error', () => {})
    closeLater(() => void socket.destroy())
  }
  return { all, first: first.promise, connected: () => connected }
}

onLinux.each([
  { crowded: '127.0.0.2', host: '127.0.0.1', from: '127.0.0.2', other: { host: '127.0.0.1', from: '127.0.0.3' } },
  { crowded: '0:0:0:0:0:0:0:9', host: '::1', from: '::1', other: { host: '127.0.0.1', from: '127.0.0.3' } },
])('of the crowded network of $crowded few are let in, of another one all', async ({ crowded, host, from, other }) => {
  const { port, sockets } = listening()
  sockets.setThrottledNetworks(['203.0.113.9', crowded])
  const few = attempts(port, host, from)
  const others = attempts(port, other.host, other.from)
  await others.all
  expect(few.connected()).toBeLessThan(tries * 0.75)
})

onLinux(
  'a connection that a crowded network got goes on, and all of it are let in once it is crowded no more',
  async () => {
    const { port, sockets } = listening()
    sockets.setThrottledNetworks(['127.0.0.1'])
    const socket = await attempts(port, '127.0.0.1', '127.0.0.1').first
    const answered = once(socket, 'data')
    socket.write('GET / HTTP/1.1\r\nHost: nines.test\r\n\r\n')
    expect(String(await answered)).toContain('200 OK')
    sockets.setThrottledNetworks([])
    await attempts(port, '127.0.0.1', '127.0.0.1').all
  },
)
