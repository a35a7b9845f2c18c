import { stopwatch } from '../../clock.ts'
import { createFairQueue } from '../../concurrency/fair-queue.ts'
import { answer } from '../../embedded/api/answer.ts'
import type { Reply } from '../../embedded/api/replies.ts'
import { tooSlow } from '../../embedded/promql/budget.ts'

type Options = {
  /** For the answer, with all that it waits for; and as long again for its reading. */
  timeoutMs: number
  /** How many questions of an organization are under way at once, until their answers have been read. */
  ofOrganization: number
}

/** Each may hold some 30 MB until it is read to its end, and its reader may be slow; the last is for another organization. */
const [readAtOnce, readOfOrganization] = [4, 3]

/** Longer answers are read in turns. */
const shortCharacters = 65_536

/**
 * Answers what an organization asks of outside sources. A source that hangs holds up its own organization alone: only
 * those wait for others whose answers are long.
 */
export function createOutsideReplies({ timeoutMs, ofOrganization }: Options): Reply {
  const questions = createFairQueue<number>({ max: Infinity, maxOfGroup: ofOrganization })
  const readings = createFairQueue<number>({ max: readAtOnce, maxOfGroup: readOfOrganization })

  async function enter(queue: typeof questions, organizationId: number, endMs: number): Promise<() => void> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(tooSlow()), Math.max(0, endMs - stopwatch.now()))
    return queue.enter(organizationId, late.signal).finally(() => clearTimeout(timer))
  }

  return async (exchange, work) => {
    const { organizationId } = exchange
    const endMs = stopwatch.now() + timeoutMs
    const ends: (() => void)[] = []
    const ended = () => ends.forEach((end) => end())
    const asked = async () => {
      ends.push(await enter(questions, organizationId, endMs))
      const pieces = [...(await work())]
      const characters = pieces.reduce((sum, { length }) => sum + length, 0)
      if (characters > shortCharacters) ends.push(await enter(readings, organizationId, endMs))
      return pieces
    }
    return answer(exchange, asked, { timeoutMs, ended })
  }
}
