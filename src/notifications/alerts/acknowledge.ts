import type { Clock } from '../../clock.ts'
import { type AuditEvent, recordAudit } from '../../db/audit.ts'
import type { Database, Db } from '../../db/open.ts'
import type { AlertRow } from '../../db/tables/tables.ts'
import { AppError } from '../../errors.ts'
import type { Caller } from '../../http/signed-in.ts'
import { channelTypes } from '../channels/index.ts'
import { storedData } from '../delivery/attempt.ts'
import { type Acknowledged, acknowledgedOf } from '../notification-data.ts'
import { type Draft, queueNotifications } from '../outbox-store.ts'
import { listReached, setAcknowledgement } from './acknowledgement-store.ts'
import { getAlert, type ListedAlert } from './alert-list-store.ts'
import { unacknowledged } from './alert-store.ts'

type Deps = { db: Database; clock: Clock }

/**
 * Acknowledges a firing alert. The first acknowledgement stays; a later `note` replaces the stored one. Incident tools that
 * hold an incident of the alert are sent an acknowledgement. Throws `not_found`, and `conflict` if the alert has ended.
 */
export async function acknowledge(
  { db, clock }: Deps,
  caller: Caller,
  id: number,
  { note }: { note?: string | undefined },
): Promise<ListedAlert> {
  return db.write.transaction().execute(async (trx) => {
    const before = await getFiring(trx, caller, id)
    const nowMs = clock.now() // inside the transaction, where changes are ordered
    if (before.acknowledged_at !== null) {
      if (note === undefined || note === before.acknowledgement_note) return before
      await setAcknowledgement(trx, caller.organizationId, id, { acknowledgement_note: note })
      await record(trx, caller, 'acknowledgement_changed', before, nowMs)
      return getAlert(trx, caller.organizationId, id)
    }
    await setAcknowledgement(trx, caller.organizationId, id, {
      acknowledged_at: Math.floor(nowMs / 1000),
      acknowledged_by: caller.userId,
      acknowledged_by_name: caller.name,
      acknowledgement_note: note ?? '',
    })
    const alert = await getAlert(trx, caller.organizationId, id)
    await record(trx, caller, 'alert_acknowledged', alert, nowMs)
    const drafts = await draftAcknowledgements(trx, alert)
    if (drafts.length > 0) await queueNotifications(trx, drafts, nowMs)
    return alert
  })
}

/** Withdraws the acknowledgement of an alert, if there is one. Throws `not_found`, and `conflict` if the alert has ended. */
export async function withdrawAcknowledgement({ db, clock }: Deps, caller: Caller, id: number): Promise<ListedAlert> {
  return db.write.transaction().execute(async (trx) => {
    const before = await getFiring(trx, caller, id)
    if (before.acknowledged_at === null) return before
    await setAcknowledgement(trx, caller.organizationId, id, unacknowledged)
    await record(trx, caller, 'acknowledgement_withdrawn', before, clock.now())
    return getAlert(trx, caller.organizationId, id)
  })
}

async function getFiring(trx: Db, { organizationId }: Caller, id: number): Promise<ListedAlert> {
  const alert = await getAlert(trx, organizationId, id)
  if (alert.ended_at === null) return alert
  throw new AppError('conflict', 'Alert has ended', { details: 'the alert must be firing' })
}

async function record(trx: Db, caller: Caller, event: AuditEvent, alert: AlertRow, nowMs: number): Promise<void> {
  const { id: alert_id, slo_id, name } = alert
  await recordAudit(trx, caller, { event, details: { alert_id, slo_id, name } }, nowMs)
}

/** Drafts one acknowledgement for each channel that holds an incident of the alert and can acknowledge it. */
async function draftAcknowledgements(trx: Db, alert: AlertRow): Promise<Draft[]> {
  const acknowledged = acknowledgedOf(alert)
  if (!acknowledged) return []
  const reached = (await listReached(trx, alert)).filter(
    ({ channel_type }) => channelTypes[channel_type]?.acknowledgesIncidents === true,
  )
  return [...new Map(reached.map((row) => [row.channel_id, row])).values()].map((row): Draft => {
    const data = storedData(row)
    return {
      ...row,
      ...textsOf(acknowledged, row.subject),
      event: 'acknowledgement',
      data: { ...data, alert: data.alert && { ...data.alert, acknowledged } },
      status: 'pending',
    }
  })
}

function textsOf({ by, note }: Acknowledged, subject: string): { subject: string; message: string } {
  const who = `Acknowledged by ${by}`
  return { subject: `${who}: ${subject}`.slice(0, 500), message: note === '' ? `${who}.` : `${who}: ${note}` }
}
