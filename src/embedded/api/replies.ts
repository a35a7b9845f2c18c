import { tooSlow } from '../promql/budget.ts'
import { createFairQueue } from '../../concurrency/fair-queue.ts'
import { answer, type Asked, type Problem } from './answer.ts'

/** Each may hold some 600 MB until it is read to its end, and whoever reads it may be slow; the last is for another organization. */
const [answersAtOnce, answersOfOrganization] = [4, 3]

/** Answers what an organization asks; `work` gives the `data` in pieces of JSON. */
export type Reply = (
  asked: Asked & { organizationId: number },
  work: () => Iterable<string> | Promise<Iterable<string>>,
) => Promise<Response | Problem>

/**
 * Answers a few questions at once; the others wait until one of these answers has been read. Either may take `timeoutMs`.
 * What is short is read at once.
 */
export function createReplies(timeoutMs: number): Reply {
  const turns = createFairQueue<number>({ most: answersAtOnce, maxOfGroup: answersOfOrganization })
  const refuse = () => {
    throw tooSlow()
  }
  return (asked, work) => {
    const { promise, resolve, reject } = Promise.withResolvers<Response | Problem>()
    let isLate = false
    const waiting = setTimeout(() => {
      isLate = true
      resolve(answer(asked, refuse))
    }, timeoutMs)
    turns.add(asked.organizationId, async () => {
      clearTimeout(waiting)
      if (isLate) return
      const read = Promise.withResolvers<void>()
      await answer(asked, work, { timeoutMs, ended: read.resolve }).then(resolve, reject)
      await read.promise
    })
    return promise
  }
}
