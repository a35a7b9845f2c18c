import type { Db } from '../db/open.ts'
import { organizationRows } from '../db/organization-rows.ts'
import { pageOf } from '../db/page-of.ts'
import type { ChannelRow, ReportScheduleRow } from '../db/tables/tables.ts'
import { among } from '../db/statements/among.ts'
import type { Page } from '../http/paging.ts'

/** Reads and writes the schedules of an organization. */
export const {
  find: findSchedule,
  get: getSchedule,
  insert: insertSchedule,
  update: updateSchedule,
  remove: removeSchedule,
} = organizationRows('report_schedules', 'Schedule of reports')

/** Page of an organization's schedules in the order of their ids, and their total number. */
export async function listSchedules(
  db: Db,
  organizationId: number,
  page: Page,
): Promise<{ rows: ReportScheduleRow[]; total: number }> {
  const listed = db.selectFrom('report_schedules').where('organization_id', '=', organizationId)
  return pageOf(listed, page, (schedules) => schedules.selectAll().orderBy('id'))
}

/** Schedules with ids above `afterId`, of all organizations, by id. */
export async function listSchedulesAfter(db: Db, afterId: number, limit: number): Promise<ReportScheduleRow[]> {
  return db.selectFrom('report_schedules').selectAll().where('id', '>', afterId).orderBy('id').limit(limit).execute()
}

/** Channels of an organization with these ids; deleted ones are missing. */
export async function listChannelsOf(db: Db, organizationId: number, ids: readonly number[]): Promise<ChannelRow[]> {
  const channels = db.selectFrom('channels').selectAll().where('organization_id', '=', organizationId)
  return channels.where('id', 'in', among(ids)).orderBy('id').execute()
}
