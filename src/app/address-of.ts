import type { Config } from '../config.ts'

/** Where the server listens, as a URL. */
export function addressOf({ host, port }: Config): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
