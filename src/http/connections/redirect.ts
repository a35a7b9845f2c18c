import { securityHeaders } from '../headers/headers.ts'

type Options = {
  hostname: string
  port: number
  /** `PUBLIC_URL` if it is set: requests are sent there, whatever host they name. */
  publicUrl: string | null
  /** Port of the listener with TLS. */
  securePort: number
}

/** Listener that sends every request to the same address over HTTPS, with 308, so that methods and bodies stay. */
export function serveRedirects(options: Options) {
  return Bun.serve({
    hostname: options.hostname,
    port: options.port,
    reusePort: false,
    development: false,
    idleTimeout: 10,
    fetch(request) {
      const location = secureAddress(new URL(request.url), options)
      const headers = { ...securityHeaders, location, connection: 'close' }
      return new Response(null, { status: 308, headers })
    },
    error: () => new Response(null, { status: 400 }),
  })
}

/** Address of a request over HTTPS: at `PUBLIC_URL` if that is HTTPS, otherwise at the host that the request named. */
export function secureAddress(url: URL, { publicUrl, securePort }: Pick<Options, 'publicUrl' | 'securePort'>): string {
  const port = securePort === 443 ? '' : `:${securePort}`
  const own = publicUrl?.startsWith('https:') ? new URL(publicUrl).origin : `https://${url.hostname}${port}`
  return `${own}${url.pathname}${url.search}`
}
