import { connect, type Socket } from 'node:net'
import { type Attack, expectStatus, type World } from './world.ts'

/** Opens `count` connections to nines from an address of the loopback range. */
export async function occupy({ nines }: World, count: number, hello: string, localAddress: string): Promise<Socket[]> {
  const { port } = new URL(nines.url)
  const open = Array.from({ length: count }, async () => {
    const { promise, resolve } = Promise.withResolvers<Socket>()
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress })
    socket.on('error', () => resolve(socket)) // a refused connection also counts
    socket.on('connect', () => {
      socket.write(hello)
      resolve(socket)
    })
    socket.resume()
    return promise
  })
  return Promise.all(open)
}

/** Holds connections repeatedly while a target is scraped and nines serves other clients. */
function occupation(name: string, hello: string): Attack {
  return {
    name,
    async run(world) {
      const { nines, call, unique, hostile } = world
      const target = { name: unique(), url: `${hostile}/metrics`, interval_seconds: 5, timeout_seconds: 2 }
      expectStatus(await call('POST', '/api/v1/embedded/targets', target), 201)
      for (let round = 0; round < 3; round += 1) {
        const held = await occupy(world, 600, hello, '127.0.0.9')
        await Bun.sleep(3000)
        const answer = await fetch(`${nines.url}/health`, { headers: { connection: 'close' }, keepalive: false })
        for (const socket of held) socket.destroy()
        if (answer.status !== 200) throw new Error(`a new connection from elsewhere is answered ${answer.status}`)
      }
    },
  }
}

/** Needs a nines with a limit of 256 open files. */
export const sockets: Attack[] = [
  occupation('hundreds of connections say nothing', ''),
  occupation('hundreds of connections begin a header', 'GET /health HTTP/1.1\r\nHost: nines\r\nX-Slow: '),
  occupation(
    'hundreds of connections begin a body',
    'POST /api/v1/auth/login HTTP/1.1\r\nHost: nines\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
  ),
  occupation(
    'hundreds of upgrades without a token',
    'GET /api/v1/ws/subscribe HTTP/1.1\r\nHost: nines\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  ),
]
