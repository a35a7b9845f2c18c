import type { AttemptRow, NotificationRow } from '../../db/tables/tables.ts'
import type { Outcome } from '../channels/channel.ts'
import { type BackoffConfig, backoffMs } from './backoff.ts'
import { pauseAfter } from './channel-health.ts'

export type HeldOutcome = Extract<Outcome, { outcome: 'held' }>
export type MadeOutcome = Exclude<Outcome, HeldOutcome>

/** What has become of a notification that was taken, to be written. */
export type Settled = Pick<
  NotificationRow,
  'id' | 'channel_id' | 'retry_count' | 'next_attempt_at' | 'error_message' | 'sealed_configuration'
> & {
  status: 'pending' | 'sent' | 'delivered' | 'failed'
  atMs: number
  /** null: none was made. */
  attempt: Attempt | null
}

type Attempt = Pick<AttemptRow, 'attempted_at' | 'duration_ms' | 'outcome' | 'status_code' | 'error' | 'retry_at'> & {
  /** With which sealed configuration: what it says of the health of a channel goes for no other. */
  usedConfiguration: string
  /** It failed or was slow. */
  isTroubled: boolean
  /** The receiver asked for no more before. */
  pausedUntil: number | null
}

/** As if it had not been taken. */
export function givenBack(row: NotificationRow, atMs: number): Settled {
  const { id, channel_id, retry_count, next_attempt_at, error_message } = row
  const unchanged = { id, channel_id, retry_count, next_attempt_at, error_message, sealed_configuration: null }
  return { ...unchanged, status: 'pending', atMs, attempt: null }
}

/** Held back by a bound of nines' own for a while; its retries are for what its receiver does. */
export function heldBack(row: NotificationRow, { error, waitMs }: HeldOutcome, atMs: number): Settled {
  const next_attempt_at = atMs + Math.min(Math.ceil(waitMs), maxHeldMs)
  return { ...givenBack(row, atMs), next_attempt_at, error_message: error }
}

/** Then it is looked at again: a time further ahead would pass for one of a clock that was set back. */
const maxHeldMs = 900_000

/** Done without an attempt: what only informs would open an incident there, and page somebody. */
export function leftOut(row: NotificationRow, atMs: number): Settled {
  const error_message = 'not sent: it only informs, and each message to this type of channel opens an incident'
  return { ...givenBack(row, atMs), status: 'delivered', error_message }
}

/** Failed for good without an attempt. */
export function refused(row: NotificationRow, reason: string, atMs: number): Settled {
  return { ...givenBack(row, atMs), status: 'failed', error_message: reason }
}

/** An attempt with a sealed configuration, which a recovery needs again where it `opensIncident`. No secrets in `outcome`. */
export type Tried = {
  outcome: MadeOutcome
  sealed: string
  opensIncident: boolean
  attemptedAtMs: number
  durationMs: number
  isTroubled: boolean
}

/** What an attempt that has just ended makes of its notification. */
export function settle(
  row: NotificationRow,
  { outcome, sealed, opensIncident, attemptedAtMs, durationMs, isTroubled }: Tried,
  atMs: number,
  config: BackoffConfig,
  random: () => number,
): Settled {
  const attempt = {
    attempted_at: attemptedAtMs,
    duration_ms: durationMs,
    outcome: outcome.outcome,
    status_code: outcome.statusCode,
    usedConfiguration: sealed,
    isTroubled,
  }
  if (outcome.outcome === 'retry' || outcome.outcome === 'failed') {
    const { error } = outcome
    const pausedUntil = pauseAfter(outcome, atMs)
    if (outcome.outcome === 'failed' || row.retry_count >= row.max_retries) {
      return { ...refused(row, error, atMs), attempt: { ...attempt, error, retry_at: null, pausedUntil } }
    }
    const retryAt = Math.max(pausedUntil ?? 0, atMs + backoffMs(row.retry_count, config, random))
    return {
      ...givenBack(row, atMs),
      retry_count: row.retry_count + 1,
      next_attempt_at: retryAt,
      error_message: error,
      attempt: { ...attempt, error, retry_at: retryAt, pausedUntil },
    }
  }
  const note = outcome.note ?? null
  return {
    ...givenBack(row, atMs),
    status: outcome.outcome,
    error_message: note ?? '',
    sealed_configuration: opensIncident ? sealed : null,
    attempt: { ...attempt, error: note, retry_at: null, pausedUntil: null },
  }
}
