import type { World } from '../../test/chaos/world.ts'
import type { Faults } from './faults.ts'

export type Reply = { status: number; text: string }

/** Sends requests to the running nines; records read latencies and errors. */
export type Client = {
  /**
   * Sends a request. Null without a response: nines is not running, the connection broke, or 30 s passed. `what` names the
   * request in the report. `isRead`: records the latency.
   */
  send(what: string, method: string, path: string, options?: SendOptions): Promise<Reply | null>
  readMs: number[]
  /** Read latencies while no fault was active. */
  quietReadMs: number[]
  sent(): number
  /** Number of errors by kind: `GET budget: 503 disk is full, during disk full`. */
  errors: Map<string, number>
  /** Errors that no fault explains, as sentences. */
  unexplained: string[]
}

type SendOptions = { token?: string; body?: unknown; isRead?: boolean; expected?: number[] }

const timeoutMs = 30_000
const maxUnexplained = 20

export function createClient(world: World, faults: Faults): Client {
  let sent = 0
  const readMs: number[] = []
  const quietReadMs: number[] = []
  const errors = new Map<string, number>()
  const unexplained: string[] = []

  function failed(what: string, problem: string, beganMs: number): void {
    const names = faults.between(beganMs, performance.now())
    const kind = `${what}: ${problem}${names.length > 0 ? `, during ${names.join(' and ')}` : ''}`
    errors.set(kind, (errors.get(kind) ?? 0) + 1)
    if (faults.explain(problem, names) || unexplained.length >= maxUnexplained) return
    unexplained.push(`${kind}, after ${((performance.now() - beganMs) / 1000).toFixed(1)} s`)
  }

  return {
    readMs,
    quietReadMs,
    sent: () => sent,
    errors,
    unexplained,
    async send(what, method, path, { token, body, isRead = method === 'GET', expected = [200, 201, 304] } = {}) {
      const nines = world.nines()
      if (!nines) return null
      sent += 1
      const beganMs = performance.now()
      try {
        const response = await fetch(`${nines.url}${path}`, {
          method,
          headers: {
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          // nines closes connections that were idle for long. A request that reuses one at that moment fails, and only a GET is
          // retried automatically.
          keepalive: method === 'GET',
          signal: AbortSignal.timeout(timeoutMs),
        })
        const reply = { status: response.status, text: await response.text() }
        const tookMs = performance.now() - beganMs
        if (isRead) readMs.push(tookMs)
        if (isRead && faults.isQuietSince(beganMs)) quietReadMs.push(tookMs)
        if (!expected.includes(reply.status)) failed(what, `${reply.status} ${errorIn(reply.text)}`, beganMs)
        return reply
      } catch (error) {
        const isLate = error instanceof Error && error.name === 'TimeoutError'
        failed(what, isLate ? 'no answer in 30 s' : 'cut off', beganMs)
        return null
      }
    },
  }
}

function errorIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: string }
    return String(error)
  } catch {
    return text.slice(0, 80)
  }
}
