import { stopwatch } from '../../clock.ts'
import { createAbort } from '../../concurrency/abort.ts'
import { createFairQueue } from '../../concurrency/fair-queue.ts'
import { answer } from '../../embedded/api/answer.ts'
import type { Reply } from '../../embedded/api/replies.ts'
import { tooSlow } from '../../embedded/promql/budget.ts'

type Options = {
  /** Timeout of an answer with all its waits; reading it may take as long again. */
  timeoutMs: number
  /** Concurrent requests of an organization, counted until their answers have been read. */
  maxPerOrganization: number
}

/**
 * Maximum numbers of long answers that are read at the same time: in all, and by one organization, which leaves a slot to others. Each may
 * take about 30 MB until it is read to its end, and its reader may be slow.
 */
const [maxReads, maxReadsOfOrganization] = [4, 3]

/** Length above which an answer needs a slot to be read. */
const shortCharacters = 65_536

/**
 * Answers API requests to external sources. A source that hangs delays only its own organization: only long answers wait for
 * long answers of others.
 */
export function createExternalReplies({ timeoutMs, maxPerOrganization }: Options): Reply {
  const requestQueue = createFairQueue<number>({ max: Infinity, maxOfGroup: maxPerOrganization })
  const readQueue = createFairQueue<number>({ max: maxReads, maxOfGroup: maxReadsOfOrganization })

  async function enter(queue: typeof requestQueue, organizationId: number, endMs: number): Promise<() => void> {
    using ending = createAbort(undefined, Math.max(0, endMs - stopwatch.now()), tooSlow)
    return await queue.enter(organizationId, ending.signal)
  }

  return async (exchange, work) => {
    const { organizationId } = exchange
    const endMs = stopwatch.now() + timeoutMs
    const releases: (() => void)[] = []
    const onEnd = () => releases.forEach((release) => release())
    const request = async () => {
      releases.push(await enter(requestQueue, organizationId, endMs))
      const pieces = [...(await work())]
      const characters = pieces.reduce((sum, { length }) => sum + length, 0)
      if (characters > shortCharacters) releases.push(await enter(readQueue, organizationId, endMs))
      return pieces
    }
    return answer(exchange, request, { timeoutMs, onEnd })
  }
}
