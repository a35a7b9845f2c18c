import { isIP } from 'node:net'

const unixPrefix = 'unix:'
const maxSocketPathBytes = 107 // sun_path of Linux, with its final zero

/** An IP address, a host name, or `unix:/path` of a socket. Listening shows if an address belongs to this machine. */
export function listenHost(value: string): string {
  const path = socketPathOf(value)
  if (path !== null) {
    if (path.startsWith('/') && !path.endsWith('/') && Buffer.byteLength(path) <= maxSocketPathBytes) return value
    throw new Error(`unix: must be followed by an absolute path of at most ${maxSocketPathBytes} bytes, got "${value}"`)
  }
  if (isIP(value) === 0 && !/^[a-z0-9_](?:[a-z0-9_.-]{0,252}[a-z0-9_])?\.?$/i.test(value)) {
    throw new Error(`must be an IP address, a host name or unix:/path, got "${value}"`)
  }
  return value
}

/** Path of the socket that `HOST` names; null: it names an address. */
export function socketPathOf(host: string): string | null {
  return host.startsWith(unixPrefix) ? host.slice(unixPrefix.length) : null
}

/** Permissions of a file, as three octal digits with or without a zero in front. */
export function fileMode(value: string): string {
  if (!/^0?[0-7]{3}$/.test(value)) throw new Error(`must be three octal digits such as 0660, got "${value}"`)
  return value
}

type ListenSettings = {
  host: string
  port: number
  tlsCert: string | null
  tlsKey: string | null
  /** 0: requests over http are not redirected. */
  httpRedirectPort: number
}

/** Sentence that says which settings of listening do not fit one another; null if all do. */
export function listenProblem({ host, port, tlsCert, tlsKey, httpRedirectPort }: ListenSettings): string | null {
  if ((tlsCert === null) !== (tlsKey === null)) return 'TLS_CERT and TLS_KEY: both must be set, or none'
  if (tlsCert !== null && socketPathOf(host) !== null) {
    return 'TLS_CERT: must not be set where HOST is a unix socket; the proxy in front has the certificate'
  }
  if (httpRedirectPort === 0) return null
  if (tlsCert === null) return 'HTTP_REDIRECT_PORT: there is nothing to redirect to without TLS_CERT and TLS_KEY'
  return httpRedirectPort === port ? 'HTTP_REDIRECT_PORT: must be another port than PORT' : null
}

/** Base URL that a listener has without `PUBLIC_URL`. A socket has no address: the URL is that of a proxy on this machine. */
export function addressUrl({ host, tlsCert }: Pick<ListenSettings, 'host' | 'tlsCert'>, port: number): string {
  if (socketPathOf(host) !== null) return 'http://localhost'
  const name = host.includes(':') ? `[${host}]` : host
  if (tlsCert === null) return `http://${name}:${port}`
  return port === 443 ? `https://${name}` : `https://${name}:${port}`
}
