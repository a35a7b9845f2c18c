import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/open.ts'
import { readState } from '../evaluation/read-state.ts'
import { listStatesOf } from '../evaluation/state-store.ts'
import type { Log } from '../log.ts'
import { lastNotificationId, listNotificationsAfter } from '../notifications/outbox-store.ts'
import { causeOfIncident } from '../notifications/incidents/incident-cause.ts'
import { listLiveIncidents } from '../notifications/incidents/incident-list-store.ts'
import { acknowledgedOf } from '../notifications/notification-data.ts'
import { createFeed } from '../realtime/feed.ts'
import { createHub } from '../realtime/hub.ts'
import { presentState } from '../evaluation/reads/state-model.ts'
import { round10, windowBudget } from '../slos/arithmetic/budget.ts'

type Deps = { db: Database; clock: Clock; config: Config; log: Log; isClosing: () => boolean }

/** Creates the hub and the feed of live updates over the WebSocket. */
export function createLive(deps: Deps) {
  const { db, clock, log, isClosing } = deps
  const listSlos = (ids: number[]) => listLiveSlos(deps, ids)
  const hub = createHub({
    clock,
    log,
    findSlo: async (organizationId, id) => (await listSlos([id])).find((slo) => slo.organizationId === organizationId),
  })
  const feed = createFeed({
    hub,
    log,
    isClosing,
    listSlos,
    listIncidents: async (named) =>
      (await listLiveIncidents(db.read, named)).map((row) => {
        return { ...row, cause: causeOfIncident(row), acknowledged: acknowledgedOf(row) }
      }),
    lastNotificationId: () => lastNotificationId(db.read),
    listNotifications: (afterId, max) => listNotificationsAfter(db.read, afterId, max),
  })
  return { hub, feed }
}

/** Lists the state of SLOs that is sent to WebSocket clients; deleted SLOs are left out. */
async function listLiveSlos({ db, clock, config: { evaluationIntervalSeconds } }: Deps, ids: number[]) {
  const states = await listStatesOf(db.read, ids)
  return states.map(({ slo, state: stored }) => {
    const state = readState(stored, clock.now(), evaluationIntervalSeconds)
    const { status, current, budgetUsed, evaluatedAtMs } = state
    return {
      sloId: slo.id,
      organizationId: slo.organization_id,
      status,
      stateFields: presentState(state),
      current: round10(current),
      target: slo.target,
      budgetUsed,
      windowBudget: windowBudget(budgetUsed, slo.target, state),
      evaluatedAtMs,
      atMs: Math.max(evaluatedAtMs ?? 0, slo.updated_at),
    }
  })
}
