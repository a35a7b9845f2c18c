import { hostOf, portOf } from '../../http/outbound/pin.ts'

/** `host:port` of a URL; a text that is no URL is returned as it is. */
export function serverOf(address: string): string {
  const url = address.includes('://') ? URL.parse(address) : null
  return url ? serverName(hostOf(url), portOf(url)) : address
}

/** `host:port`, with brackets around an IPv6 address. */
export function serverName(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
