import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { inChunks } from '../concurrency/chunks.ts'
import { isDatabaseDamaged } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Hub } from './hub.ts'
import type { SloUpdate, NotificationUpdate } from './messages.ts'

/** Stored state of an SLO. `evaluatedAtMs`: null before its first evaluation. */
export type StoredSlo = SloUpdate & { evaluatedAtMs: number | null }

/**
 * Passes committed changes to the hub. Callers signal that something changed; the feed reads the changes from the database, in
 * order and once. Changes that were committed but not yet read before a crash are never sent.
 */
type Feed = {
  /** Call it when evaluations, and perhaps notifications with them, have been stored. */
  evaluated(evaluations: { sloId: number; evaluatedAtMs: number }[]): void
  /** Call it when an SLO has been edited, deleted or restored. */
  changed(sloId: number): void
  queued(): void
  /** Resolves when no work is under way; once the app is closing, no new work begins. */
  drain(): Promise<void>
}

type Deps = {
  hub: Hub
  log: Log
  isClosing: () => boolean
  /** Lists those of the SLOs that have not been deleted. */
  listSlos: (sloIds: number[]) => Promise<StoredSlo[]>
  lastNotificationId: () => Promise<number>
  /** Lists notifications after an id, in id order, at most `limit`. */
  listNotifications: (afterId: number, limit: number) => Promise<NotificationUpdate[]>
}

const readBatchSize = 250
const sendBatchSize = 25 // notifications are up to 20 kB: a client that reads as fast as it can must not be disconnected

export function createFeed({ hub, log, isClosing, listSlos, lastNotificationId, listNotifications }: Deps): Feed {
  /** SLOs to read, each with the time of the evaluation that caused it in ms; 0: another change. */
  let waiting = new Map<number, number>()
  let lastId: number | null = null // notifications from before the start are not sent
  let isDue = false
  let working: Promise<void> | null = null

  async function publishSlos(): Promise<void> {
    const due = waiting
    waiting = new Map()
    for (const chunk of inChunks([...due.keys()], readBatchSize)) {
      const sloById = new Map((await listSlos(chunk)).map((slo) => [slo.sloId, slo]))
      for (const id of chunk) {
        const slo = sloById.get(id)
        const sinceMs = due.get(id) ?? 0
        // An evaluation that an edit has overtaken is not stored.
        if (slo) hub.publish(slo, { isEvaluation: sinceMs > 0 && (slo.evaluatedAtMs ?? 0) >= sinceMs })
        else hub.drop(id)
      }
      await yieldToEventLoop()
    }
  }

  async function broadcastNotifications(): Promise<void> {
    if (lastId === null || hub.connections() === 0) {
      lastId = await lastNotificationId()
      return
    }
    for (let hasMore = true; hasMore && !isClosing();) {
      const notifications = await listNotifications(lastId, sendBatchSize)
      for (const notification of notifications) {
        hub.broadcast(notification)
        lastId = notification.id
      }
      hasMore = notifications.length === sendBatchSize
      if (hasMore) await yieldToEventLoop()
    }
  }

  async function work(): Promise<void> {
    while (isDue && !isClosing()) {
      isDue = false
      try {
        await publishSlos().finally(broadcastNotifications)
      } catch (error) {
        if (!isDatabaseDamaged(error)) log.error('live updates not sent', { error })
      }
    }
    working = null
  }

  function soon(): void {
    isDue = true
    working ??= work()
  }

  soon()
  return {
    evaluated(evaluations) {
      for (const { sloId, evaluatedAtMs } of evaluations)
        if (hub.mayHaveSubscribers(sloId)) waiting.set(sloId, evaluatedAtMs)
      soon()
    },
    changed(sloId) {
      if (hub.connections() === 0) return // nobody can have subscribed
      if (!waiting.has(sloId)) waiting.set(sloId, 0)
      soon()
    },
    queued: soon,
    drain: async () => {
      await working
    },
  }
}
