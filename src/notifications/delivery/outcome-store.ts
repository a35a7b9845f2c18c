import { sql } from 'kysely'
import { createBatchWriter } from '../../db/batch-writer.ts'
import type { GroupCommit } from '../../db/group-commit.ts'
import type { Db } from '../../db/open.ts'
import { prepared } from '../../db/statements/prepared.ts'
import { AppError } from '../../errors.ts'
import type { DeliveryOutcome } from './outcome.ts'

/**
 * Stores outcomes in their order, several in one transaction if they arrive together, because each commit waits for the disk. Those
 * that a full disk or a locked database refuses are kept until it takes them: sent notifications must not be sent again.
 */
export type OutcomeWriter = {
  /** Resolves when the outcome is on disk; rejects once it is given up. */
  write(outcome: DeliveryOutcome): Promise<void>
  /** Starts writing at once; `later`: after a short delay, to include outcomes that arrive about the same time. */
  flush(later?: boolean): void
  /** Resolves at once, or, if 32 outcomes wait for the transaction under way, when all are written or refused. */
  waitForRoom(): Promise<void>
  /** True if there are refused outcomes. */
  isHolding(): boolean
  /** Stores refused outcomes; throws if they are refused again. */
  retry(): Promise<void>
  /** Makes a last attempt to store refused outcomes. From then on refused outcomes are given up. */
  giveUp(): Promise<void>
}

type Waiting = { outcome: DeliveryOutcome; done: PromiseWithResolvers<void> }

/**
 * Delay before writing: a transaction blocks the event loop, and without a delay each outcome would need one. A kill loses
 * gathered outcomes; their notifications are sent again.
 */
const gatherMs = 20
const shortGatherMs = 2
const maxGathered = 32

export function createOutcomeWriter(groupCommit: GroupCommit): OutcomeWriter {
  const writer = createBatchWriter<Waiting>({ write: writeBatch, delayMs: gatherMs })
  let isGivenUp = false

  async function writeBatch(gathered: Waiting[]): Promise<void> {
    const outcomes = gathered.map(({ outcome }) => outcome)
    try {
      await groupCommit((trx) => recordOutcomes(trx, outcomes))
      for (const { done } of gathered) done.resolve()
    } catch (error) {
      if (error instanceof AppError && error.kind === 'unavailable' && !isGivenUp) throw error
      for (const { done } of gathered) done.reject(error)
    }
  }

  async function retry(): Promise<void> {
    if (writer.isHolding) await writer.flush()
  }

  return {
    write(outcome) {
      const done = Promise.withResolvers<void>()
      writer.add({ outcome, done })
      if (writer.size >= maxGathered) writer.start(0)
      return done.promise
    },
    flush: (later = false) => writer.start(later ? shortGatherMs : 0),
    async waitForRoom() {
      if (writer.size >= maxGathered && !writer.isHolding) await writer.flush().catch(() => {})
    },
    isHolding: () => writer.isHolding,
    retry,
    async giveUp() {
      isGivenUp = true
      await retry()
    },
  }
}

async function recordOutcomes(trx: Db, outcomes: DeliveryOutcome[]): Promise<void> {
  const json = JSON.stringify(outcomes)
  await insertAttempts(trx, { json })
  await updateNotifications(trx, { json })
  await recordHealth(trx, outcomes)
}

// `json_each` would serialize each element to text, to be parsed again for each column
const insertAttempts = prepared<{ json: string }>(
  ({ json }) => sql`
    insert into notification_attempts (notification_id, attempted_at, duration_ms, outcome, status_code, error, retry_at)
    select notifications.id, one.value->>'$.attempt.attempted_at', one.value->>'$.attempt.duration_ms',
      one.value->>'$.attempt.outcome', one.value->>'$.attempt.status_code', one.value->>'$.attempt.error',
      one.value->>'$.attempt.retry_at'
    from jsonb_each(${json}) as one cross join notifications on notifications.id = one.value->>'id'
    where one.value->>'attempt' is not null
    order by one.key`,
)

const updateNotifications = prepared<{ json: string }>(
  ({ json }) => sql`
    update notifications set
      status = one.value->>'status',
      retry_count = one.value->>'retry_count',
      next_attempt_at = one.value->>'next_attempt_at',
      error_message = one.value->>'error_message',
      leased_until = null,
      sealed_configuration = coalesce(one.value->>'sealed_configuration', sealed_configuration),
      sent_at = iif(one.value->>'status' in ('sent', 'delivered'), one.value->>'atMs', sent_at),
      delivered_at = iif(one.value->>'status' = 'delivered', one.value->>'atMs', delivered_at),
      updated_at = one.value->>'atMs'
    from jsonb_each(${json}) as one
    where notifications.id = one.value->>'id' and notifications.status = 'sending'`,
)

/** Effect of attempts on a channel. `succeededAt`: the last success, null if there was none; `failures`, `failingSince`: after it. */
type Health = {
  channelId: number
  usedConfiguration: string
  succeededAt: number | null
  failures: number
  failingSince: number | null
  lastError: string | null
  pausedUntil: number | null
}

const healthy = { failures: 0, failingSince: null, lastError: null, pausedUntil: null }

/** Parts of an outcome that determine the health of its channel. */
type Attempted = Pick<DeliveryOutcome, 'channel_id' | 'status' | 'atMs'> & {
  attempt: Pick<NonNullable<DeliveryOutcome['attempt']>, 'usedConfiguration' | 'error' | 'pausedUntil'> | null
}

/** Adds attempts to the health of their channels, unless the channel's configuration has changed since the attempt. */
export async function recordHealth(db: Db, outcomes: Attempted[]): Promise<void> {
  const byConfiguration = new Map<string, Health>()
  for (const { channel_id: channelId, status, atMs, attempt } of outcomes) {
    if (!attempt) continue
    const { usedConfiguration, pausedUntil, error } = attempt
    const key = `${channelId} ${usedConfiguration}`
    const healthBefore = byConfiguration.get(key) ?? { ...healthy, channelId, usedConfiguration, succeededAt: null }
    const healthAfter =
      status === 'sent' || status === 'delivered'
        ? { ...healthBefore, ...healthy, succeededAt: atMs }
        : {
            ...healthBefore,
            failures: healthBefore.failures + 1,
            failingSince: healthBefore.failingSince ?? atMs,
            lastError: error,
          }
    byConfiguration.set(key, { ...healthAfter, pausedUntil: pausedUntil ?? healthBefore.pausedUntil })
  }
  if (byConfiguration.size > 0) await updateHealth(db, { json: JSON.stringify([...byConfiguration.values()]) })
}

const updateHealth = prepared<{ json: string }>(
  ({ json }) => sql`
    update channels set
      failures = iif(one.value->>'succeededAt' is null, failures, 0) + (one.value->>'failures'),
      failing_since = iif(one.value->>'succeededAt' is null, coalesce(failing_since, one.value->>'failingSince'),
        one.value->>'failingSince'),
      last_error = one.value->>'lastError',
      last_success_at = coalesce(one.value->>'succeededAt', last_success_at),
      paused_until = coalesce(one.value->>'pausedUntil', paused_until)
    from jsonb_each(${json}) as one
    where channels.id = one.value->>'channelId' and channels.sealed_configuration = one.value->>'usedConfiguration'`,
)
