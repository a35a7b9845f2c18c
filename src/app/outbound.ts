import type { Config } from '../config.ts'
import { createOutbound, type Outbound } from '../http/outbound/outbound.ts'

/** Port that nines listens on, null until then, and the probes (`probeKey`) that may probe it there. */
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

/** Base URL of links to nines: `PUBLIC_URL`, or the address it listens on. With `PORT=0` the port is known once it listens. */
export function publicUrlOf({ publicUrl, host, port }: Config, listener: Pick<Listener, 'port'>): () => string {
  const name = host.includes(':') ? `[${host}]` : host
  return () => publicUrl ?? `http://${name}:${listener.port ?? port}`
}
