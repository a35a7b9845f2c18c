import { AppError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { ChannelDeps, Message, Outcome } from '../channels/channel.ts'
import { cut } from '../channels/http.ts'
import type { Opened } from '../configurations.ts'
import { redact } from '../redact.ts'

type Deps = { log: Log; channels: ChannelDeps }

type Limits = {
  patienceMs: number
  /** Ends it early. */
  signal: AbortSignal
}

const maxError = 500

/** One attempt to send a message: its outcome, without secrets, or null if it was ended early. */
export async function attempt(
  { log, channels }: Deps,
  opened: Opened,
  message: Message,
  { patienceMs, signal }: Limits,
): Promise<Outcome | null> {
  const ended = Promise.withResolvers<null>()
  const controller = new AbortController()
  const end = () => {
    controller.abort()
    ended.resolve(null) // a channel may not listen, and must not be waited for
  }
  const timer = setTimeout(end, patienceMs)
  signal.addEventListener('abort', end, { once: true })
  try {
    signal.throwIfAborted()
    const sending = opened.type.send(channels, opened.configuration, message, controller.signal)
    const outcome = await Promise.race([sending, ended.promise])
    if (outcome) return withoutSecrets(outcome, opened)
    return signal.aborted ? null : late(patienceMs)
  } catch (error) {
    if (signal.aborted) return null
    if (controller.signal.aborted) return late(patienceMs)
    const reason = cut(redact(reasonOf(error), opened), maxError)
    if (error instanceof AppError) return { outcome: 'failed', statusCode: null, error: reason } // its configuration
    log.error('a channel failed in a way of its own', { notification_id: message.id, error: reason })
    return { outcome: 'retry', statusCode: null, error: reason }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

/** What went wrong, for people. */
export function reasonOf(error: unknown): string {
  if (error instanceof AppError) return error.details ?? error.message
  return error instanceof Error ? error.message : String(error)
}

function late(patienceMs: number): Outcome {
  return { outcome: 'retry', statusCode: null, error: `no answer within ${patienceMs / 1000} s` }
}

function withoutSecrets(outcome: Outcome, opened: Opened): Outcome {
  const safe = (text: string) => cut(redact(text, opened), maxError)
  if ('error' in outcome) return { ...outcome, error: safe(outcome.error) }
  return outcome.note === undefined ? outcome : { ...outcome, note: safe(outcome.note) }
}
