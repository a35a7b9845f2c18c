/**
 * First message to the parent: addresses of the scrape targets and the receiver. `ToOpen`, from the parent: the sockets to
 * open.
 */
export type Surroundings = { targets: string[]; receiver: string }
export type ToOpen = { url: string; tokens: string[]; sockets: number; slos: number }

const services = 20
const paths = 5
const subscriptionsEach = 10
const startedMs = performance.now()

/** Exposition with the requests of 20 services since the start; one in a thousand fails. A scrape has 200 series. */
function exposition(target: number): string {
  const seconds = (performance.now() - startedMs) / 1000
  return Array.from({ length: services * paths }, (_, at) => {
    const labels = `svc="s${target}_${at % services}",path="/${Math.floor(at / services)}"`
    const total = Math.floor(seconds * (100 + at))
    const bad = Math.floor(total / 1000)
    return `requests_total{${labels},code="200"} ${total - bad}\nrequests_total{${labels},code="500"} ${bad}\n`
  }).join('')
}

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
  const said: Surroundings = {
    targets: Array.from({ length: targets }, (_, target) => `${url}/${target}`),
    receiver: `${url}/hook`,
  }
  process.send?.(said)
}

/** Opens the sockets; resolves once each is open and its subscriptions are sent. */
async function openSockets({ url, tokens, sockets, slos }: ToOpen): Promise<void> {
  const address = `${url.replace('http', 'ws')}/api/v1/ws/subscribe`
  for (let at = 0; at < sockets; at += 1) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const socket = new WebSocket(address, { headers: { authorization: `Bearer ${tokens[at % tokens.length]}` } })
    socket.addEventListener('open', () => {
      for (let id = 0; id < subscriptionsEach; id += 1) {
        socket.send(JSON.stringify({ type: 'subscribe', data: { slo_id: ((at * subscriptionsEach + id) % slos) + 1 } }))
      }
      resolve()
    })
    socket.addEventListener('close', ({ code, reason }) => reject(new Error(`closed with ${code} ${reason}`)))
    await promise
  }
}

process.on('message', (toOpen: ToOpen) => {
  void openSockets(toOpen).then(() => process.send?.('open'))
})
serve(Number(process.argv[2]))
