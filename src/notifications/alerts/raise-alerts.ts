import type { Db } from '../../db/open.ts'
import type { AlertRaiser } from '../../evaluation/evaluation-store.ts'
import { queueNotifications } from '../outbox-store.ts'
import { moveAlerts, type Standing } from './alert-states.ts'
import { listRulesInForce, listStored, listSentFor } from './alert-store.ts'
import type { RaiseDeps } from './draft.ts'
import { notifyOfAlerts } from './notify-alerts.ts'
import { notifyOfEnds } from './notify-ends.ts'

/**
 * Brings the alerts of evaluated SLOs up to date and puts what is to be told of them into the outbox, in the transaction of
 * the evaluations, after they have been stored: none of the three is there without the others.
 */
export function createAlertRaiser(deps: RaiseDeps): AlertRaiser {
  return {
    async raiseAlerts(trx, evaluations) {
      const standings = await moveAlerts(trx, await listStored(trx, evaluations))
      await tell(
        deps,
        trx,
        standings.filter(({ open, ended }) => open.length > 0 || ended.length > 0),
      )
    },
  }
}

/** Of a deleted SLO nothing is known any more, but whoever was told of its alerts is told that they are over. */
export async function tell(deps: RaiseDeps, trx: Db, standings: Standing[]): Promise<void> {
  if (standings.length === 0) return
  const rules = await listRulesInForce(
    trx,
    standings.map(({ slo }) => slo.id),
  )
  const tellings = await listSentFor(
    trx,
    standings.flatMap(({ open, ended }) => [...open, ...ended].map(({ id }) => id)),
  )
  const known = { standings, rules, tellings }
  const drafts = [...notifyOfEnds(deps, known), ...(await notifyOfAlerts(deps, trx, known))]
  if (drafts.length > 0) await queueNotifications(trx, drafts, deps.clock.now())
}
