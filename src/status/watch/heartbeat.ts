import type { Outbound } from '../../http/outbound/outbound.ts'
import { OutboundError } from '../../http/outbound/error.ts'
import type { Log } from '../../log.ts'

type Deps = {
  /** null: nobody is called. May hold a secret, and is in no log. */
  url: string | null
  outbound: Pick<Outbound, 'fetch'>
  log: Log
  /** Whether SLOs are evaluated and the database can be written to. */
  isSeeing: () => Promise<boolean>
}

const patienceMs = 10_000

/**
 * Calls a dead man's switch, to be called once a minute: it alerts when the calls stop. So nines keeps silent while it is
 * blind itself.
 */
export function createHeartbeat({ url, outbound, log, isSeeing }: Deps): { beat(): Promise<void> } {
  return {
    async beat() {
      if (url === null || !(await isSeeing())) return
      try {
        const signal = AbortSignal.timeout(patienceMs)
        const headers = { 'user-agent': 'nines' }
        const { status } = await outbound.fetch(url, { headers, maxBytes: 0, toPrivate: true, signal }) // the operator named it
        if (status < 200 || status >= 300) log.warn('heartbeat failed', { error: `the receiver answered ${status}` })
      } catch (error) {
        const isLate = error instanceof Error && error.name === 'TimeoutError'
        const problem = isLate ? `no answer within ${patienceMs / 1000} s` : problemOf(error)
        log.warn('heartbeat failed', { error: problem })
      }
    },
  }
}

/** Nothing that might repeat the URL. */
function problemOf(error: unknown): string {
  return error instanceof OutboundError ? error.message : 'no connection'
}
