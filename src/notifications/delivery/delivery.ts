import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { type Clock, createJumpWatch, stopwatch } from '../../clock.ts'
import { createWhileOpen } from '../../concurrency/semaphore.ts'
import type { Config } from '../../config.ts'
import { isDatabaseDamaged } from '../../errors.ts'
import { type DeliverDeps, deliverTurn } from './deliver.ts'
import { haveSeveralOrganizationsChannels, listDueChannels, postponeAll, releaseAll } from './delivery-store.ts'
import { createOutcomeWriter } from './outcome-store.ts'

/**
 * Delivers the notifications of the outbox. Each channel has one queue in the order of queueing, so that nothing overtakes a
 * notification that waits for its retry. Channels are served concurrently and fairly between organizations: none takes all
 * places. Delivery is at least once: what was under way when nines was killed is sent again, with the same idempotency key.
 */
export type Delivery = {
  /**
   * Starts due deliveries. Resolves when these, and those that earlier calls of `soon` started, are delivered or have to wait.
   * Call it every second.
   */
  run(): Promise<void>
  /** Starts delivering just queued notifications. */
  soon(): void
  /** Call it once `isClosing`: resolves when attempts under way have ended or were aborted, and are recorded. */
  drain(): Promise<void>
}

type Deps = Omit<DeliverDeps, 'config' | 'random' | 'writer' | 'limits'> & {
  config: DeliverDeps['config'] & Pick<Config, 'notifyConcurrency' | 'notifySlowConcurrency'>
  /** Clock that detects jumps of `clock`; waiting notifications are moved by a jump. */
  stopwatch: Clock
  random?: () => number
  limits?: Partial<typeof usualLimits>
}

/**
 * Limits in ms: `timeoutMs` of an attempt, `slowMs` from which it is slow, `closingMs` for attempts under way while nines is closing. A
 * turn delivers some notifications of one channel: up to `quickMs` it is quick, after `turnMs` it starts no further attempt.
 */
const usualLimits = { timeoutMs: 10_000, slowMs: 2000, quickMs: 100, turnMs: 10_000, closingMs: 3000 }

/** Notifications per turn of a channel: at first the minimum, doubled after each quick turn, because each turn waits twice for the disk. */
const minOfTurn = 20
const maxOfTurn = 100

/** Channel with due notifications, until they are delivered or have to wait. */
type Queue = {
  channelId: number
  organizationId: number
  /** Maximum of notifications in its next turn. */
  max: number
  /** True if more came due during its turn. */
  hasMore: boolean
  done: PromiseWithResolvers<void>
}

export function createDelivery({ random = Math.random, limits: limitOverrides, ...deps }: Deps): Delivery {
  const limits = { ...usualLimits, ...limitOverrides }
  const { db, clock, log, isClosing, config } = deps
  const jumpedMs = createJumpWatch(deps)
  const maxConcurrent = config.notifyConcurrency + config.notifySlowConcurrency
  /** Maximum of troubled channels under way: half of `notifyConcurrency` is left to other channels. */
  const maxTroubled = Math.max(1, maxConcurrent - Math.ceil(config.notifyConcurrency / 2))
  const writer = createOutcomeWriter(db.groupCommit)
  const turnDeps = { ...deps, limits, random, writer }
  const whileOpen = createWhileOpen(isClosing)
  const ending = new AbortController()
  const underWay = new Map<number, Queue>()
  /** Queues that wait for their turn, by channel; the one that has waited longest first. */
  const waiting = new Map<number, Queue>()
  /** Channels whose last attempt failed or was slow, or whose attempt under way is slow. */
  const troubled = new Set<number>()
  /** Number of the last turn of each organization. */
  const lastTurn = new Map<number, number>()
  let turnCount = 0
  /** True if several organizations have channels. */
  let isShared = false
  /** Channels whose turn has not yet sent everything that it claimed. */
  const sending = new Set<number>()
  let isReleased = false
  let isScheduled = false
  let scheduled: Promise<unknown> = Promise.resolve()

  async function queueDueChannels(): Promise<Promise<void>[]> {
    await writer.retry() // no attempt begins while outcomes cannot be written
    if (!isReleased) await unlessDamaged(() => releaseAll(db.write)) // all are claims of an ended process: no other uses this data folder
    isReleased = true
    const jumpMs = jumpedMs()
    if (jumpMs !== 0) await db.write.transaction().execute((trx) => postponeAll(trx, jumpMs))
    isShared = (await unlessDamaged(() => haveSeveralOrganizationsChannels(db.read))) ?? true
    const due = await listDueChannels(db.read, clock.now())
    return due.map(({ channelId, organizationId, isFailing }) => {
      const current = underWay.get(channelId)
      if (current) {
        current.hasMore = true
        return current.done.promise
      }
      if (isFailing) troubled.add(channelId)
      const queue = waiting.get(channelId) ?? {
        channelId,
        organizationId,
        max: minOfTurn,
        hasMore: false,
        done: Promise.withResolvers<void>(),
      }
      waiting.set(channelId, queue)
      return queue.done.promise
    })
  }

  /** Next queue to begin, from the organization with the fewest under way; among these, the one with the oldest last turn. */
  function next(): Queue | undefined {
    if (underWay.size >= maxConcurrent) return undefined
    const byOrganization = Map.groupBy(underWay.values(), ({ organizationId }) => organizationId)
    const underWayOf = ({ organizationId }: Queue) => byOrganization.get(organizationId)?.length ?? 0
    const hasRoomForTroubled = [...underWay.keys()].filter((id) => troubled.has(id)).length < maxTroubled
    const mayBegin = (queue: Queue) => {
      const underWayCount = underWayOf(queue)
      // no organization takes all places: one is left to the others
      if (isShared && underWayCount > 0 && underWayCount >= maxConcurrent - 1) return false
      return !troubled.has(queue.channelId) || hasRoomForTroubled || (isShared && underWayCount === 0)
    }
    const isBefore = (one: Queue, other: Queue) =>
      (underWayOf(one) - underWayOf(other) || lastTurnOf(one) - lastTurnOf(other)) < 0
    let first: Queue | undefined
    for (const queue of waiting.values()) if ((!first || isBefore(queue, first)) && mayBegin(queue)) first = queue
    return first
  }

  const lastTurnOf = ({ organizationId }: Queue) => lastTurn.get(organizationId) ?? 0

  function begin() {
    for (let queue = next(); queue; queue = next()) {
      waiting.delete(queue.channelId)
      underWay.set(queue.channelId, queue)
      lastTurn.set(queue.organizationId, ++turnCount)
      void runTurn(queue)
    }
  }

  async function runTurn(queue: Queue): Promise<void> {
    const { channelId } = queue
    queue.hasMore = false
    const onTrouble = (isTroubled: boolean) => void (isTroubled ? troubled.add(channelId) : troubled.delete(channelId))
    // true if other turns are still sending
    const onSent = () => sending.delete(channelId) && sending.size > 0
    const max = troubled.has(channelId) ? 1 : queue.max
    const turn = { channelId, max, signal: ending.signal, onTrouble, onSent }
    sending.add(channelId)
    const beganMs = stopwatch.now()
    const hasSent = await whileOpen
      .run(() => deliverTurn(turnDeps, turn))
      .catch((error: unknown) => {
        if (!isDatabaseDamaged(error)) log.error('delivery failed', { channel_id: channelId, error }) // damage is reported elsewhere, as a condition of nines itself
        return false
      })
    queue.max = stopwatch.now() - beganMs < limits.quickMs ? Math.min(maxOfTurn, queue.max * 2) : minOfTurn
    sending.delete(channelId)
    underWay.delete(channelId)
    if (hasSent || (queue.hasMore && !isClosing())) waiting.set(channelId, queue)
    else queue.done.resolve()
    begin()
  }

  async function deliverDue(): Promise<void> {
    const due = await whileOpen.run(queueDueChannels)
    begin()
    await Promise.all(due ?? [])
  }

  return {
    async run() {
      await Promise.all([deliverDue(), scheduled]) // what `soon` has claimed is not due any more
    },
    soon() {
      if (isScheduled) return
      isScheduled = true
      const delivering = yieldToEventLoop().then(() => {
        isScheduled = false
        return deliverDue()
      })
      const logged = delivering.catch((error: unknown) => {
        if (!isDatabaseDamaged(error)) log.error('delivery failed', { error })
      })
      scheduled = Promise.all([scheduled, logged])
    },
    async drain() {
      const timer = setTimeout(() => ending.abort(), limits.closingMs)
      void writer.giveUp()
      await whileOpen.drain()
      clearTimeout(timer)
    },
  }
}

/** Does optional work; undefined if it meets database damage. */
async function unlessDamaged<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!isDatabaseDamaged(error)) throw error
    return undefined
  }
}
