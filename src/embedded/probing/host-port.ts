import { isIP } from 'node:net'

/** `host:port`, `[IPv6]:port`, and with a `usualPort` also the host or address alone; null for anything else. */
export function readHostPort(text: string, usualPort?: number): { host: string; port: number } | null {
  if (usualPort !== undefined && isIP(text) === 6) return { host: text, port: usualPort }
  const [, address, name = address, digits] = written.exec(text) ?? []
  const port = Number(digits ?? usualPort ?? 0)
  if (name === undefined || port < 1 || port > 65_535) return null
  return address === undefined || isIP(address) === 6 ? { host: name, port } : null
}

const written = /^(?:\[(.+)\]|([^\s:/\\?#@[\]]+))(?::(\d{1,5}))?$/
