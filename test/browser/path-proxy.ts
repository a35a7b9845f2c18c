type Link = { upstream: WebSocket; waiting: (string | Buffer)[]; isOpen: boolean }
export type PathProxy = {
  /** The public URL: the origin with the prefix. */
  url: string
  /** Origin to which requests are forwarded without the prefix. Must be set before the first request. */
  upstream: string
  /** Requested paths outside of the prefix, which are answered with 404. */
  strays: string[]
  close: () => Promise<void>
}

/** A reverse proxy on a free port of 127.0.0.1 that serves the upstream under a prefix and strips it; WebSockets too. */
export function startPathProxy(prefix: string): PathProxy {
  const server = Bun.serve<Link>({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request, server) {
      const { pathname, search } = new URL(request.url)
      if (!pathname.startsWith(`${prefix}/`)) {
        proxy.strays.push(pathname)
        return new Response('not of the proxy', { status: 404 })
      }
      const target = `${proxy.upstream}${pathname.slice(prefix.length)}${search}`
      if (request.headers.get('upgrade') === 'websocket') return connect(request, target, server)
      const { method, headers, body } = request
      return fetch(target, { method, headers, body, redirect: 'manual', decompress: false })
    },
    websocket: {
      open(ws) {
        const { upstream } = ws.data
        upstream.addEventListener('open', () => {
          ws.data.isOpen = true
          for (const message of ws.data.waiting) upstream.send(message)
        })
        upstream.addEventListener('message', ({ data }) => void ws.send(data))
        upstream.addEventListener('close', ({ code, reason }) => ws.close(code === 1006 ? 1011 : code, reason))
      },
      message(ws, message) {
        if (ws.data.isOpen) ws.data.upstream.send(message)
        else ws.data.waiting.push(message)
      },
      close: (ws) => ws.data.upstream.close(),
    },
  })
  const proxy: PathProxy = {
    url: `http://127.0.0.1:${server.port}${prefix}`,
    upstream: '',
    strays: [],
    close: () => server.stop(true),
  }
  return proxy
}

function connect(request: Request, target: string, server: Bun.Server<Link>): Response | undefined {
  const protocols = (request.headers.get('sec-websocket-protocol') ?? '').split(/\s*,\s*/).filter(Boolean)
  const origin = request.headers.get('origin') ?? ''
  const upstream = new WebSocket(target.replace(/^http/, 'ws'), { protocols, headers: { origin } })
  const headers = { 'sec-websocket-protocol': protocols[0] ?? '' }
  const isUpgraded = server.upgrade(request, { data: { upstream, waiting: [], isOpen: false }, headers })
  return isUpgraded ? undefined : new Response('no upgrade', { status: 400 })
}
