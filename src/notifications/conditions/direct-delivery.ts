import { unacknowledged } from '../alerts/alert-store.ts'
import type { Clock } from '../../clock.ts'
import { createSemaphore } from '../../concurrency/semaphore.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import type { Log } from '../../log.ts'
import type { ChannelDeps } from '../channels/channel.ts'
import { openConfiguration } from '../configurations.ts'
import { attempt, messageOf, reasonOf } from '../delivery/attempt.ts'
import { type BackoffConfig, backoffMs } from '../delivery/outcome.ts'
import type { Draft } from '../outbox-store.ts'
import { utc, type Zone } from '../../zone.ts'
import { conditionAlertName, conditionDraft, recipientOf } from './condition-draft.ts'
import type { ConditionRule, ConditionState } from './condition-store.ts'

/** Notification that was sent without the outbox, to be recorded in the history. */
type DirectNotification = { condition: string; ruleId: number; sinceMs: number }

/**
 * Delivery without the outbox, for a database that cannot be written. On a full disk or a damaged page the outbox itself fails,
 * and a condition that waits in it reaches nobody. Best effort: it uses the rules and channels that were read last, keeps
 * retries in memory, and loses its record of sent notifications at a restart.
 */
export type DirectDelivery = {
  /** Stores the rules in force and the zone of their organization; called while they can be read. */
  remember(rules: ConditionRule[], zone: Zone): void
  /** Starts sending the conditions that hold to channels that have not got them, or retries. Call it every few seconds. */
  send(conditions: ConditionState[]): void
  /** True if an attempt is under way. */
  isBusy(): boolean
  /** Notifications that were sent and are not in the history yet. */
  sent(): DirectNotification[]
  /** Marks notifications as recorded in the history, and the conditions that hold as queued in the outbox. */
  markRecorded(sent: DirectNotification[], conditions: ConditionState[]): void
  /** Resolves when no attempt is under way; aborts attempts first if the app is closing. */
  drain(): Promise<void>
}

type Deps = {
  clock: Clock
  stopwatch: Clock
  log: Log
  seal: Seal
  channels: ChannelDeps
  config: BackoffConfig
  instanceId: string
  publicUrl: () => string
  isClosing: () => boolean
}

type Sending = {
  sent: DirectNotification
  draft: Draft
  key: string
  atMs: number
  tries: number
  nextMs: number
  state: 'waiting' | 'busy' | 'done'
}

const maxTries = 12
const timeoutMs = 10_000

export function createDirectDelivery(deps: Deps): DirectDelivery {
  const { clock, stopwatch, log, seal, channels, isClosing } = deps
  const sendings = new Map<string, Sending>()
  const attempts = createSemaphore()
  const ending = new AbortController()
  let rules: ConditionRule[] = []
  let zone = utc
  let queued = new Set<string>()

  async function tryOnce(sending: Sending, { channel }: ConditionRule): Promise<void> {
    const { draft, key } = sending
    const { data, ...written } = draft
    const row = {
      ...written,
      id: null,
      metadata: JSON.stringify(data),
      idempotency_key: key,
      created_at: sending.atMs,
    }
    const message = messageOf(deps, row)
    const limits = { timeoutMs, signal: ending.signal }
    const outcome = await attempt({ log, channels }, openConfiguration(seal, channel), message, limits)
    if (outcome?.outcome === 'delivered' || outcome?.outcome === 'sent') return void (sending.state = 'done')
    throw new Error(outcome && 'error' in outcome ? outcome.error : 'it was ended early')
  }

  function begin(sending: Sending, rule: ConditionRule): void {
    sending.state = 'busy'
    sending.tries += 1
    const trying = attempts.run(() => tryOnce(sending, rule))
    trying.catch((error: unknown) => {
      sending.state = 'waiting'
      sending.nextMs = stopwatch.now() + backoffMs(sending.tries, deps.config, Math.random)
      const { condition } = sending.sent
      log.warn('condition not delivered', { condition, channel_id: rule.channel.id, error: reasonOf(error) })
    })
  }

  function sendingOf(one: ConditionRule, { name, severity, holds }: ConditionState): Sending | undefined {
    if (holds === null || queued.has(beginning(name, holds.sinceMs))) return undefined
    const id = `${name} ${holds.sinceMs} ${one.rule.id}`
    const current = sendings.get(id)
    if (current) return current
    const { sinceMs, message, advice } = holds
    const began_at = Math.floor(sinceMs / 1000)
    const alert = { id: 0, name: conditionAlertName(name), severity, began_at, ended_at: null, ...unacknowledged }
    const options = { publicUrl: deps.publicUrl(), zone, nowMs: clock.now() }
    const draft = conditionDraft(recipientOf(one), { alert, message, advice }, options)
    const sent = { condition: name, ruleId: one.rule.id, sinceMs }
    const sending: Sending = {
      sent,
      draft,
      key: Bun.randomUUIDv7(),
      atMs: clock.now(),
      tries: 0,
      nextMs: -Infinity,
      state: 'waiting',
    }
    sendings.set(id, sending)
    return sending
  }

  const done = () => [...sendings.values()].filter(({ state }) => state === 'done').map(({ sent }) => sent)

  return {
    remember(known, knownZone) {
      rules = known
      zone = knownZone
    },
    send(conditions) {
      if (isClosing()) return
      for (const one of rules) {
        for (const condition of conditions) {
          const sending = sendingOf(one, condition)
          const isDue = sending?.state === 'waiting' && sending.tries < maxTries && stopwatch.now() >= sending.nextMs
          if (isDue) begin(sending, one)
        }
      }
    },
    isBusy: () => attempts.size > 0,
    sent: done,
    markRecorded(sent, conditions) {
      for (const [id, one] of sendings) if (sent.includes(one.sent) || one.state === 'waiting') sendings.delete(id)
      queued = new Set(conditions.flatMap(({ name, holds }) => (holds ? [beginning(name, holds.sinceMs)] : [])))
    },
    async drain() {
      if (isClosing()) ending.abort()
      await attempts.drain()
    },
  }
}

function beginning(name: string, sinceMs: number): string {
  return `${name} ${sinceMs}`
}
