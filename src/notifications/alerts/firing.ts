import type { Clock } from '../../clock.ts'
import { inChunks } from '../../concurrency/chunks.ts'
import { type AsyncCooperativeTask, runCooperatively, awaitStep } from '../../concurrency/cooperative.ts'
import type { Database } from '../../db/open.ts'
import { listSlosToMatch, listSilencesInForce } from '../silences/silence-store.ts'
import { createSilenceIndex } from '../silences/silence-index.ts'
import { type FiringAlert, listFiringAlerts } from './alert-list-store.ts'

type Deps = { db: Database; clock: Clock }

const alertsPerBatch = 1000
const slosPerBatch = 50 // with labels of at most 20 kB each

/** Creates a function that lists an organization's firing alerts, newest first; it yields to the event loop. */
export function createListFiring({ db, clock }: Deps) {
  return async (organizationId: number) => {
    const alerts = await runCooperatively(organizationId, readFiring(db, organizationId))
    const silenced = await runCooperatively(organizationId, findSilenced({ db, clock }, organizationId, alerts))
    return alerts.map((alert) => ({
      alertId: alert.id,
      sloId: alert.slo_id,
      name: alert.name,
      severity: alert.severity,
      sinceSeconds: alert.began_at,
      isSilenced: silenced.has(alert.slo_id),
      isAcknowledged: alert.acknowledged_at !== null,
    }))
  }
}

function* readFiring(db: Database, organizationId: number): AsyncCooperativeTask<FiringAlert[]> {
  const alerts: FiringAlert[] = []
  for (let beforeId = Number.MAX_SAFE_INTEGER; ;) {
    const page = yield* awaitStep(listFiringAlerts(db.read, organizationId, { beforeId, limit: alertsPerBatch }))
    alerts.push(...page)
    if (page.length < alertsPerBatch) return alerts
    beforeId = page.at(-1)?.id ?? 0
  }
}

/** Ids of the SLOs of these alerts that a silence in force covers. */
function* findSilenced(
  { db, clock }: Deps,
  organizationId: number,
  alerts: FiringAlert[],
): AsyncCooperativeTask<Set<number>> {
  const silenced = new Set<number>()
  if (alerts.length === 0) return silenced
  const silences = yield* awaitStep(listSilencesInForce(db.read, clock.now(), organizationId))
  if (silences.length === 0) return silenced
  const index = createSilenceIndex(silences)
  const ids = [...new Set(alerts.map(({ slo_id }) => slo_id))]
  for (const chunk of inChunks(ids, slosPerBatch)) {
    for (const slo of yield* awaitStep(listSlosToMatch(db.read, chunk))) {
      if (index.covering(slo).length > 0) silenced.add(slo.id)
      yield
    }
  }
  return silenced
}
