/** First message to the parent: URLs of the scrape targets and of the notification receiver. */
export type Surroundings = { targets: string[]; receiver: string }
/**
 * Message from the parent: opens `sockets` WebSockets to nines at `url`, with the tokens in turn, each subscribed to ten of the
 * SLOs 1 to `slos`. It is answered with `open` once all are open.
 */
export type SocketsRequest = { url: string; tokens: string[]; sockets: number; slos: number }

const services = 20
const pathsPerService = 5
const subscriptionsPerSocket = 10
const startedMs = performance.now()

/** Exposition of a target: counters of 20 services on 5 paths (200 series) since the start; one request in a thousand fails. */
function exposition(target: number): string {
  const seconds = (performance.now() - startedMs) / 1000
  return Array.from({ length: services * pathsPerService }, (_, at) => {
    const labels = `svc="s${target}_${at % services}",path="/${Math.floor(at / services)}"`
    const total = Math.floor(seconds * (100 + at))
    const bad = Math.floor(total / 1000)
    return `requests_total{${labels},code="200"} ${total - bad}\nrequests_total{${labels},code="500"} ${bad}\n`
  }).join('')
}

/** Serves the targets at `/0`, `/1` and so on, and the receiver at `/hook`. */
function serve(targets: number): void {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/hook') {
        await request.arrayBuffer()
        return new Response('ok')
      }
      const headers = { 'content-type': 'text/plain; version=0.0.4' }
      return new Response(exposition(Number(pathname.slice(1))), { headers })
    },
  })
  const url = `http://127.0.0.1:${server.port}`
  const surroundings: Surroundings = {
    targets: Array.from({ length: targets }, (_, target) => `${url}/${target}`),
    receiver: `${url}/hook`,
  }
  process.send?.(surroundings)
}

/** Opens the sockets one after the other, and sends the subscriptions of each; rejects if one is closed before it is open. */
async function openSockets({ url, tokens, sockets, slos }: SocketsRequest): Promise<void> {
  const address = `${url.replace('http', 'ws')}/api/v1/ws/subscribe`
  for (let at = 0; at < sockets; at += 1) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const socket = new WebSocket(address, { headers: { authorization: `Bearer ${tokens[at % tokens.length]}` } })
    socket.addEventListener('open', () => {
      for (let id = 0; id < subscriptionsPerSocket; id += 1) {
        socket.send(
          JSON.stringify({ type: 'subscribe', data: { slo_id: ((at * subscriptionsPerSocket + id) % slos) + 1 } }),
        )
      }
      resolve()
    })
    socket.addEventListener('close', ({ code, reason }) => reject(new Error(`closed with ${code} ${reason}`)))
    await promise
  }
}

process.on('message', (request: SocketsRequest) => {
  void openSockets(request).then(() => process.send?.('open'))
})
serve(Number(process.argv[2]))
