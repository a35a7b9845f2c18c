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
import { conditionAlertName } from '../alerts/alert-name.ts'
import { conditionDraft, recipientOf } from './condition-draft.ts'
import type { ConditionRule, ConditionState } from './condition-store.ts'

/** State of a condition that is not recorded in the database. `atMs`: the time at which it was noted. */
export type StateChange = ConditionState & { atMs: number }

/** Notification that was sent, or tried, without the outbox. `key`: its idempotency key. */
type DirectNotification = { key: string; isSent: boolean }

/**
 * Delivery without the outbox, for a database that cannot be written. On a full disk or a damaged page the outbox itself fails,
 * and a condition that waits in it reaches nobody. Best effort: it uses the rules and channels that were read last, and keeps
 * retries and changes in memory until the database can be written again; a restart before that loses them.
 */
export type DirectDelivery = {
  /** Stores the rules in force and the zone of their organization; called while they can be read. */
  remember(rules: ConditionRule[], zone: Zone): void
  /** Notes changes of conditions, to be recorded once the database can be written. */
  note(conditions: ConditionState[]): void
  /** Notes changes, and sends the conditions that hold to channels that have not got them. Call it every few seconds. */
  send(conditions: ConditionState[]): void
  /** True if an attempt is under way. */
  isBusy(): boolean
  /** Changes that were noted and are not in the database, oldest first. */
  changes(): StateChange[]
  /** Notification of the beginning of a condition by a rule; undefined: none was tried. */
  find(condition: ConditionState, ruleId: number): DirectNotification | undefined
  /** Marks all changes and notifications as recorded in the database; `conditions`: the states recorded last. */
  markRecorded(conditions: ConditionState[]): void
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

/** `atMs`: when it was drafted, by `clock`; `nextMs`: when it may be tried again, by `stopwatch`. */
type Sending = {
  condition: string
  draft: Draft
  key: string
  atMs: number
  tries: number
  nextMs: number
  state: 'waiting' | 'busy' | 'done'
}

const maxTries = 12
const timeoutMs = 10_000
/** Beyond this number of changes, only the last state of a condition is recorded. */
const maxChanges = 200

export function createDirectDelivery(deps: Deps): DirectDelivery {
  const { clock, stopwatch, log, seal, channels, isClosing } = deps
  const sendings = new Map<string, Sending>()
  const attempts = createSemaphore()
  const ending = new AbortController()
  let rules: ConditionRule[] = []
  let zone = utc
  let recorded: ConditionState[] = []
  let changes: StateChange[] = []

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
      const { condition } = sending
      log.warn('condition not delivered', { condition, channel_id: rule.channel.id, error: reasonOf(error) })
    })
  }

  function note(conditions: ConditionState[]): void {
    for (const one of conditions) {
      const last = [...recorded, ...changes].findLast(({ name }) => name === one.name)
      const isChanged = last?.holds?.sinceMs !== one.holds?.sinceMs
      if (isChanged && changes.length < maxChanges) changes.push({ ...one, atMs: clock.now() })
    }
  }

  function sendingOf(one: ConditionRule, condition: ConditionState): Sending | undefined {
    const { name, severity, holds } = condition
    if (holds === null || recorded.some((known) => beginningOf(known) === beginningOf(condition))) return undefined
    const id = `${beginningOf(condition)} ${one.rule.id}`
    const current = sendings.get(id)
    if (current) return current
    const { sinceMs, message, advice } = holds
    const began_at = Math.floor(sinceMs / 1000)
    const alert = { id: 0, name: conditionAlertName(name), severity, began_at, ended_at: null, ...unacknowledged }
    const options = { publicUrl: deps.publicUrl(), zone, nowMs: clock.now() }
    const draft = conditionDraft(recipientOf(one), { alert, message, advice }, options)
    const sending: Sending = {
      condition: name,
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

  return {
    remember(known, knownZone) {
      rules = known
      zone = knownZone
    },
    note,
    send(conditions) {
      if (isClosing()) return
      note(conditions)
      for (const one of rules) {
        for (const condition of conditions) {
          const sending = sendingOf(one, condition)
          const isDue = sending?.state === 'waiting' && sending.tries < maxTries && stopwatch.now() >= sending.nextMs
          if (isDue) begin(sending, one)
        }
      }
    },
    isBusy: () => attempts.size > 0,
    changes: () => changes,
    find(condition, ruleId) {
      const sending = sendings.get(`${beginningOf(condition)} ${ruleId}`)
      return sending && { key: sending.key, isSent: sending.state === 'done' }
    },
    markRecorded(conditions) {
      sendings.clear()
      changes = []
      recorded = conditions
    },
    async drain() {
      if (isClosing()) ending.abort()
      await attempts.drain()
    },
  }
}

function beginningOf({ name, holds }: ConditionState): string {
  return `${name} ${holds?.sinceMs}`
}
