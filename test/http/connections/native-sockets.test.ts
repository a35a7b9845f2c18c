import { afterEach, expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { openSockets } from '../../../src/http/connections/native-sockets.ts'
import { closeAll, closeLater } from '../../support/closing.ts'

afterEach(closeAll)

const onLinux = test.skipIf(process.platform !== 'linux')
const attemptCount = 60

function serve() {
  const server = Bun.serve({ port: 0, hostname: '::', fetch: () => new Response('here') })
  closeLater(() => void server.stop(true))
  const sockets = openSockets(Number(server.port))
  if (!sockets) throw new Error('the listener was not found')
  closeLater(() => sockets.close())
  return { port: Number(server.port), sockets }
}

/**
 * Opens `attemptCount` connections at the same time. `all` resolves when every one is open, `first` with the first one;
 * `connected` returns the number of open ones.
 */
function connectMany(port: number, host: string, localAddress: string) {
  let connected = 0
  const { promise: all, resolve } = Promise.withResolvers<void>()
  const first = Promise.withResolvers<Socket>()
  for (let attempt = 0; attempt < attemptCount; attempt += 1) {
    const socket = connect({ port, host, localAddress }, () => {
      connected += 1
      first.resolve(socket)
      if (connected === attemptCount) resolve()
    })
    socket.on('error', () => {})
    closeLater(() => void socket.destroy())
  }
  return { all, first: first.promise, connected: () => connected }
}

onLinux.each([
  { throttled: '127.0.0.2', host: '127.0.0.1', from: '127.0.0.2', other: { host: '127.0.0.1', from: '127.0.0.3' } },
  { throttled: '0:0:0:0:0:0:0:9', host: '::1', from: '::1', other: { host: '127.0.0.1', from: '127.0.0.3' } },
])(
  'few connections from the throttled network of $throttled are accepted, and all from another one',
  async ({ throttled, host, from, other }) => {
    const { port, sockets } = serve()
    sockets.setThrottledNetworks(['203.0.113.9', throttled])
    const throttledAttempts = connectMany(port, host, from)
    const otherAttempts = connectMany(port, other.host, other.from)
    await otherAttempts.all
    expect(throttledAttempts.connected()).toBeLessThan(attemptCount * 0.75)
  },
)

onLinux(
  'an open connection from a throttled network goes on, and all are accepted once it is not throttled',
  async () => {
    const { port, sockets } = serve()
    sockets.setThrottledNetworks(['127.0.0.1'])
    const socket = await connectMany(port, '127.0.0.1', '127.0.0.1').first
    const response = once(socket, 'data')
    socket.write('GET / HTTP/1.1\r\nHost: nines.test\r\n\r\n')
    expect(String(await response)).toContain('200 OK')
    sockets.setThrottledNetworks([])
    await connectMany(port, '127.0.0.1', '127.0.0.1').all
  },
)
