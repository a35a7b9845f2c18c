import type { Db } from '../db/open.ts'
import { organizationRows } from '../db/organization-rows.ts'
import { countOf, pageOf } from '../db/page-of.ts'
import type { ReportRow } from '../db/tables/tables.ts'
import { notFound } from '../errors.ts'
import type { Page } from '../http/paging.ts'

const rows = organizationRows('reports', 'Report')
export const { insert: insertReport, remove: removeReport } = rows

/** Report without its data. */
export type ListedReport = Omit<ReportRow, 'data'> & { schedule_name: string | null; created_by_name: string | null }

/** Page of an organization's reports, newest first, and their total number. */
export async function listReports(
  db: Db,
  organizationId: number,
  { scheduleId, ...page }: Page & { scheduleId?: number | undefined },
): Promise<{ rows: ListedReport[]; total: number }> {
  const listed = reportsOf(db, organizationId).$if(scheduleId !== undefined, (q) =>
    q.where('reports.schedule_id', '=', scheduleId ?? 0),
  )
  return pageOf(listed, page, (reports) => withNames(reports).orderBy('reports.id', 'desc'))
}

/** Report of an organization, without its data. Throws `not_found`. */
export async function getReport(db: Db, organizationId: number, id: number): Promise<ListedReport> {
  const row = await withNames(reportsOf(db, organizationId).where('reports.id', '=', id)).executeTakeFirst()
  if (!row) throw notFound('Report')
  return row
}

/** Data of a report as JSON; null: it is not made. */
export async function findReportData(db: Db, organizationId: number, id: number): Promise<string | null> {
  const row = await rows.find(db, organizationId, id)
  return row?.data ?? null
}

/** Reports of periods that ended by `endedBySeconds` and that are not made yet, oldest first, of all organizations. */
export async function listPending(db: Db, endedBySeconds: number, limit: number): Promise<ReportRow[]> {
  const pending = db.selectFrom('reports').selectAll().where('status', '=', 'pending')
  return pending.where('ends_at', '<=', endedBySeconds).orderBy('ends_at').orderBy('id').limit(limit).execute()
}

/** Stores the data of a pending report; false: it was deleted, or is made already. */
export async function storeData(
  trx: Db,
  id: number,
  made: Required<{ [Field in 'data' | 'slo_count' | 'met_count' | 'missed_count' | 'made_at']: ReportRow[Field] }>,
): Promise<boolean> {
  const stored = trx.updateTable('reports').set({ ...made, status: 'ready' })
  const { numUpdatedRows } = await stored.where('id', '=', id).where('status', '=', 'pending').executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Counts a failed attempt to make a report. */
export async function storeFailure(
  db: Db,
  { id, attempts, status }: Pick<ReportRow, 'id' | 'attempts' | 'status'>,
): Promise<void> {
  await db.updateTable('reports').set({ attempts, status }).where('id', '=', id).execute()
}

export async function countReports(db: Db, organizationId: number): Promise<number> {
  return countOf(reportsOf(db, organizationId))
}

/** Deletes the oldest reports of schedules of an organization, at most `count`. */
export async function deleteOldestScheduled(db: Db, organizationId: number, count: number): Promise<void> {
  const oldest = db.selectFrom('reports').select('id').where('organization_id', '=', organizationId)
  const scheduled = oldest.where('schedule_id', 'is not', null).orderBy('id').limit(count)
  await db.deleteFrom('reports').where('id', 'in', scheduled).execute()
}

/** True if a schedule has a report of the period that ends at `endsAt`, in Unix seconds. */
export async function hasReport(db: Db, scheduleId: number, endsAt: number): Promise<boolean> {
  const found = db
    .selectFrom('reports')
    .select('id')
    .where('schedule_id', '=', scheduleId)
    .where('ends_at', '=', endsAt)
  return (await found.executeTakeFirst()) !== undefined
}

export async function getOrganizationName(db: Db, organizationId: number): Promise<string> {
  const named = db.selectFrom('organizations').select('name').where('id', '=', organizationId)
  return (await named.executeTakeFirstOrThrow()).name
}

function reportsOf(db: Db, organizationId: number) {
  return db.selectFrom('reports').where('reports.organization_id', '=', organizationId)
}

function withNames(reports: ReturnType<typeof reportsOf>) {
  return reports
    .leftJoin('report_schedules', 'report_schedules.id', 'reports.schedule_id')
    .leftJoin('users', 'users.id', 'reports.created_by')
    .select(['reports.id', 'reports.organization_id', 'reports.schedule_id', 'reports.name', 'reports.interval'])
    .select(['reports.time_zone', 'reports.selector', 'reports.starts_at', 'reports.ends_at', 'reports.status'])
    .select(['reports.attempts', 'reports.slo_count', 'reports.met_count', 'reports.missed_count'])
    .select(['reports.created_by', 'reports.created_at', 'reports.made_at'])
    .select(['report_schedules.name as schedule_name', 'users.name as created_by_name'])
}
