import { isoTime, type Clock } from '../clock.ts'
import { unlessDiskRefuses } from '../db/failures/disk-failure.ts'
import type { Database } from '../db/open.ts'
import type { Seal } from '../db/sealing/seal.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { TestMessage } from './channel-model.ts'
import { getUsableChannel } from './channel-store.ts'
import type { ChannelDeps, Message, Outcome } from './channels/channel.ts'
import { type Opened, openConfiguration } from './configurations.ts'
import { attempt } from './delivery/attempt.ts'
import { pauseAfter } from './delivery/outcome.ts'
import { recordHealth } from './delivery/outcome-store.ts'
import { createTokenBuckets } from '../http/connections/token-buckets.ts'

type Deps = { db: Database; log: Log; seal: Seal; channels: ChannelDeps }

/** `deliveredAt`: ISO 8601; null where only a relay has taken it. */
type Sent = { status: 'sent' | 'delivered'; deliveredAt: string | null }

/**
 * Sends a message through a channel now, past rules, outbox and history; it counts for the channel's health. A recovery
 * ends what the alert of any test began. Throws `delivery_failed` with what the receiver said, after `patienceMs` at most; `rate_limited`
 * where no mail may go now.
 */
export async function sendTest(
  { db, log, seal, channels }: Deps,
  organizationId: number,
  { channel_id, subject, message, event = 'alert' }: TestMessage,
  patienceMs = 10_000,
): Promise<Sent> {
  const channel = await getUsableChannel(db.read, organizationId, channel_id)
  const { clock } = channels
  const key = `nines-test-${channel_id}`
  const test = (one: 'alert' | 'recovery'): Message => ({
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
  const tests = event === 'both' ? [test('alert'), test('recovery')] : [test(event)]
  const last = await sendAll({ log, channels }, openConfiguration(seal, channel), tests, patienceMs)
  if (last.outcome === 'held') {
    throw new AppError('rate_limited', 'Too many mails', {
      details: last.error,
      headers: { 'Retry-After': String(Math.ceil(last.waitMs / 1000)) },
    })
  }
  const record = (status: 'delivered' | 'failed', error: string | null) => {
    const pausedUntil = pauseAfter(last, clock.now())
    const made = { usedConfiguration: channel.sealed_configuration, error, pausedUntil }
    const outcome = { channel_id, status, atMs: clock.now(), attempt: made }
    return unlessDiskRefuses(() => recordHealth(db.write, [outcome]), undefined)
  }
  if (last.outcome === 'retry' || last.outcome === 'failed') {
    await record('failed', last.error)
    throw new AppError('delivery_failed', 'Test notification was not delivered', { details: last.error })
  }
  await record('delivered', null)
  return { status: last.outcome, deliveredAt: last.outcome === 'delivered' ? isoTime(clock.now()) : null }
}

/** Sends one after another until one fails; gives the outcome of the last. */
async function sendAll(
  deps: { log: Log; channels: ChannelDeps },
  opened: Opened,
  messages: Message[],
  patienceMs: number,
): Promise<Outcome> {
  const late = { outcome: 'retry', statusCode: null, error: `no answer within ${patienceMs / 1000} s` } as const
  const limits = { patienceMs, signal: AbortSignal.timeout(patienceMs) }
  let last: Outcome = late
  for (const message of messages) {
    last = (await attempt(deps, opened, message, limits)) ?? late
    if ('error' in last) break
  }
  return last
}

/** Keeps test messages from flooding receivers, and from holding up nines while receivers hang. */
export type TestBounds = {
  /** Sends so many messages for an organization; throws `rate_limited` instead where that would be too many. */
  run<T>(organizationId: number, messages: number, send: () => Promise<T>): Promise<T>
}

const maxAMinute = 10
const maxAtOnce = 2
const maxAtOnceOfAll = 32

export function createTestBounds(clock: Clock): TestBounds {
  const buckets = createTokenBuckets({ limit: maxAMinute, clock })
  /** Whose tests are under way. */
  const underWay: number[] = []

  return {
    async run(organizationId, messages, send) {
      const key = String(organizationId)
      const { remaining, nextInMs } = buckets.look(key)
      const own = underWay.filter((id) => id === organizationId).length
      if (remaining < messages) throw tooMany(`at most ${maxAMinute} messages a minute of an organization`, nextInMs)
      if (own >= maxAtOnce) throw tooMany(`at most ${maxAtOnce} at once of an organization`)
      if (underWay.length >= maxAtOnceOfAll) throw tooMany(`at most ${maxAtOnceOfAll} at once of all organizations`)
      for (let taken = 0; taken < messages; taken += 1) buckets.take(key)
      underWay.push(organizationId)
      return send().finally(() => underWay.splice(underWay.indexOf(organizationId), 1))
    },
  }
}

function tooMany(bound: string, waitMs = 0): AppError {
  return new AppError('rate_limited', 'Too many tests', {
    details: `must be ${bound}`,
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  })
}
