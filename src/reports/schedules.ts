import type { Clock } from '../clock.ts'
import { auditWriter, changesOf } from '../db/audit.ts'
import type { Database, Db } from '../db/open.ts'
import { getZone } from '../db/organization-zones.ts'
import type { ReportInterval, ReportScheduleRow } from '../db/tables/tables.ts'
import { invalid } from '../errors.ts'
import type { Caller } from '../http/signed-in.ts'
import { channelTypes } from '../notifications/channels/index.ts'
import { parseSelector } from '../notifications/rules/selectors.ts'
import { lastPeriod } from './period.ts'
import { readScope } from './reports.ts'
import { getSchedule, insertSchedule, listChannelsOf, removeSchedule, updateSchedule } from './schedule-store.ts'

export type ScheduleDeps = { db: Database; clock: Clock }

export type ScheduleCreation = {
  name: string
  interval: ReportInterval
  time_zone?: string
  selector?: unknown
  channel_ids?: number[]
}

/** Stores a schedule; its first report is that of the period which runs now. Throws `invalid`. */
export async function createSchedule(
  { db, clock }: ScheduleDeps,
  caller: Caller,
  { name, interval, channel_ids = [], ...sent }: ScheduleCreation,
): Promise<ReportScheduleRow> {
  const { organizationId } = caller
  return db.write.transaction().execute(async (trx) => {
    const nowMs = clock.now()
    const time_zone = sent.time_zone ?? (await getZone(trx, organizationId)).timeZone
    const row = await insertSchedule(trx, {
      organization_id: organizationId,
      name,
      interval,
      time_zone,
      selector: await readScope(trx, organizationId, sent.selector),
      channel_ids: await readChannels(trx, organizationId, channel_ids),
      made_until: lastPeriod({ interval, time_zone }, Math.floor(nowMs / 1000)).endSeconds,
      created_by: caller.userId,
      created_at: nowMs,
      updated_at: nowMs,
    })
    await audit(trx, caller, 'report_schedule_created', row, {}, nowMs)
    return row
  })
}

/** Changes the fields that are sent. Another interval or time zone begins with the period which runs now. Throws `invalid`. */
export async function changeSchedule(
  { db, clock }: ScheduleDeps,
  caller: Caller,
  id: number,
  sent: Partial<ScheduleCreation>,
): Promise<ReportScheduleRow> {
  const { organizationId } = caller
  return db.write.transaction().execute(async (trx) => {
    const nowMs = clock.now()
    const stored = await getSchedule(trx, organizationId, id)
    const { name, interval, time_zone } = sent
    const selector = sent.selector === undefined ? undefined : await readScope(trx, organizationId, sent.selector)
    const channel_ids =
      sent.channel_ids === undefined ? undefined : await readChannels(trx, organizationId, sent.channel_ids)
    const changes = changesOf<ReportScheduleRow>(stored, { name, interval, time_zone, selector, channel_ids })
    if (changes === null) return stored
    const changedSchedule = { ...stored, ...changes.values }
    const isOtherPeriod = changedSchedule.interval !== stored.interval || changedSchedule.time_zone !== stored.time_zone
    const made_until = isOtherPeriod
      ? lastPeriod(changedSchedule, Math.floor(nowMs / 1000)).endSeconds
      : stored.made_until
    await audit(trx, caller, 'report_schedule_changed', stored, changes.details, nowMs)
    return updateSchedule(trx, organizationId, id, { ...changes.values, made_until, updated_at: nowMs })
  })
}

/** Deletes a schedule; its reports stay. */
export async function deleteSchedule({ db, clock }: ScheduleDeps, caller: Caller, id: number): Promise<void> {
  await db.write.transaction().execute(async (trx) => {
    const row = await getSchedule(trx, caller.organizationId, id)
    await removeSchedule(trx, caller.organizationId, id)
    await audit(trx, caller, 'report_schedule_deleted', row, {}, clock.now())
  })
}

/** Ids of the channels that get the reports of a stored schedule. */
export function channelIdsOf({ channel_ids }: Pick<ReportScheduleRow, 'channel_ids'>): number[] {
  return JSON.parse(channel_ids) as number[]
}

async function readChannels(db: Db, organizationId: number, ids: readonly number[]): Promise<string> {
  const unique = [...new Set(ids)]
  const known = new Map((await listChannelsOf(db, organizationId, unique)).map((channel) => [channel.id, channel]))
  for (const id of unique) {
    const channel = known.get(id)
    if (!channel) throw invalid('channel_ids', 'must be channels of your organization', { code: 'unknown' })
    if (channelTypes[channel.channel_type as keyof typeof channelTypes]?.opensIncidents) {
      throw invalid('channel_ids', `must be channels for which a message opens no incident; ${id} opens one`)
    }
  }
  return JSON.stringify(unique)
}

const audit = auditWriter<ReportScheduleRow>((row) => ({
  schedule_id: row.id,
  name: row.name,
  interval: row.interval,
  time_zone: row.time_zone,
  selector: parseSelector(row.selector),
  channel_ids: channelIdsOf(row),
}))
