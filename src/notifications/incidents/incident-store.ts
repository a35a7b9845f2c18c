import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { among } from '../../db/statements/among.ts'
import { executeOverRows } from '../../db/statements/bulk-statement.ts'
import type { AlertRow, IncidentCloseReason, IncidentEventRow, IncidentRow, SloRow } from '../../db/tables/tables.ts'
import type { SloState } from '../../slos/arithmetic/state.ts'
import { isAbandoned } from '../../slos/store.ts'

/** Open incidents of these SLOs. */
export async function listOpenIncidents(trx: Db, sloIds: number[]): Promise<IncidentRow[]> {
  const open = trx.selectFrom('incidents').selectAll().where('closed_at', 'is', null)
  return open.where('slo_id', 'in', among(sloIds)).execute()
}

/** End of the newest incident of an SLO, in Unix seconds; null: it has none, or that one still fails. */
export async function findLastEnd(trx: Db, sloId: number): Promise<number | null> {
  const newest = trx.selectFrom('incidents').where('slo_id', '=', sloId).orderBy('id', 'desc').limit(1)
  const ended = newest.select(({ fn }) => fn.coalesce('recovered_at', 'closed_at').as('atSeconds'))
  return (await ended.executeTakeFirst())?.atSeconds ?? null
}

/** Ids of the incidents, among these, that were closed by hand. */
export async function listClosedByHand(trx: Db, ids: number[]): Promise<number[]> {
  const closed = trx.selectFrom('incidents').select('id').where('close_reason', '=', 'by_hand')
  return (await closed.where('id', 'in', among(ids)).execute()).map(({ id }) => id)
}

/** An incident; null if it has been deleted. */
export async function findIncident(trx: Db, id: number): Promise<IncidentRow | null> {
  return (await trx.selectFrom('incidents').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** Alerts of these SLOs that can open an incident and ended after `sinceSeconds`: they may still inhibit other alerts. */
export async function listEndedSince(trx: Db, sloIds: number[], sinceSeconds: number): Promise<AlertRow[]> {
  return trx
    .selectFrom('alerts')
    .selectAll()
    .where('slo_id', 'in', among(sloIds))
    .where('ended_at', '>', sinceSeconds)
    .where((where) => where.or([where('name', '=', 'down'), where('name', 'like', 'burn_rate:%')]))
    .execute()
}

type NewIncident = Pick<
  IncidentRow,
  | 'organization_id'
  | 'slo_id'
  | 'severity'
  | 'state'
  | 'began_at'
  | 'opened_at'
  | 'since'
  | 'reason'
  | 'usual_events'
  | 'peak_burn_rate'
  | 'cause'
>

export async function insertIncident(trx: Db, incident: NewIncident): Promise<IncidentRow> {
  return trx
    .insertInto('incidents')
    .values({ ...incident, relapses: 0 })
    .returningAll()
    .executeTakeFirstOrThrow()
}

type IncidentChange = Partial<
  Pick<
    IncidentRow,
    | 'severity'
    | 'state'
    | 'since'
    | 'recovered_at'
    | 'closed_at'
    | 'close_reason'
    | 'relapses'
    | 'peak_burn_rate'
    | 'cause'
    | 'acknowledged_at'
    | 'acknowledged_by'
    | 'acknowledged_by_name'
    | 'acknowledgement_note'
  >
>

export async function updateIncident(trx: Db, id: number, change: IncidentChange): Promise<void> {
  await trx.updateTable('incidents').set(change).where('id', '=', id).execute()
}

/** Adds events to the histories of their incidents. */
export async function insertIncidentEvents(trx: Db, events: Omit<IncidentEventRow, 'id'>[]): Promise<void> {
  if (events.length > 0) await trx.insertInto('incident_events').values(events).execute()
}

/** Changes the note of the newest acknowledgement in the history of an incident. */
export async function noteAcknowledgement(trx: Db, incidentId: number, note: string): Promise<void> {
  const acknowledged = trx
    .selectFrom('incident_events')
    .select(({ fn }) => fn.max('id').as('id'))
    .where('incident_id', '=', incidentId)
    .where('event', '=', 'acknowledged')
  await trx.updateTable('incident_events').set({ note }).where('id', '=', acknowledged).execute()
}

/** Attaches alerts to incidents. */
export async function attachAlerts(trx: Db, attached: { alertId: number; incidentId: number }[]): Promise<void> {
  await sql`
    update alerts set incident_id = one.value->>'incidentId'
    from json_each(${JSON.stringify(attached)}) as one where alerts.id = one.value->>'alertId'
  `.execute(trx)
}

/** Open incidents of SLOs that nothing evaluates any more, with the SLOs. */
export async function listOrphanedIncidents(db: Db, nowMs: number): Promise<{ slo: SloRow; incident: IncidentRow }[]> {
  const incidents = await db
    .selectFrom('incidents')
    .innerJoin('slos', 'slos.id', 'incidents.slo_id')
    .selectAll('incidents')
    .where('incidents.closed_at', 'is', null)
    .where(isAbandoned(nowMs))
    .execute()
  const ids = incidents.map(({ slo_id }) => slo_id)
  const slos = await db.selectFrom('slos').selectAll().where('id', 'in', among(ids)).execute()
  const sloOf = new Map(slos.map((slo) => [slo.id, slo]))
  return incidents.flatMap((incident) => {
    const slo = sloOf.get(incident.slo_id)
    return slo ? [{ slo, incident }] : []
  })
}

/** Closes an incident; false if it was closed before. */
export async function closeIncident(
  trx: Db,
  id: number,
  change: { closed_at: number; close_reason: IncidentCloseReason; closed_by_name?: string; state: 'closed' },
): Promise<boolean> {
  const closed = await trx
    .updateTable('incidents')
    .set(change)
    .where('id', '=', id)
    .where('closed_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return closed !== undefined
}

/** State of an SLO as it is stored with its evaluation. */
export type StoredState = {
  sloId: number
  state: SloState
  reason: string | null
  sinceSeconds: number | null
  burnRateNow: number | null
}

/** Stores states with the evaluations that have just been stored. */
export async function putSloStates(trx: Db, states: StoredState[]): Promise<void> {
  const rows = states.map((one) => [one.sloId, one.state, one.reason, one.sinceSeconds, one.burnRateNow])
  await executeOverRows(trx, rows, setStates)
}

const setStates = (values: string) => `
  update slo_states set state = found.column2, state_reason = found.column3, state_since = found.column4,
    burn_rate_now = found.column5
  from (values ${values}) as found where slo_states.slo_id = found.column1`

/**
 * Seconds for which evaluations had results without interruption: from `startSeconds`, or the last evaluation without a result after it,
 * to the last evaluation before `endSeconds`. 0: there is no evaluation.
 */
export async function knownSeconds(
  trx: Db,
  sloId: number,
  { startSeconds, endSeconds }: { startSeconds: number; endSeconds: number },
): Promise<number> {
  const { rows } = await sql<{ last: number | null; unknown: number | null }>`
    select max(at) as last, max(case when status = 'unknown' then at end) as unknown from evaluations
    where slo_id = ${sloId} and at >= ${startSeconds} and at < ${endSeconds}`.execute(trx)
  const { last = null, unknown = null } = rows[0] ?? {}
  return last === null ? 0 : last - (unknown ?? startSeconds)
}

/** Deletes the oldest incidents that were closed before a time, at most `limit`; returns their number. Keeps those whose alerts fire. */
export async function deleteIncidentsBefore(db: Db, beforeMs: number, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from incidents where id in (
      select id from incidents where closed_at < ${beforeMs / 1000}
        and not exists (select 1 from alerts where alerts.incident_id = incidents.id and alerts.ended_at is null)
      order by closed_at limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows)
}
