import { isoTime, type Clock } from '../clock.ts'
import { unlessDiskRefuses } from '../db/failures/disk-failure.ts'
import type { Database } from '../db/open.ts'
import type { Seal } from '../db/sealing/seal.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { TestMessage } from './channel-model.ts'
import { getUsableChannel } from './channel-store.ts'
import type { ChannelDeps, Message } from './channels/channel.ts'
import { openConfiguration } from './configurations.ts'
import { attempt, timedOut } from './delivery/attempt.ts'
import { pauseAfter } from './delivery/outcome.ts'
import { recordHealth } from './delivery/outcome-store.ts'
import { createTokenBuckets } from '../http/connections/token-buckets.ts'

type Deps = { db: Database; log: Log; seal: Seal; channels: ChannelDeps }

/** Result of a test. `deliveredAt`: ISO 8601; null if only a relay has accepted it. */
type Sent = { status: 'sent' | 'delivered'; deliveredAt: string | null }

/**
 * Sends a test message through a channel at once, without rules, outbox and history; the result counts for the channel's health.
 * A recovery resolves the alert of an earlier test in the receiver. Throws `delivery_failed` with the receiver's error, after at
 * most `timeoutMs`, and `rate_limited` if the mail allowance is used up.
 */
export async function sendTest(
  { db, log, seal, channels }: Deps,
  organizationId: number,
  { channel_id, subject, message, event = 'alert' }: TestMessage,
  timeoutMs = 10_000,
): Promise<Sent> {
  const channel = await getUsableChannel(db.read, organizationId, channel_id)
  const { clock } = channels
  const key = `nines-test-${channel_id}`
  const messageOf = (one: 'alert' | 'recovery'): Message => ({
    id: null,
    organizationId,
    idempotencyKey: Bun.randomUUIDv7(),
    event: one,
    isAboutRule: false,
    alertKey: key,
    threadKey: key,
    alertType: 'test',
    priority: 'medium',
    subject,
    text: message,
    createdAtMs: clock.now(),
    slo: null,
  })
  const opened = openConfiguration(seal, channel)
  const limits = { timeoutMs, signal: AbortSignal.timeout(timeoutMs) }
  let last = timedOut(timeoutMs)
  for (const one of event === 'both' ? (['alert', 'recovery'] as const) : [event]) {
    last = (await attempt({ log, channels }, opened, messageOf(one), limits)) ?? timedOut(timeoutMs)
    if ('error' in last) break
  }
  if (last.outcome === 'held') {
    throw new AppError('rate_limited', 'Too many mails', {
      details: last.error,
      headers: { 'Retry-After': String(Math.ceil(last.waitMs / 1000)) },
    })
  }
  const atMs = clock.now()
  const error = 'error' in last ? last.error : null
  const attempted = { usedConfiguration: channel.sealed_configuration, error, pausedUntil: pauseAfter(last, atMs) }
  const outcome = {
    channel_id,
    status: error === null ? ('delivered' as const) : ('failed' as const),
    atMs,
    attempt: attempted,
  }
  await unlessDiskRefuses(() => recordHealth(db.write, [outcome]), undefined)
  if ('error' in last) {
    throw new AppError('delivery_failed', 'Test notification was not delivered', { details: last.error })
  }
  return { status: last.outcome, deliveredAt: last.outcome === 'delivered' ? isoTime(atMs) : null }
}

/** Limits test messages, so that they neither flood receivers nor block nines while receivers hang. */
export type TestBounds = {
  /** Sends a number of messages for an organization; throws `rate_limited` instead if that exceeds a limit. */
  run<T>(organizationId: number, messageCount: number, send: () => Promise<T>): Promise<T>
}

const maxPerMinute = 10
const maxConcurrentOfOrganization = 2
const maxConcurrent = 32

export function createTestBounds(clock: Clock): TestBounds {
  const buckets = createTokenBuckets({ limit: maxPerMinute, clock })
  /** Organization of each test that is being sent. */
  const running: number[] = []

  return {
    async run(organizationId, messageCount, send) {
      const key = String(organizationId)
      const { remaining, nextInMs } = buckets.peek(key)
      const runningOfOrganization = running.filter((id) => id === organizationId).length
      if (remaining < messageCount)
        throw tooManyTests(`at most ${maxPerMinute} messages a minute of an organization`, nextInMs)
      if (runningOfOrganization >= maxConcurrentOfOrganization)
        throw tooManyTests(`at most ${maxConcurrentOfOrganization} at once of an organization`)
      if (running.length >= maxConcurrent) throw tooManyTests(`at most ${maxConcurrent} at once of all organizations`)
      for (let taken = 0; taken < messageCount; taken += 1) buckets.take(key)
      running.push(organizationId)
      return send().finally(() => running.splice(running.indexOf(organizationId), 1))
    },
  }
}

function tooManyTests(bound: string, waitMs = 0): AppError {
  return new AppError('rate_limited', 'Too many tests', {
    details: `must be ${bound}`,
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  })
}
