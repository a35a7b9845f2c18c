import type { Outbound } from '../../http/outbound/outbound.ts'
import { OutboundError } from '../../http/outbound/error.ts'
import type { Log } from '../../log.ts'

type Deps = {
  /** URL to call; null: none. May contain a secret, and is never logged. */
  url: string | null
  outbound: Pick<Outbound, 'fetch'>
  log: Log
  /** Resolves to true if SLOs are evaluated and the database can be written. */
  canEvaluate: () => Promise<boolean>
}

const timeoutMs = 10_000

/**
 * Creates the heartbeat to a dead man's switch, which alerts when the calls stop. Call `beat` once a minute. It makes no call
 * while nines cannot evaluate SLOs or write to its database.
 */
export function createHeartbeat({ url, outbound, log, canEvaluate }: Deps): { beat(): Promise<void> } {
  return {
    async beat() {
      if (url === null || !(await canEvaluate())) return
      try {
        const signal = AbortSignal.timeout(timeoutMs)
        const headers = { 'user-agent': 'nines' }
        // a private address is allowed: the operator set the URL
        const { status } = await outbound.fetch(url, { headers, maxBytes: 0, allowPrivate: true, signal })
        if (status < 200 || status >= 300) log.warn('heartbeat failed', { error: `the receiver answered ${status}` })
      } catch (error) {
        const isLate = error instanceof Error && error.name === 'TimeoutError'
        const problem = isLate ? `no answer within ${timeoutMs / 1000} s` : problemOf(error)
        log.warn('heartbeat failed', { error: problem })
      }
    },
  }
}

/** Text of an error, without anything that might repeat the URL. */
function problemOf(error: unknown): string {
  return error instanceof OutboundError ? error.message : 'no connection'
}
