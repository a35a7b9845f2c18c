import type { Clock } from '../../clock.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database, Db } from '../../db/open.ts'
import { insertRow } from '../../db/statements/insert-row.ts'
import type { IncidentRow } from '../../db/tables/tables.ts'
import { AppError } from '../../errors.ts'
import type { Caller } from '../../http/signed-in.ts'
import { unknownEvaluation } from '../alerts/draft.ts'
import { type NotifyDeps, queueAlertNotifications } from '../alerts/notify-alerts.ts'
import { getIncident } from './incident-list-store.ts'
import { isFlapping } from './flapping.ts'
import { closeIncident } from './incident-store.ts'
import { type Acknowledgeable, acknowledgeShared, withAlerts, withdrawShared } from './shared-acknowledgement.ts'

type Deps = { db: Database; clock: Clock }

export const maxNotes = 200

/** Acknowledges an open incident and its alerts; see `acknowledgeShared`. Throws `not_found`, and `conflict` if it is closed. */
export async function acknowledgeIncident(
  { db, clock }: Deps,
  caller: Caller,
  id: number,
  { note }: { note?: string | undefined },
): Promise<Acknowledgeable> {
  return db.write.transaction().execute(async (trx) => {
    const incident = await getOpen(trx, caller, id)
    const nowMs = clock.now() // inside the transaction, where changes are ordered
    const audited = { event: 'incident_acknowledged', details: detailsOf(incident) } as const
    await acknowledgeShared(trx, caller, await withAlerts(trx, incident), { ...audited, note, nowMs })
    return withAlerts(trx, incident)
  })
}

/** Withdraws the acknowledgement of an open incident and its alerts. Throws `not_found`, and `conflict` if it is closed. */
export async function withdrawIncidentAcknowledgement(
  { db, clock }: Deps,
  caller: Caller,
  id: number,
): Promise<Acknowledgeable> {
  return db.write.transaction().execute(async (trx) => {
    const incident = await getOpen(trx, caller, id)
    const audited = { details: detailsOf(incident), nowMs: clock.now() }
    await withdrawShared(trx, caller, await withAlerts(trx, incident), audited)
    return withAlerts(trx, incident)
  })
}

/** Adds a note to an incident, open or closed. Throws `not_found`, and `conflict` if it has 200. */
export async function addNote({ db, clock }: Deps, caller: Caller, id: number, note: string): Promise<void> {
  await db.write.transaction().execute(async (trx) => {
    const incident = await getIncident(trx, caller.organizationId, id)
    const nowMs = clock.now()
    const notes = trx.selectFrom('incident_notes').select(({ fn }) => fn.countAll<number>().as('count'))
    const { count } = await notes.where('incident_id', '=', id).executeTakeFirstOrThrow()
    if (count >= maxNotes)
      throw new AppError('conflict', 'Too many notes', { details: `an incident may have at most ${maxNotes} notes` })
    const author = { user_id: caller.userId, user_name: caller.name }
    await insertRow(trx, 'incident_notes', { incident_id: id, ...author, note, created_at: nowMs })
    await recordAudit(trx, caller, { event: 'incident_noted', details: detailsOf(incident) }, nowMs)
  })
}

/**
 * Closes an open incident. Its firing alerts keep firing, and open no other incident until they have ended. Unless its recovery
 * was notified, the channels that were notified of it are notified of its end. Throws `not_found`, and `conflict` if it is closed.
 */
export async function closeIncidentByHand(
  deps: Deps & NotifyDeps,
  caller: Caller,
  id: number,
): Promise<Acknowledgeable> {
  const { db, clock } = deps
  return db.write.transaction().execute(async (trx) => {
    const incident = await getOpen(trx, caller, id)
    const nowMs = clock.now()
    const atSeconds = Math.max(incident.opened_at, Math.floor(nowMs / 1000))
    const change = { closed_at: atSeconds, close_reason: 'by_hand', state: 'closed' } as const
    await closeIncident(trx, id, { ...change, closed_by_name: caller.name })
    await recordAudit(trx, caller, { event: 'incident_closed', details: detailsOf(incident) }, nowMs)
    const slo = await trx.selectFrom('slos').selectAll().where('id', '=', incident.slo_id).executeTakeFirstOrThrow()
    const closed = { ...incident, ...change }
    const ended = {
      slo,
      evaluation: unknownEvaluation(atSeconds),
      open: [],
      ended: [],
      incident: closed,
      figures: null,
    }
    const hasRecovered = incident.recovered_at === null || isFlapping(incident) // otherwise it was notified then
    await queueAlertNotifications(deps, trx, [{ ...ended, hasRecovered }])
    return { incident: closed, alerts: [], resolvedAlertIds: [] }
  })
}

async function getOpen(trx: Db, { organizationId }: Caller, id: number): Promise<IncidentRow> {
  const incident = await getIncident(trx, organizationId, id)
  if (incident.closed_at === null) return incident
  throw new AppError('conflict', 'Incident is closed', { details: 'the incident must be open' })
}

function detailsOf({ id, slo_id }: IncidentRow): Record<string, unknown> {
  return { incident_id: id, slo_id }
}
