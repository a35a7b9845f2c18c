import { type Clock, createJumpWatch } from '../../clock.ts'
import { createWhileOpen } from '../../concurrency/semaphore.ts'
import type { Config } from '../../config.ts'
import { isDatabaseDamaged } from '../../errors.ts'
import type { DeliverDeps } from './deliver.ts'
import { areChannelsOfSeveral, listDueChannels, postponeAll, releaseAll } from './delivery-store.ts'
import { createOutcomeWriter } from './outcome-writer.ts'
import { createPlaces, type Due } from './places.ts'
import { takeTurn } from './turn.ts'

/**
 * Takes what is in the outbox to its channels: to each in the order in which it was queued, and nothing overtakes what has
 * to wait for its retry; many channels at once, in turns, and never all places for one of several organizations. At least
 * once: a notification that was under way when nines was killed is sent again, with the same idempotency key.
 */
export type Delivery = {
  /** Begins what is due, and resolves when all of that has been delivered or has to wait; to be called every second. */
  run(): Promise<void>
  /** Begins what was just queued. */
  soon(): void
  /** Once `isClosing`: resolves when what is under way has ended, or was ended, and is written. */
  drain(): Promise<void>
}

type Deps = Omit<DeliverDeps, 'config' | 'random' | 'patienceMs' | 'slowMs' | 'lateMs'> & {
  config: DeliverDeps['config'] & Pick<Config, 'notifyConcurrency' | 'notifySlowConcurrency'>
  /** A clock that is set moves what waits with it. */
  stopwatch: Clock
  isClosing: () => boolean
  random?: () => number
  limits?: Partial<typeof usualLimits>
}

/**
 * How long an attempt may take, from when on it is slow, from when on it only waits, and how long those under way may take
 * while nines is closing.
 */
const usualLimits = { patienceMs: 10_000, slowMs: 2000, lateMs: 500, closingMs: 3000 }

const maxAtOnce = 20

/** The turns of a channel until nothing of it is due any more. */
type Turns = Due & {
  /** More has come due while one was under way. */
  hasMore: boolean
  done: PromiseWithResolvers<void>
}

export function createDelivery({ random = Math.random, limits: given, ...deps }: Deps): Delivery {
  const limits = { ...usualLimits, ...given }
  const { db, clock, log, isClosing } = deps
  const jumpedMs = createJumpWatch(deps)
  const { notifyConcurrency: most, notifySlowConcurrency: maxSlow } = deps.config
  const places = createPlaces({ most, maxSlow })
  const writer = createOutcomeWriter(db.groupCommit)
  const turnDeps = { ...deps, ...limits, random, writer }
  const whileOpen = createWhileOpen(isClosing)
  const ending = new AbortController()
  const underWay = new Map<number, Turns>()
  /** By channel, in the order in which they have their turns. */
  const waiting = new Map<number, Turns>()
  let isReleased = false
  let isSoon = false

  async function look(): Promise<Promise<void>[]> {
    await writer.retry() // nothing begins whose outcome could not be written either
    if (!isReleased) await unlessDamaged(() => releaseAll(db.write)) // whoever took them is gone: the data folder is ours alone
    isReleased = true
    const jumpMs = jumpedMs()
    if (jumpMs !== 0) await db.write.transaction().execute((trx) => postponeAll(trx, jumpMs))
    places.setShared((await unlessDamaged(() => areChannelsOfSeveral(db.read))) ?? true)
    const due = await listDueChannels(db.read, clock.now())
    return due.map(({ channelId, organizationId, isFailing }) => {
      const current = underWay.get(channelId)
      if (current) {
        current.hasMore = true
        return current.done.promise
      }
      if (isFailing) places.setTroubled(channelId, true)
      const done = Promise.withResolvers<void>()
      const turns = waiting.get(channelId) ?? { channelId, organizationId, hasMore: false, done }
      waiting.set(channelId, turns)
      return turns.done.promise
    })
  }

  function begin() {
    for (let turns = places.next(waiting.values()); turns; turns = places.next(waiting.values())) {
      waiting.delete(turns.channelId)
      underWay.set(turns.channelId, turns)
      void turnOf(turns)
    }
  }

  async function turnOf(turns: Turns): Promise<void> {
    const { channelId } = turns
    turns.hasMore = false
    const turn = {
      channelId,
      most: places.isTroubled(channelId) ? 1 : maxAtOnce,
      signal: ending.signal,
      onTrouble: (isTroubled: boolean) => places.setTroubled(channelId, isTroubled),
      onLate(isLate: boolean) {
        places.setLate(channelId, isLate)
        if (isLate) begin()
      },
    }
    const hadSome = await whileOpen
      .run(() => takeTurn(turnDeps, turn))
      .catch((error: unknown) => {
        if (!isDatabaseDamaged(error)) log.error('delivery failed', { channel_id: channelId, error }) // its condition says so
        return false
      })
    underWay.delete(channelId)
    places.leave(channelId)
    if (hadSome || (turns.hasMore && !isClosing())) waiting.set(channelId, turns)
    else turns.done.resolve()
    begin()
  }

  async function run(): Promise<void> {
    const due = await whileOpen.run(look)
    begin()
    await Promise.all(due ?? [])
  }

  return {
    run,
    soon() {
      if (isSoon) return
      isSoon = true
      setImmediate(() => {
        isSoon = false
        run().catch((error: unknown) => {
          if (!isDatabaseDamaged(error)) log.error('delivery failed', { error })
        })
      })
    },
    async drain() {
      const timer = setTimeout(() => ending.abort(), limits.closingMs)
      void writer.giveUp()
      await whileOpen.drain()
      clearTimeout(timer)
    },
  }
}

/** What can be done without where it meets damage. */
async function unlessDamaged<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!isDatabaseDamaged(error)) throw error
    return undefined
  }
}
