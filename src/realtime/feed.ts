import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDatabaseDamaged } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Hub } from './hub.ts'
import type { SloUpdate, Told } from './messages.ts'

/** An SLO as it is stored. `evaluatedAtMs`: null before its first evaluation. */
export type Stored = SloUpdate & { evaluatedAtMs: number | null }

/**
 * Takes what has been committed to the hub: it is told that something was, and reads what from the database, in order and
 * once. What was committed before a crash and not yet read is never told.
 */
export type Feed = {
  /** These have been stored, and notifications may have been queued with them. */
  evaluated(evaluations: { sloId: number; evaluatedAtMs: number }[]): void
  /** An SLO has been edited, deleted or restored. */
  changed(sloId: number): void
  queued(): void
  /** Resolves when nothing is under way; once the app is closing, nothing begins any more. */
  drain(): Promise<void>
}

type Deps = {
  hub: Hub
  log: Log
  isClosing: () => boolean
  /** Those of the SLOs that have not been deleted. */
  listSlos: (sloIds: number[]) => Promise<Stored[]>
  lastNotificationId: () => Promise<number>
  /** Those above the id, in its order, at most `most`. */
  listNotifications: (afterId: number, most: number) => Promise<Told[]>
}

const readAtOnce = 250
const toldAtOnce = 25 // notifications are up to 20 kB: whoever reads as fast as it can shall not be cut off

export function createFeed({ hub, log, isClosing, listSlos, lastNotificationId, listNotifications }: Deps): Feed {
  /** What is to be read, and since which evaluation; 0: none. */
  let waiting = new Map<number, number>()
  let lastTold: number | null = null // those of before the start are old news
  let isWanted = false
  let working: Promise<void> | null = null

  async function tellOfSlos(): Promise<void> {
    const wanted = waiting
    waiting = new Map()
    const ids = [...wanted.keys()]
    for (let at = 0; at < ids.length; at += readAtOnce) {
      const some = ids.slice(at, at + readAtOnce)
      const found = new Map((await listSlos(some)).map((slo) => [slo.sloId, slo]))
      for (const id of some) {
        const slo = found.get(id)
        const sinceMs = wanted.get(id) ?? 0
        // An evaluation that an edit has overtaken has not been stored.
        if (slo) hub.publish(slo, { isEvaluation: sinceMs > 0 && (slo.evaluatedAtMs ?? 0) >= sinceMs })
        else hub.drop(id)
      }
      await nextTurn()
    }
  }

  async function tellOfNotifications(): Promise<void> {
    if (lastTold === null || hub.connections() === 0) {
      lastTold = await lastNotificationId()
      return
    }
    for (let full = true; full && !isClosing();) {
      const found = await listNotifications(lastTold, toldAtOnce)
      for (const told of found) {
        hub.broadcast(told)
        lastTold = told.id
      }
      full = found.length === toldAtOnce
      if (full) await nextTurn()
    }
  }

  async function work(): Promise<void> {
    while (isWanted && !isClosing()) {
      isWanted = false
      try {
        await tellOfSlos().finally(tellOfNotifications)
      } catch (error) {
        if (!isDatabaseDamaged(error)) log.error('live clients not told', { error })
      }
    }
    working = null
  }

  function soon(): void {
    isWanted = true
    working ??= work()
  }

  soon()
  return {
    evaluated(evaluations) {
      for (const { sloId, evaluatedAtMs } of evaluations) if (hub.isHeard(sloId)) waiting.set(sloId, evaluatedAtMs)
      soon()
    },
    changed(sloId) {
      if (!waiting.has(sloId)) waiting.set(sloId, 0)
      soon()
    },
    queued: soon,
    drain: async () => {
      await working
    },
  }
}
