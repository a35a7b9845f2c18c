import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { TokenBuckets } from '../http/connections/token-buckets.ts'
import type { Log } from '../log.ts'
import { type Channel, pong, problem, readClientMessage, type Subject, unsubscription } from './messages.ts'

/** Functions of the hub and the transport that a conversation calls for its client. */
type Listener = {
  clientId: string
  isOpen(): boolean
  send(text: string): void
  close(code: number, reason: string): void
  /**
   * Subscribes and sends the confirmation, before any update. Throws `not_found` if the SLO is not one of the client's
   * organization, and `invalid` if the client has too many subscriptions.
   */
  subscribe(subject: Subject, channels: Channel[]): Promise<void>
  /** Returns true if there was such a subscription. */
  unsubscribe(subject: Subject): boolean
}

/** `budget`: messages that each client may send, by its id; a message counts once per started kilobyte. */
type Deps = { clock: Clock; log: Log; budget: TokenBuckets }

const maxWaitingBytes = 1 << 20
const bytesPerCount = 1024
const messagesPerTurn = 10

/** Conversation with one client. `count` counts pings and pongs of the transport, which are messages too. */
export type Conversation = { receive(message: string | Uint8Array): void; count(): void }

/**
 * Creates a conversation that answers the messages of a client in their order, yielding to the event loop after every few. A
 * client that exceeds its budget, or sends much faster than it is answered, is disconnected.
 */
export function createConversation({ clock, log, budget }: Deps, listener: Listener): Conversation {
  let work = Promise.resolve()
  let waitingBytes = 0
  let answerCount = 0
  let isOver = false

  async function answer(message: string | Uint8Array): Promise<string | null> {
    try {
      if (typeof message !== 'string') throw new AppError('invalid', 'must be a text message')
      const request = readClientMessage(message)
      if (request.type === 'ping') return pong(clock.now(), listener.clientId)
      if (request.type === 'subscribe') {
        await listener.subscribe(request.subject, request.channels)
        return null
      }
      const wasSubscribed = listener.unsubscribe(request.subject)
      return unsubscription(request.subject, wasSubscribed ? 'Unsubscribed' : 'There was no subscription')
    } catch (error) {
      if (error instanceof AppError) return problem(error.message)
      log.error('live message not answered', { client_id: listener.clientId, error })
      return problem('Internal error')
    }
  }

  async function answerAfter(previous: Promise<void>, message: string | Uint8Array): Promise<void> {
    await previous
    answerCount += 1
    if (answerCount % messagesPerTurn === 0) await yieldToEventLoop()
    if (isOver || !listener.isOpen()) return
    const text = await answer(message)
    if (text !== null) listener.send(text)
    waitingBytes -= message.length
  }

  /** Counts a message; closes the connection, and returns true, if it exceeds the bounds. */
  function countAndCheck(bytes: number): boolean {
    if (isOver) return true
    waitingBytes += bytes
    const count = Math.max(1, Math.ceil(bytes / bytesPerCount))
    isOver = waitingBytes > maxWaitingBytes || budget.peek(listener.clientId).remaining < count
    if (isOver) listener.close(1008, 'Too many messages')
    else for (let taken = 0; taken < count; taken += 1) budget.take(listener.clientId)
    return isOver
  }

  return {
    receive(message) {
      if (!countAndCheck(message.length)) work = answerAfter(work, message)
    },
    count: () => void countAndCheck(0),
  }
}
