import { tooSlow } from '../promql/budget.ts'
import { createFairQueue } from '../../concurrency/fair-queue.ts'
import { answer, type ApiExchange, type PrometheusError } from './answer.ts'

/**
 * Each answer may hold some 600 MB until it is fully read, and its reader may be slow. The last place is kept for another
 * organization.
 */
const [maxConcurrent, maxOfOrganization] = [4, 3]

/** Answers a request of an organization; `work` gives the `data` as pieces of JSON. */
export type Reply = (
  exchange: ApiExchange & { organizationId: number },
  work: () => Iterable<string> | Promise<Iterable<string>>,
) => Promise<Response | PrometheusError>

/**
 * Answers a few requests concurrently; others wait until one of these answers has been read. Waiting and reading may each take
 * `timeoutMs`. A short answer counts as read at once.
 */
export function createReplies(timeoutMs: number): Reply {
  const replies = createFairQueue<number>({ max: maxConcurrent, maxOfGroup: maxOfOrganization })
  const refuse = () => {
    throw tooSlow()
  }
  return async (exchange, work) => {
    const late = AbortSignal.timeout(timeoutMs)
    const release = await replies.enter(exchange.organizationId, late).catch(() => undefined)
    return release ? answer(exchange, work, { timeoutMs, onEnd: release }) : answer(exchange, refuse)
  }
}
