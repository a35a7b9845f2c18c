import { type RawBuilder, sql } from 'kysely'
import { minJumpMs, minuteMs } from '../../clock.ts'
import { aroundDamage } from '../../db/failures/damage.ts'
import type { Db } from '../../db/open.ts'
import { among } from '../../db/statements/among.ts'
import { prepared } from '../../db/statements/prepared.ts'
import type { ChannelRow, NotificationRow, OrganizationRow } from '../../db/tables/tables.ts'
import { isDatabaseDamaged } from '../../errors.ts'
import { isQueued, isUnclaimedList } from '../outbox-store.ts'
import { listOf } from './attempt.ts'

/** Releases notifications that an ended process had claimed. */
export async function releaseAll(db: Db): Promise<void> {
  await db
    .updateTable('notifications')
    .set({ status: 'pending', leased_until: null })
    .where(isQueued)
    .where('status', '=', 'sending')
    .execute()
}

/** Moves waiting notifications and channel pauses by a clock jump, so that the remaining waits stay the same. */
export async function postponeAll(trx: Db, jumpMs: number): Promise<void> {
  await sql`
    update notifications set next_attempt_at = next_attempt_at + ${jumpMs}, leased_until = leased_until + ${jumpMs},
      updated_at = updated_at + ${jumpMs}
    where ${isQueued}
  `.execute(trx)
  await sql`update channels set paused_until = paused_until + ${jumpMs} where paused_until is not null`.execute(trx)
}

type DueChannel = { channelId: number; organizationId: number; isFailing: boolean }

/**
 * Channels whose oldest queued notification can be delivered now. Ignores lists (one notification about several incidents) that still
 * gather incidents, and leaves out channels whose rows are damaged. `isFailing`: the last attempt of the channel failed.
 */
export async function listDueChannels(db: Db, nowMs: number): Promise<DueChannel[]> {
  try {
    return (await allDue(db, { nowMs })).rows.map(presentDue)
  } catch (error) {
    if (!isDatabaseDamaged(error)) throw error
    const { rows } = await sql<{ channel_id: number }>`
      select distinct channel_id from notifications indexed by notifications_queued where ${isQueued}`.execute(db)
    const ids = rows.map(({ channel_id }) => channel_id)
    const condition = (some: number[]) => sql<boolean>`queued.channel_id in ${among(some)}`
    return aroundDamage(
      ids,
      async (some) => (await dueAmong(nowMs, condition(some)).execute(db)).rows.map(presentDue),
      () => [],
    )
  }
}

type Due = { channel_id: number; organization_id: number; is_failing: number }

const allDue = prepared<{ nowMs: number }, Due>(({ nowMs }) => dueAmong(nowMs, sql<boolean>`true`))

/** The recursion steps from one channel to the next by index, so that it does not read every queued notification. */
function dueAmong(nowMs: NowMs, condition: RawBuilder<boolean>): RawBuilder<Due> {
  return sql<Due>`
    with recursive queued (channel_id) as (
      select min(channel_id) from notifications where ${isQueued}
      union all
      select (select min(channel_id) from notifications where ${isQueued} and channel_id > queued.channel_id)
      from queued where queued.channel_id is not null
    )
    select queued.channel_id, head.organization_id, channels.failing_since is not null as is_failing
    from queued
    cross join notifications as head on head.id =
      (select min(id) from notifications where ${isQueued} and channel_id = queued.channel_id and not ${gathers(nowMs)})
    left join channels on channels.id = queued.channel_id
    where not ${hasToWait('head', nowMs)}
      and not ${isAhead('channels.paused_until', nowMs)}
      and ${condition}
  `
}

function presentDue({ channel_id: channelId, organization_id: organizationId, is_failing }: Due): DueChannel {
  return { channelId, organizationId, isFailing: is_failing === 1 }
}

/** True if more than one organization has channels. */
export async function haveSeveralOrganizationsChannels(db: Db): Promise<boolean> {
  const { rows } = await channelsOfSeveral(db, {})
  return rows[0]?.several === 1
}

const channelsOfSeveral = prepared<object, { several: number }>(
  () => sql`
    select (select min(organization_id) from channels) < (select max(organization_id) from channels) as several`,
)

/** Longest wait. A time further ahead than this was written before the clock was set back, and counts as past. */
const maxWaitMs = 16 * minuteMs

type NowMs = number | RawBuilder<number>

function isAhead(column: string, nowMs: NowMs) {
  return sql<boolean>`coalesce(${sql.ref(column)}, 0) between ${nowMs} + 1 and ${nowMs} + ${sql.lit(maxWaitMs)}`
}

/** True while waiting for a retry or the end of a lease; false if the clock was set back since, by an unknown amount. */
function hasToWait(table: string, nowMs: NowMs) {
  const [status, updatedAt] = [sql.ref(`${table}.status`), sql.ref(`${table}.updated_at`)]
  const isWaiting = sql`iif(${status} = 'pending', ${isAhead(`${table}.next_attempt_at`, nowMs)},
    ${isAhead(`${table}.leased_until`, nowMs)})`
  return sql<boolean>`(${updatedAt} <= ${nowMs} + ${sql.lit(minJumpMs)} and ${isWaiting})`
}

/** True for a list that still gathers. */
function gathers(nowMs: NowMs) {
  return sql<boolean>`(${hasToWait('notifications', nowMs)} and ${isUnclaimedList})`
}

type Claim = { max: number; nowMs: number; leasedUntilMs: number }

/**
 * Claims the oldest notifications of a channel, in their order, up to the first that has to wait. A list that still gathers is left
 * out, and so are later notifications about its SLOs.
 */
export async function claimNotifications(
  trx: Db,
  channelId: number,
  { max, nowMs, leasedUntilMs }: Claim,
): Promise<NotificationRow[]> {
  const claimed = await findClaimable(trx, { channelId, max, nowMs })
  const ids = JSON.stringify(claimed.map(({ id }) => id))
  if (claimed.length > 0) await lease(trx, { ids, nowMs, leasedUntilMs })
  return claimed
}

async function findClaimable(
  trx: Db,
  { channelId, max, nowMs }: Omit<Claim, 'leasedUntilMs'> & { channelId: number },
): Promise<NotificationRow[]> {
  const claimable: NotificationRow[] = []
  const heldSlos = new Set<number>()
  for (let afterId = 0; ;) {
    const limit = max - claimable.length
    const { rows } = await oldest(trx, { channelId, afterId, limit, nowMs })
    for (const row of rows) {
      const sloIds = sloIdsOf(row)
      const isHeld = row.gathers === 1 || sloIds.some((id) => heldSlos.has(id))
      if (!isHeld && row.has_to_wait === 1) return claimable
      if (!isHeld) claimable.push(row)
      else for (const id of sloIds) heldSlos.add(id)
    }
    if (rows.length < limit || claimable.length === max) return claimable
    afterId = rows.at(-1)?.id ?? 0
  }
}

/** SLOs that a notification is about. */
function sloIdsOf(row: NotificationRow): number[] {
  return row.slo_id === null ? (listOf(row)?.incidents ?? []).map(({ slo_id }) => slo_id) : [row.slo_id]
}

type Waiting = { has_to_wait: 0 | 1; gathers: 0 | 1 }

/** `+ 0` hides the limit from SQLite's query planner, which would plan again for each value. */
const oldest = prepared<
  { channelId: number; afterId: number; limit: number; nowMs: number },
  NotificationRow & Waiting
>(
  ({ channelId, afterId, limit, nowMs }) => sql`
    select *, ${hasToWait('notifications', nowMs)} as has_to_wait, ${gathers(nowMs)} as gathers from notifications
    where channel_id = ${channelId} and id > ${afterId} and ${isQueued}
      and not exists (select 1 from channels where id = ${channelId} and ${isAhead('channels.paused_until', nowMs)})
    order by id limit ${limit} + 0`,
)

const lease = prepared<{ ids: string; nowMs: number; leasedUntilMs: number }>(
  ({ ids, nowMs, leasedUntilMs }) => sql`
    update notifications set status = 'sending', leased_until = ${leasedUntilMs}, updated_at = ${nowMs}
    from json_each(${ids}) as one where notifications.id = one.value`,
)

/** Columns that the delivery needs of a channel, and the zone of its organization. */
export type Receiver = Pick<
  ChannelRow,
  'id' | 'organization_id' | 'enabled' | 'channel_type' | 'sealed_configuration'
> &
  Pick<OrganizationRow, 'time_zone' | 'clock'>

export async function findReceiver(db: Db, id: number): Promise<Receiver | undefined> {
  const { rows } = await receiverWithId(db, { id })
  return rows[0]
}

const receiverWithId = prepared<{ id: number }, Receiver>(
  ({ id }) => sql`
    select channels.id, organization_id, enabled, channel_type, sealed_configuration, time_zone, clock
    from channels join organizations on organizations.id = channels.organization_id where channels.id = ${id}`,
)

type Alerted = Pick<NotificationRow, 'status' | 'channel_type' | 'sealed_configuration'>

/** Notifications of an alert to a channel, newest first. */
export async function listAlerted(db: Db, alertId: number, channelId: number): Promise<Alerted[]> {
  return db
    .selectFrom('notifications')
    .select(['status', 'channel_type', 'sealed_configuration'])
    .where('alert_id', '=', alertId)
    .where('channel_id', '=', channelId)
    .where('event', '=', 'alert')
    .orderBy('id', 'desc')
    .execute()
}

/** The notification with this id, in an array; empty if it has been deleted. */
export async function listById(db: Db, id: number): Promise<Alerted[]> {
  const alerted = db.selectFrom('notifications').select(['status', 'channel_type', 'sealed_configuration'])
  return alerted.where('id', '=', id).execute()
}
