import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { TokenBuckets } from '../http/connections/token-buckets.ts'
import type { Log } from '../log.ts'
import { type Channel, pong, problem, readClientMessage, unsubscription } from './messages.ts'

/** What a conversation can do for its client. */
type Listener = {
  clientId: string
  isOpen(): boolean
  send(text: string): void
  close(code: number, reason: string): void
  /**
   * Confirms it too, before any update can come. Throws `not_found` for what is no SLO of the client's organization,
   * `invalid` where it has too many already.
   */
  subscribe(sloId: number, channels: Channel[]): Promise<void>
  /** Whether there was such a subscription. */
  unsubscribe(sloId: number): boolean
}

/** `budget`: how many messages each client may send, by its id; one counts for each kilobyte that it begins. */
type Deps = { clock: Clock; log: Log; budget: TokenBuckets }

const maxWaiting = 1 << 20
const countedBytes = 1024
const answeredAtOnce = 10

/** One client's. `count` is for pings and pongs of the transport, which are messages too. */
export type Conversation = { receive(message: string | Uint8Array): void; count(): void }

/**
 * Answers the messages of a client in their order, a few at a time, so that others are served between them. A client that sends more
 * than its budget, or much faster than it is answered, is cut off.
 */
export function createConversation({ clock, log, budget }: Deps, listener: Listener): Conversation {
  let work = Promise.resolve()
  let waiting = 0
  let answered = 0
  let isOver = false

  async function answer(message: string | Uint8Array): Promise<string | null> {
    try {
      if (typeof message !== 'string') throw new AppError('invalid', 'must be a text message')
      const request = readClientMessage(message)
      if (request.type === 'ping') return pong(clock.now(), listener.clientId)
      if (request.type === 'subscribe') {
        await listener.subscribe(request.sloId, request.channels)
        return null
      }
      const had = listener.unsubscribe(request.sloId)
      return unsubscription(request.sloId, had ? 'Unsubscribed' : 'There was no subscription')
    } catch (error) {
      if (error instanceof AppError) return problem(error.message)
      log.error('live message not answered', { client_id: listener.clientId, error })
      return problem('Internal error')
    }
  }

  async function answerAfter(before: Promise<void>, message: string | Uint8Array): Promise<void> {
    await before
    answered += 1
    if (answered % answeredAtOnce === 0) await nextTurn()
    if (isOver || !listener.isOpen()) return
    const text = await answer(message)
    if (text !== null) listener.send(text)
    waiting -= message.length
  }

  function isTooMuch(bytes: number): boolean {
    if (isOver) return true
    waiting += bytes
    const count = Math.max(1, Math.ceil(bytes / countedBytes))
    isOver = waiting > maxWaiting || budget.look(listener.clientId).remaining < count
    if (isOver) listener.close(1008, 'Too many messages')
    else for (let taken = 0; taken < count; taken += 1) budget.take(listener.clientId)
    return isOver
  }

  return {
    receive(message) {
      if (!isTooMuch(message.length)) work = answerAfter(work, message)
    },
    count: () => void isTooMuch(0),
  }
}
