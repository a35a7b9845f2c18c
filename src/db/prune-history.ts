import { sql } from 'kysely'
import type { Db } from './open.ts'
import { conditionAt } from './quotas.ts'

/** Conditions, by table, for rows that nothing else needs, of which only the newest are kept. `:now`: the time in milliseconds. */
const historyConditions = {
  audit_log: 'true',
  // Notifications of open alerts and incidents stay: without them another notification would be sent, and no recovery.
  notifications: `status not in ('pending', 'sending') and not exists (
    select 1 from alerts where alerts.id = notifications.alert_id and alerts.ended_at is null) and not exists (
    select 1 from incidents where incidents.id = notifications.incident_id and incidents.closed_at is null)`,
  executions: `(query_id is null or metadata ->> 'part' <> 'query')`, // runs of stored queries have another limit: see recordRuns
  silences: 'until < :now',
  // Alerts of open incidents stay: the recovery is about them.
  alerts: `ended_at is not null and not exists (
    select 1 from incidents where incidents.id = alerts.incident_id and incidents.closed_at is null)`,
  // Incidents whose alerts fire stay: if one that was closed by hand were deleted, its alerts would open another.
  incidents: `closed_at is not null and not exists (
    select 1 from alerts where alerts.incident_id = incidents.id and alerts.ended_at is null)`,
} as const

export type History = keyof typeof historyConditions
export const historyNames = Object.keys(historyConditions) as History[]

/** Deletes the oldest rows of an organization's history beyond the newest `keep`, at most `limit`; returns their number. */
export async function pruneHistory(
  db: Db,
  history: History,
  { organizationId, keep, nowMs, limit }: { organizationId: number; keep: number; nowMs: number; limit: number },
): Promise<number> {
  const own = sql`organization_id = ${organizationId} and ${conditionAt(historyConditions[history], nowMs)}`
  const table = sql.table(history)
  const { numAffectedRows } = await sql`
    delete from ${table} where id in (
      select id from ${table} where ${own} and id <= (
        select id from ${table} where ${own} order by id desc limit 1 offset ${keep}
      ) order by id limit ${limit}
    )`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Deleted SLOs of an organization, except the `keep` that were deleted last. */
export async function listSlosToPrune(db: Db, organizationId: number, keep: number): Promise<number[]> {
  const rows = await db
    .selectFrom('slos')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('active', '=', 0)
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1000)
    .offset(keep)
    .execute()
  return rows.map(({ id }) => id)
}

/** Tables with rows of SLOs, and their keys. */
const tablesOfSlo = {
  buckets: 'slo_id, revision, resolution, start',
  evaluations: 'slo_id, at',
  executions: 'id',
  notifications: 'id',
  alerts: 'id',
  incidents: 'id',
}

/** Deletes at most `limit` rows of a deleted SLO from one table, or the SLO itself if none has any; returns their number. */
export async function pruneSlo(db: Db, id: number, limit: number): Promise<number> {
  for (const [table, key] of Object.entries(tablesOfSlo)) {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where (${sql.raw(key)}) in (
        select ${sql.raw(key)} from ${sql.table(table)} where slo_id = ${id} limit ${limit}
      ) and exists (select 1 from slos where id = ${id} and active = 0)`.execute(db)
    if (numAffectedRows) return Number(numAffectedRows)
  }
  const { numDeletedRows } = await db.deleteFrom('slos').where('id', '=', id).where('active', '=', 0).executeTakeFirst()
  return Number(numDeletedRows)
}
