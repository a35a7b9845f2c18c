import type { Config } from '../config.ts'
import { createOutbound, type Outbound } from '../http/outbound/outbound.ts'

/** Where nines listens, once it does, and the probes (`probeKey`) that may try it there. */
type Listener = { port: number | null; ownProbes: Set<string> }

export function openOutbound({ outboundDeny, outboundAllow, registration }: Config): {
  outbound: Outbound
  listener: Listener
} {
  const listener: Listener = { port: null, ownProbes: new Set() }
  const outbound = createOutbound({
    deny: outboundDeny,
    allowPrivate: registration === 'open' ? outboundAllow : null,
    ownPort: () => listener.port,
  })
  return { outbound, listener }
}

/** Where nines is reached, as links say it: `PUBLIC_URL`, else where it listens. With `PORT=0` that is known once it does. */
export function publicUrlOf({ publicUrl, host, port }: Config, listener: Pick<Listener, 'port'>): () => string {
  const name = host.includes(':') ? `[${host}]` : host
  return () => publicUrl ?? `http://${name}:${listener.port ?? port}`
}
