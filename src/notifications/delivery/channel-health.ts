import type { Outcome } from '../channels/channel.ts'

/** What some attempts say of one configuration of a channel. Times in ms; null: none. */
export type Health = {
  channelId: number
  usedConfiguration: string
  /** Of the last that succeeded; what follows is since then. */
  succeededAt: number | null
  failures: number
  failingSince: number | null
  lastError: string | null
  pausedUntil: number | null
}

/** Of a notification, as `Settled` has it: what came of its last attempt, null where none was made. */
type Ended = {
  channel_id: number
  status: 'pending' | 'sent' | 'delivered' | 'failed'
  atMs: number
  attempt: { usedConfiguration: string; error: string | null; pausedUntil: number | null } | null
}

/** The attempts among these, summed up for each configuration that was used. */
export function healthOf(all: Ended[]): Health[] {
  const known = new Map<string, Health>()
  for (const { channel_id: channelId, status, atMs, attempt } of all) {
    if (!attempt) continue
    const { usedConfiguration, pausedUntil, error } = attempt
    const key = `${channelId} ${usedConfiguration}`
    const before = known.get(key) ?? { ...well, channelId, usedConfiguration, succeededAt: null }
    const isOk = status === 'sent' || status === 'delivered'
    const now = isOk
      ? { ...before, ...well, succeededAt: atMs }
      : { ...before, failures: before.failures + 1, failingSince: before.failingSince ?? atMs, lastError: error }
    known.set(key, { ...now, pausedUntil: pausedUntil ?? before.pausedUntil })
  }
  return [...known.values()]
}

const well = { failures: 0, failingSince: null, lastError: null, pausedUntil: null }

/** Until when an attempt that has just ended says that its receiver is to be left alone; null: it does not. */
export function pauseAfter(outcome: Outcome, atMs: number): number | null {
  const askedMs = outcome.outcome === 'retry' ? Math.ceil(outcome.retryAfterMs ?? 0) : 0
  return askedMs > 0 ? atMs + askedMs : null
}
