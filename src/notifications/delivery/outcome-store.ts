import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { type Health, healthOf } from './channel-health.ts'
import type { Settled } from './settled.ts'

/** Writes what has become of notifications, in the order in which it came about; of those that are gone, nothing. */
export async function recordSettled(trx: Db, all: Settled[]): Promise<void> {
  const json = JSON.stringify(all)
  await sql`
    insert into notification_attempts (notification_id, attempted_at, duration_ms, outcome, status_code, error, retry_at)
    select notifications.id, one.value->>'$.attempt.attempted_at', one.value->>'$.attempt.duration_ms',
      one.value->>'$.attempt.outcome', one.value->>'$.attempt.status_code', one.value->>'$.attempt.error',
      one.value->>'$.attempt.retry_at'
    from json_each(${json}) as one cross join notifications on notifications.id = one.value->>'id'
    where one.value->>'attempt' is not null
    order by one.key
  `.execute(trx)
  await sql`
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
    from json_each(${json}) as one
    where notifications.id = one.value->>'id' and notifications.status = 'sending'
  `.execute(trx)
  await recordHealth(trx, healthOf(all))
}

/** Adds to what is known of channels, unless they have another configuration by now. */
export async function recordHealth(db: Db, healths: Health[]): Promise<void> {
  await sql`
    update channels set
      failures = iif(one.value->>'succeededAt' is null, failures, 0) + (one.value->>'failures'),
      failing_since = iif(one.value->>'succeededAt' is null, coalesce(failing_since, one.value->>'failingSince'),
        one.value->>'failingSince'),
      last_error = one.value->>'lastError',
      last_success_at = coalesce(one.value->>'succeededAt', last_success_at),
      paused_until = coalesce(one.value->>'pausedUntil', paused_until)
    from json_each(${JSON.stringify(healths)}) as one
    where channels.id = one.value->>'channelId' and channels.sealed_configuration = one.value->>'usedConfiguration'
  `.execute(db)
}
