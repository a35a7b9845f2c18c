import type { Config } from '../../config.ts'
import type { AttemptRow, NotificationRow } from '../../db/tables/tables.ts'
import type { Outcome } from '../channels/channel.ts'

/** New state of a claimed notification, to be stored. */
export type DeliveryOutcome = Pick<
  NotificationRow,
  'id' | 'channel_id' | 'retry_count' | 'next_attempt_at' | 'error_message' | 'sealed_configuration'
> & {
  status: 'pending' | 'sent' | 'delivered' | 'failed'
  atMs: number
  /** null: no attempt was made. */
  attempt: Attempt | null
}

type Attempt = Pick<AttemptRow, 'attempted_at' | 'duration_ms' | 'outcome' | 'status_code' | 'error' | 'retry_at'> & {
  /** Sealed configuration that the attempt used: the health of a channel counts for that configuration only. */
  usedConfiguration: string
  /** Time in ms until which the receiver accepts no more requests; null: it set no time. */
  pausedUntil: number | null
}

/** Releases a notification unchanged, as before it was claimed. */
export function released(row: NotificationRow, atMs: number): DeliveryOutcome {
  const { id, channel_id, retry_count, next_attempt_at, error_message } = row
  const unchanged = { id, channel_id, retry_count, next_attempt_at, error_message, sealed_configuration: null }
  return { ...unchanged, status: 'pending', atMs, attempt: null }
}

/** Postpones a notification because of a limit in nines; this uses up no retry. */
export function postponed(
  row: NotificationRow,
  { error, waitMs }: Extract<Outcome, { outcome: 'held' }>,
  atMs: number,
): DeliveryOutcome {
  const next_attempt_at = atMs + Math.min(Math.ceil(waitMs), maxPostponedMs)
  return { ...released(row, atMs), next_attempt_at, error_message: error }
}

/** Maximum postponement, below the 16 minutes from which a time counts as written before the clock was set back. */
const maxPostponedMs = 900_000

/** Finishes a notification without an attempt, as `delivered`, with the reason. */
export function skipped(row: NotificationRow, reason: string, atMs: number): DeliveryOutcome {
  const error_message = `not sent: ${reason}`
  return { ...released(row, atMs), status: 'delivered', error_message }
}

/** Fails a notification permanently without an attempt. */
export function failed(row: NotificationRow, reason: string, atMs: number): DeliveryOutcome {
  return { ...released(row, atMs), status: 'failed', error_message: reason }
}

/** Ended attempt. `sealed`: the configuration it used, stored for the recovery if `opensIncident`. `outcome` has no secrets. */
type Attempted = {
  outcome: Exclude<Outcome, { outcome: 'held' }>
  sealed: string
  opensIncident: boolean
  attemptedAtMs: number
  durationMs: number
}

export type BackoffConfig = Pick<Config, 'notifyRetryDelaySeconds' | 'notifyRetryFactor'>

/** Outcome of an attempt that has just ended: delivered, failed permanently, or to be retried. */
export function attempted(
  row: NotificationRow,
  { outcome, sealed, opensIncident, attemptedAtMs, durationMs }: Attempted,
  atMs: number,
  config: BackoffConfig,
  random: () => number,
): DeliveryOutcome {
  const pausedUntil = pauseAfter(outcome, atMs)
  const isRetried = outcome.outcome === 'retry' && row.retry_count < row.max_retries
  const retryAt = isRetried ? Math.max(pausedUntil ?? 0, atMs + backoffMs(row.retry_count, config, random)) : null
  const error = 'error' in outcome ? outcome.error : (outcome.note ?? null)
  const attempt = {
    attempted_at: attemptedAtMs,
    duration_ms: durationMs,
    outcome: outcome.outcome,
    status_code: outcome.statusCode,
    error,
    retry_at: retryAt,
    usedConfiguration: sealed,
    pausedUntil,
  }
  const ended = { ...released(row, atMs), error_message: error ?? '', attempt }
  if (retryAt !== null) return { ...ended, retry_count: row.retry_count + 1, next_attempt_at: retryAt }
  if ('error' in outcome) return { ...ended, status: 'failed' }
  return { ...ended, status: outcome.outcome, sealed_configuration: opensIncident ? sealed : null }
}

/** Time in ms until which the receiver of a just ended attempt accepts no more requests; null: it set no time. */
export function pauseAfter(outcome: Outcome, atMs: number): number | null {
  const waitMs = outcome.outcome === 'retry' ? Math.ceil(outcome.retryAfterMs ?? 0) : 0
  return waitMs > 0 ? atMs + waitMs : null
}

const maxBackoffMs = 300_000

/** Milliseconds until the next attempt: between 0 and a growing bound (full jitter), at most 5 minutes. */
export function backoffMs(
  retries: number,
  { notifyRetryDelaySeconds, notifyRetryFactor }: BackoffConfig,
  random: () => number,
): number {
  return Math.round(random() * Math.min(maxBackoffMs, notifyRetryDelaySeconds * 1000 * notifyRetryFactor ** retries))
}
