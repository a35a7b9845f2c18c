import { type Insertable, sql, type Updateable } from 'kysely'
import type { Db } from '../db/open.ts'
import type { ChannelRow, Tables } from '../db/tables.ts'
import { AppError, notFound } from '../errors.ts'

export async function listChannels(db: Db, organizationId: number): Promise<ChannelRow[]> {
  return db.selectFrom('channels').selectAll().where('organization_id', '=', organizationId).orderBy('id').execute()
}

export async function getChannel(db: Db, organizationId: number, id: number): Promise<ChannelRow> {
  const row = await find(db, organizationId, id)
  if (!row) throw notFound('Notification channel')
  return row
}

/** A channel that something may be sent through: a disabled one is as good as none. */
export async function getUsableChannel(db: Db, organizationId: number, id: number): Promise<ChannelRow> {
  const row = await find(db, organizationId, id)
  if (!row || row.enabled === 0) throw new AppError('not_found', 'Notification channel not found or disabled')
  return row
}

export async function insertChannel(db: Db, channel: Insertable<Tables['channels']>): Promise<ChannelRow> {
  return db.insertInto('channels').values(channel).returningAll().executeTakeFirstOrThrow()
}

export async function updateChannel(
  db: Db,
  organizationId: number,
  id: number,
  changes: Updateable<Tables['channels']>,
): Promise<ChannelRow> {
  return db
    .updateTable('channels')
    .set(changes)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Its rules go along. */
export async function deleteChannel(db: Db, organizationId: number, id: number): Promise<void> {
  await db.deleteFrom('channels').where('organization_id', '=', organizationId).where('id', '=', id).execute()
}

/** Ends what waits to go through a channel as `failed`; what is on its way is its worker's. */
export async function failPending(db: Db, channelId: number, error: string, nowMs: number): Promise<void> {
  await db
    .updateTable('notifications')
    .set({ status: 'failed', error_message: error, updated_at: nowMs })
    .where('channel_id', '=', channelId)
    .where(sql<boolean>`status in ('pending', 'sending')`) // as the index of what is queued says it
    .where('status', '=', 'pending')
    .execute()
}

/** Of an attempt: who made it, and with which configuration. Health is of the present configuration only. */
type Attempted = Pick<ChannelRow, 'id' | 'sealed_configuration'>

/** Health: the last attempt succeeded. */
export async function recordSuccess(db: Db, { id, sealed_configuration }: Attempted, nowMs: number): Promise<void> {
  await db
    .updateTable('channels')
    .set({ failures: 0, failing_since: null, last_error: null, last_success_at: nowMs })
    .where('id', '=', id)
    .where('sealed_configuration', '=', sealed_configuration)
    .execute()
}

/** Health: the last attempt failed. `error` is without secrets. */
export async function recordFailure(
  db: Db,
  { id, sealed_configuration }: Attempted,
  error: string,
  nowMs: number,
): Promise<void> {
  await db
    .updateTable('channels')
    .set({
      failures: sql`failures + 1`,
      failing_since: sql`coalesce(failing_since, ${nowMs})`,
      last_error: error,
    })
    .where('id', '=', id)
    .where('sealed_configuration', '=', sealed_configuration)
    .execute()
}

async function find(db: Db, organizationId: number, id: number): Promise<ChannelRow | undefined> {
  return db
    .selectFrom('channels')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
}
