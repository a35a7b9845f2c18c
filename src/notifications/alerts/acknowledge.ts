import type { Clock } from '../../clock.ts'
import type { Database, Db } from '../../db/open.ts'
import type { AlertRow } from '../../db/tables/tables.ts'
import { AppError } from '../../errors.ts'
import type { Caller } from '../../http/signed-in.ts'
import { findIncident } from '../incidents/incident-store.ts'
import {
  type Acknowledgeable,
  acknowledgeShared,
  withAlerts,
  withdrawShared,
} from '../incidents/shared-acknowledgement.ts'
import { getAlert, type ListedAlert } from './alert-list-store.ts'

type Deps = { db: Database; clock: Clock }

/** Acknowledges a firing alert; see `changeAcknowledgement` and `acknowledgeShared`. */
export function acknowledge(deps: Deps, caller: Caller, id: number, { note }: { note?: string | undefined }) {
  return changeAcknowledgement(deps, caller, id, (trx, shared, details) => {
    const nowMs = deps.clock.now() // inside the transaction, where changes are ordered
    return acknowledgeShared(trx, caller, shared, { event: 'alert_acknowledged', details, note, nowMs })
  })
}

/** Withdraws the acknowledgement of a firing alert, if there is one; see `changeAcknowledgement`. */
export function withdrawAcknowledgement(deps: Deps, caller: Caller, id: number) {
  return changeAcknowledgement(deps, caller, id, (trx, shared, details) =>
    withdrawShared(trx, caller, shared, { details, nowMs: deps.clock.now() }),
  )
}

type Change = (trx: Db, shared: Acknowledgeable, details: Record<string, unknown>) => Promise<void>

/**
 * Changes the acknowledgement of an alert, and if its incident is open, that of the incident and all its alerts. Returns all of these
 * as `shared`, after the change. Throws `not_found`, and `conflict` if the alert has ended.
 */
async function changeAcknowledgement(
  { db }: Deps,
  caller: Caller,
  id: number,
  change: Change,
): Promise<{ alert: ListedAlert; shared: Acknowledgeable }> {
  return db.write.transaction().execute(async (trx) => {
    const firing = await getFiring(trx, caller, id)
    const { slo_id, name, incident_id } = firing
    const incident = incident_id === null ? null : await findIncident(trx, incident_id)
    const isOpen = incident !== null && incident.closed_at === null
    const sharedWith = (alert: AlertRow) =>
      isOpen ? withAlerts(trx, incident) : { incident: null, alerts: [alert], resolvedAlertIds: [] }
    await change(trx, await sharedWith(firing), { alert_id: id, slo_id, name, ...(isOpen && { incident_id }) })
    const alert = await getAlert(trx, caller.organizationId, id)
    return { alert, shared: await sharedWith(alert) }
  })
}

async function getFiring(trx: Db, { organizationId }: Caller, id: number): Promise<ListedAlert> {
  const alert = await getAlert(trx, organizationId, id)
  if (alert.ended_at === null) return alert
  throw new AppError('conflict', 'Alert has ended', { details: 'the alert must be firing' })
}
