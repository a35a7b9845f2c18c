import type { Db } from '../db/open.ts'
import { organizationRows } from '../db/organization-rows.ts'
import type { ChannelRow } from '../db/tables/tables.ts'
import { AppError } from '../errors.ts'
import { isQueued } from './outbox-store.ts'

/** The channels of an organization; the rules of a channel are deleted with it. */
export const {
  find: findChannel,
  get: getChannel,
  list: listChannels,
  insert: insertChannel,
  update: updateChannel,
  remove: deleteChannel,
} = organizationRows('channels', 'Notification channel')

/** A channel that something may be sent through: a disabled one counts as none. */
export async function getUsableChannel(db: Db, organizationId: number, id: number): Promise<ChannelRow> {
  const row = await findChannel(db, organizationId, id)
  if (!row || row.enabled === 0) throw new AppError('not_found', 'Notification channel not found or disabled')
  return row
}

/** Ends what is pending for a channel as `failed`; what is being sent goes on. */
export async function failPending(db: Db, channelId: number, error: string, nowMs: number): Promise<void> {
  await db
    .updateTable('notifications')
    .set({ status: 'failed', error_message: error, updated_at: nowMs })
    .where('channel_id', '=', channelId)
    .where(isQueued) // for the index
    .where('status', '=', 'pending')
    .execute()
}
