import type { Insertable, Updateable } from 'kysely'
import type { Db } from '../db/open.ts'
import type { ChannelRow, Tables } from '../db/tables/tables.ts'
import { AppError, notFound } from '../errors.ts'
import { isQueued } from './outbox-store.ts'

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
    .where(isQueued) // for the index
    .where('status', '=', 'pending')
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
