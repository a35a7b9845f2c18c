import { type Clock, minuteMs } from '../../clock.ts'
import { createFairQueue } from '../../concurrency/fair-queue.ts'
import { AppError } from '../../errors.ts'
import type { Pieces } from './json-stream.ts'
import { createStreams } from './streams.ts'

/**
 * Streams JSON that is too long to be written at once. Concurrency is limited, in total and per organization, because each
 * response keeps its source data in memory. A request that waits more than ten seconds gets 503; while one waits, the answers of slow
 * readers are ended.
 */
export type StreamedResponses = (organizationId: number, pieces: Pieces) => Promise<Response>

/** Maximum length of a JSON response that is sent unstreamed; approximate, because lengths are estimated. */
export const maxUnstreamedCharacters = 262_144

const [concurrency, maxPerOrganization] = [8, 4]
const readTimeoutMs = minuteMs
const maxWaitMs = 10_000
const checkMs = 1000

export function createStreamedResponses(clock?: Clock): StreamedResponses {
  const places = createFairQueue<number>({ max: concurrency, maxOfGroup: maxPerOrganization })
  const streams = createStreams({ max: concurrency, maxPerOrganization }, clock)
  return async (organizationId, pieces) => {
    const endSlowest = () => streams.endSlowest(organizationId)
    endSlowest()
    const timer = setInterval(endSlowest, checkMs)
    const leave = await places
      .enter(organizationId, AbortSignal.timeout(maxWaitMs))
      .catch(tooMany)
      .finally(() => clearInterval(timer))
    return streams.open(organizationId, pieces, { timeoutMs: readTimeoutMs, onEnd: leave })
  }
}

/** Yields a JSON object in pieces: the fields of `head`, then a list as the last field. */
export function* objectWithList(head: object, list: string, items: Iterable<unknown>): Generator<string> {
  const fields = JSON.stringify(head).slice(0, -1)
  yield `${fields}${fields === '{' ? '' : ','}${JSON.stringify(list)}:[`
  let separator = ''
  for (const item of items) {
    yield `${separator}${JSON.stringify(item)}`
    separator = ','
  }
  yield ']}'
}

function tooMany(): never {
  const details = 'Other long answers to your organization are being read'
  throw new AppError('unavailable', 'Too many long answers at once', { details, headers: { 'Retry-After': '5' } })
}
