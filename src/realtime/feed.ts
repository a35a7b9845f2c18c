import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { inChunks } from '../concurrency/chunks.ts'
import { isDatabaseDamaged } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Hub } from './hub.ts'
import type { IncidentUpdate, SloUpdate, NotificationUpdate } from './messages.ts'

/** Stored state of an SLO. `evaluatedAtMs`: null before its first evaluation. */
export type StoredSlo = SloUpdate & { evaluatedAtMs: number | null }

/**
 * Passes committed changes to the hub. Callers signal that something changed; the feed reads the changes from the database, in
 * order and once. Changes that were committed but not yet read before a crash are never sent.
 */
type Feed = {
  /** Call it when evaluations, and perhaps notifications with them, have been stored. */
  evaluated(evaluations: { sloId: number; evaluatedAtMs: number }[]): void
  /** Call it when an SLO has been edited, paused, resumed, deleted or restored. */
  changed(sloId: number): void
  /** Call it when an incident has been acknowledged or closed. */
  incidentChanged(id: number): void
  /** Call it when notifications have been queued. */
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
  /** Lists the open incidents of these SLOs, and the incidents with these ids. */
  listIncidents: (named: { sloIds: number[]; ids: number[] }) => Promise<IncidentUpdate[]>
  lastNotificationId: () => Promise<number>
  /** Lists notifications after an id, in id order, at most `limit`. */
  listNotifications: (afterId: number, limit: number) => Promise<NotificationUpdate[]>
}

const readBatchSize = 250
const sendBatchSize = 25 // notifications are up to 20 kB: a client that reads as fast as it can must not be disconnected

export function createFeed(deps: Deps): Feed {
  const { hub, log, isClosing, listSlos, listIncidents, lastNotificationId, listNotifications } = deps
  /** SLOs to read, each with the time in ms of the evaluation that is the reason; 0: the reason is another change. */
  let waiting = new Map<number, number>()
  let changedIncidents = new Set<number>()
  /** Open incidents as they were last read, by SLO id; null: the SLO had none. */
  const openIncidents = new Map<number, { id: number; text: string } | null>()
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
        else drop(id)
      }
      await publishIncidents(chunk, due)
      await yieldToEventLoop()
    }
  }

  function drop(sloId: number): void {
    openIncidents.delete(sloId)
    hub.drop(sloId)
  }

  /** Publishes what has changed about the incidents of these SLOs since they were last read. `due`: as `waiting`. */
  async function publishIncidents(sloIds: number[], due: Map<number, number>): Promise<void> {
    const ids = [...changedIncidents, ...sloIds.flatMap((id) => openIncidents.get(id)?.id ?? [])]
    changedIncidents = new Set()
    const updates = (await listIncidents({ sloIds, ids })).toSorted((a, b) => a.id - b.id)
    for (const update of updates) {
      const { id, slo_id, closed_at } = update
      const known = openIncidents.get(slo_id)
      const text = JSON.stringify(update)
      const isKnown = known?.id === id
      if (isKnown && known.text === text) continue
      if (closed_at === null) openIncidents.set(slo_id, { id, text })
      else if (isKnown) openIncidents.set(slo_id, null)
      const dueMs = due.get(slo_id) ?? 0
      // of an SLO that was not read before, an incident is new if it was opened by this evaluation, to the second
      const isNew = known === undefined ? dueMs > 0 && update.opened_at * 1000 > dueMs - 1000 : !isKnown
      hub.broadcastIncident(update, closed_at !== null ? 'closed' : isNew ? 'opened' : 'changed')
    }
    for (const id of sloIds) if (!openIncidents.has(id)) openIncidents.set(id, null)
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
        if (hub.connections() === 0) openIncidents.clear()
        await publishSlos().finally(broadcastNotifications)
        if (changedIncidents.size > 0) await publishIncidents([], new Map())
      } catch (error) {
        if (!isDatabaseDamaged(error)) log.error('live updates not sent', { error })
      }
    }
    working = null
  }

  function startWork(): void {
    isDue = true
    working ??= work()
  }

  startWork()
  return {
    evaluated(evaluations) {
      for (const { sloId, evaluatedAtMs } of evaluations)
        if (hub.mayHaveSubscribers(sloId)) waiting.set(sloId, evaluatedAtMs)
      startWork()
    },
    changed(sloId) {
      if (hub.connections() === 0) return // nobody can have subscribed
      if (!waiting.has(sloId)) waiting.set(sloId, 0)
      startWork()
    },
    incidentChanged(id) {
      if (hub.connections() === 0) return
      changedIncidents.add(id)
      startWork()
    },
    queued: startWork,
    drain: async () => {
      await working
    },
  }
}
