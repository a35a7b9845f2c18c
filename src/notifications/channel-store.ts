import type { Db } from '../db/open.ts'
import { organizationRows } from '../db/organization-rows.ts'
import { countOf } from '../db/page-of.ts'
import type { ChannelRow } from '../db/tables/tables.ts'
import { AppError } from '../errors.ts'
import { isQueued } from './outbox-store.ts'

/** Reads and writes the channels of an organization; deleting a channel deletes its rules. */
export const channelRows = organizationRows('channels', 'Notification channel')
export const { find: findChannel, get: getChannel, list: listChannels } = channelRows

/** Channel that may be used for sending. Throws `not_found` if it does not exist or is disabled. */
export async function getUsableChannel(db: Db, organizationId: number, id: number): Promise<ChannelRow> {
  const row = await findChannel(db, organizationId, id)
  if (!row || row.enabled === 0) throw new AppError('not_found', 'Notification channel not found or disabled')
  return row
}

export async function countDefaultChannels(db: Db, organizationId: number): Promise<number> {
  const channels = db.selectFrom('channels').where('organization_id', '=', organizationId)
  return countOf(channels.where('is_default', '=', 1))
}

/** Marks the pending notifications of a channel as `failed`; those being sent continue. */
export async function failPending(db: Db, channelId: number, error: string, nowMs: number): Promise<void> {
  await db
    .updateTable('notifications')
    .set({ status: 'failed', error_message: error, updated_at: nowMs })
    .where('channel_id', '=', channelId)
    .where(isQueued) // for the index
    .where('status', '=', 'pending')
    .execute()
}
