import { type AuditEvent, recordAudit } from '../../db/audit.ts'
import type { Db } from '../../db/open.ts'
import type { AlertRow, IncidentRow, NotificationRow } from '../../db/tables/tables.ts'
import type { Caller } from '../../http/signed-in.ts'
import {
  type AcknowledgementColumns,
  listReached,
  putAcknowledgements,
  setAcknowledgement,
} from '../alerts/acknowledgement-store.ts'
import { isUrgent } from '../alerts/alert-name.ts'
import { listAlertsOfIncidents, unacknowledged } from '../alerts/alert-store.ts'
import { channelTypes } from '../channels/index.ts'
import { storedData } from '../delivery/attempt.ts'
import { type Acknowledged, acknowledgedOf } from '../notification-data.ts'
import { type Draft, queueNotifications } from '../outbox-store.ts'
import { insertIncidentEvents, noteAcknowledgement, updateIncident } from './incident-store.ts'

/**
 * An open incident and its firing alerts, which share their acknowledgement, or a firing alert without an open incident.
 * `resolvedAlertIds`: alerts that have ended, but stay open at incident tools (such as PagerDuty) until the incident recovers.
 */
export type Acknowledgeable = { incident: IncidentRow | null; alerts: AlertRow[]; resolvedAlertIds: number[] }

/** An open incident with its firing alerts. */
export async function withAlerts(trx: Db, incident: IncidentRow): Promise<Acknowledgeable> {
  const alerts = await listAlertsOfIncidents(trx, [incident.id])
  const ended = alerts.filter(({ ended_at }) => ended_at !== null)
  return {
    incident,
    alerts: alerts.filter(({ ended_at }) => ended_at === null),
    resolvedAlertIds: incident.recovered_at === null ? ended.map(({ id }) => id) : [],
  }
}

/** Audit event of a first acknowledgement, and the details of each event. */
type Audited = { event: AuditEvent; details: Record<string, unknown> }

/**
 * Acknowledges an incident with its alerts. The first acknowledgement stays; a later `note` replaces the stored one. Incident tools
 * that have one of the alerts open are sent an acknowledgement.
 */
export async function acknowledgeShared(
  trx: Db,
  caller: Caller,
  { incident, alerts, resolvedAlertIds }: Acknowledgeable,
  { note, nowMs, ...audited }: Audited & { note: string | undefined; nowMs: number },
): Promise<void> {
  const current = incident ?? alerts[0]
  if (!current) return
  if (current.acknowledged_at !== null) {
    if (note === undefined || note === current.acknowledgement_note) return
    const noted = alerts.filter(({ acknowledged_at }) => acknowledged_at !== null)
    await setAcknowledgement(trx, idsOf(noted), { acknowledgement_note: note })
    if (incident) {
      await updateIncident(trx, incident.id, { acknowledgement_note: note })
      await noteAcknowledgement(trx, incident.id, note)
    }
    return recordAudit(trx, caller, { event: 'acknowledgement_changed', details: audited.details }, nowMs)
  }
  const columns = {
    acknowledged_at: Math.floor(nowMs / 1000),
    acknowledged_by: caller.userId,
    acknowledged_by_name: caller.name,
    acknowledgement_note: note ?? '',
  }
  const changed = idsOf(alerts.filter(({ acknowledged_at }) => acknowledged_at === null))
  await setAcknowledgement(trx, changed, columns)
  if (incident) {
    await updateIncident(trx, incident.id, columns)
    const { acknowledged_at: at, acknowledged_by_name: user_name, acknowledgement_note } = columns
    const happened = { event: 'acknowledged', at, user_name, note: acknowledgement_note } as const
    await insertIncidentEvents(trx, [{ incident_id: incident.id, ...happened }])
  }
  await recordAudit(trx, caller, audited, nowMs)
  const drafts = await draftAcknowledgements(trx, columns, [...changed, ...resolvedAlertIds])
  if (drafts.length > 0) await queueNotifications(trx, drafts, nowMs)
}

/** Withdraws the acknowledgement of an incident and its alerts, if there is one. */
export async function withdrawShared(
  trx: Db,
  caller: Caller,
  { incident, alerts }: Acknowledgeable,
  { details, nowMs }: Pick<Audited, 'details'> & { nowMs: number },
): Promise<void> {
  const acknowledged = alerts.filter(({ acknowledged_at }) => acknowledged_at !== null)
  if (acknowledged.length === 0 && (incident?.acknowledged_at ?? null) === null) return
  await setAcknowledgement(trx, idsOf(acknowledged), unacknowledged)
  if (incident) {
    await updateIncident(trx, incident.id, unacknowledged)
    const happened = { event: 'withdrawn', at: Math.floor(nowMs / 1000), user_name: caller.name, note: null } as const
    await insertIncidentEvents(trx, [{ incident_id: incident.id, ...happened }])
  }
  await recordAudit(trx, caller, { event: 'acknowledgement_withdrawn', details }, nowMs)
}

/** An incident before and after an evaluation, and the open alerts of its SLO. */
type Evaluated = { before: IncidentRow | null; after: IncidentRow | null; alerts: AlertRow[] }

/**
 * Gives the alerts of each acknowledged incident its acknowledgement, and takes it from those of an incident that has just lost it.
 * Returns the changed columns by alert id.
 */
export async function alignAcknowledgements(
  trx: Db,
  evaluated: Evaluated[],
): Promise<Map<number, AcknowledgementColumns>> {
  const changed = new Map<number, AcknowledgementColumns>()
  for (const { before, after, alerts } of evaluated) {
    if (!after || after.closed_at !== null) continue
    const isAcknowledged = after.acknowledged_at !== null
    const isWithdrawn = !isAcknowledged && (before?.acknowledged_at ?? null) !== null
    const { acknowledged_at, acknowledged_by, acknowledged_by_name, acknowledgement_note } = after
    const columns = { acknowledged_at, acknowledged_by, acknowledged_by_name, acknowledgement_note }
    for (const alert of alerts) {
      if (alert.incident_id !== after.id) continue
      if (alert.acknowledged_at === null ? isAcknowledged : isWithdrawn) changed.set(alert.id, columns)
    }
  }
  if (changed.size === 0) return changed
  await putAcknowledgements(trx, changed)
  return changed
}

/** Drafts an acknowledgement of each incident that is open at a channel whose type can acknowledge incidents. */
async function draftAcknowledgements(trx: Db, columns: AcknowledgementColumns, alertIds: number[]): Promise<Draft[]> {
  const acknowledged = acknowledgedOf(columns)
  if (!acknowledged) return []
  const reached = (await listReached(trx, alertIds)).filter(
    ({ channel_type }) => channelTypes[channel_type]?.acknowledgesIncidents === true,
  )
  const latestByKey = new Map(reached.map((row) => [openAtChannelKey(row), row]))
  return [...latestByKey.values()].map((row): Draft => {
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

/** Key of what is open at a channel: a severity of an incident, or an alert that belongs to none. */
function openAtChannelKey(row: NotificationRow): string {
  const { channel_id, incident_id, alert_id } = row
  if (incident_id === null) return `${channel_id} alert ${alert_id}`
  return `${channel_id} ${incident_id} ${isUrgent({ severity: storedData(row).alert?.severity ?? null })}`
}

function textsOf({ by, note }: Acknowledged, subject: string): { subject: string; message: string } {
  const who = `Acknowledged by ${by}`
  return { subject: `${who}: ${subject}`.slice(0, 500), message: note === '' ? `${who}.` : `${who}: ${note}` }
}

function idsOf(alerts: AlertRow[]): number[] {
  return alerts.map(({ id }) => id)
}
