import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { listSilencesInForce } from '../silences/silence-store.ts'
import { isSilenced } from '../silences/silenced.ts'
import { listFiringAlerts } from './alert-list-store.ts'

/** What lists the alerts of an organization's SLOs that fire now, newest first. */
export function createListFiring({ db, clock }: { db: Database; clock: Clock }) {
  return async (organizationId: number) => {
    const silences = await listSilencesInForce(db.read, clock.now())
    return (await listFiringAlerts(db.read, organizationId)).map(({ labels, ...alert }) => ({
      alertId: alert.id,
      sloId: alert.slo_id,
      name: alert.name,
      severity: alert.severity,
      sinceSeconds: alert.began_at,
      isSilenced: isSilenced({ id: alert.slo_id, organization_id: organizationId, labels }, silences),
      isAcknowledged: alert.acknowledged_at !== null,
    }))
  }
}
