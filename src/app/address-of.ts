import type { Config } from '../config.ts'

/** Where nines is reached, as links say it: `PUBLIC_URL`, else where it listens. With `PORT=0` that is known once it does. */
export function publicUrlOf({ publicUrl, host, port }: Config, listener: { port: number | null }): () => string {
  const name = host.includes(':') ? `[${host}]` : host
  return () => publicUrl ?? `http://${name}:${listener.port ?? port}`
}
