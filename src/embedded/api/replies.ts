import { tooSlow } from '../promql/budget.ts'
import { createFairQueue } from '../../concurrency/fair-queue.ts'
import { answer, type ApiExchange, type Problem } from './answer.ts'

/** Each may hold some 600 MB until it is read to its end, and its reader may be slow; the last is for another organization. */
const [answersAtOnce, answersOfOrganization] = [4, 3]

/** Answers what an organization asks; `work` gives the `data` in pieces of JSON. */
export type Reply = (
  exchange: ApiExchange & { organizationId: number },
  work: () => Iterable<string> | Promise<Iterable<string>>,
) => Promise<Response | Problem>

/**
 * Answers a few questions at once; the others wait until one of these answers has been read. Either may take `timeoutMs`.
 * What is short is read at once.
 */
export function createReplies(timeoutMs: number): Reply {
  const replies = createFairQueue<number>({ max: answersAtOnce, maxOfGroup: answersOfOrganization })
  const refuse = () => {
    throw tooSlow()
  }
  return async (exchange, work) => {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), timeoutMs)
    const ended = await replies.enter(exchange.organizationId, late.signal).catch(() => undefined)
    clearTimeout(timer)
    return ended ? answer(exchange, work, { timeoutMs, ended }) : answer(exchange, refuse)
  }
}
