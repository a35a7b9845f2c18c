import type { Db } from '../../db/open.ts'
import { organizationRows } from '../../db/organization-rows.ts'
import { pageOf } from '../../db/page-of.ts'
import type { InvitationRow } from '../../db/tables/tables.ts'
import { notFound } from '../../errors.ts'
import type { Page } from '../../http/paging.ts'

export const { insert: insertInvitation, remove: deleteInvitation } = organizationRows('invitations', 'Invitation')

/** Invitations that nobody has accepted and that have not expired. */
function openInvitations(db: Db, nowMs: number) {
  return db.selectFrom('invitations').where('accepted_at', 'is', null).where('expires_at', '>', nowMs)
}

export type ListedInvitationRow = InvitationRow & { invited_by_name: string | null }

/** A page of the open invitations, newest first, and their total number. */
export async function listInvitations(
  db: Db,
  organizationId: number,
  { nowMs, ...page }: Page & { nowMs: number },
): Promise<{ rows: ListedInvitationRow[]; total: number }> {
  const listed = openInvitations(db, nowMs).where('invitations.organization_id', '=', organizationId)
  return pageOf(listed, page, (invitations) =>
    invitations
      .leftJoin('users', 'users.id', 'invitations.invited_by')
      .selectAll('invitations')
      .select('users.name as invited_by_name')
      .orderBy('invitations.id', 'desc'),
  )
}

export async function getOpenInvitation(db: Db, organizationId: number, id: number, nowMs: number) {
  const invitation = openInvitations(db, nowMs)
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
  return invitation.executeTakeFirstOrThrow(() => notFound('Invitation'))
}

/** Finds an open invitation by the hash of either token: the one returned to the inviter or the mailed one. */
export async function findOpenInvitationByHash(
  db: Db,
  hash: string,
  nowMs: number,
): Promise<InvitationRow | undefined> {
  return openInvitations(db, nowMs)
    .selectAll()
    .where((is) => is.or([is('hash', '=', hash), is('mailed_hash', '=', hash)]))
    .executeTakeFirst()
}

/** Finds the newest open invitation to an address, of any organization. */
export async function findOpenInvitationTo(
  db: Db,
  emailKey: string,
  nowMs: number,
): Promise<InvitationRow | undefined> {
  const invitations = openInvitations(db, nowMs).selectAll().where('email_key', '=', emailKey)
  return invitations.orderBy('id', 'desc').limit(1).executeTakeFirst()
}

export async function markInvitationAccepted(db: Db, id: number, nowMs: number): Promise<void> {
  await db.updateTable('invitations').set({ accepted_at: nowMs }).where('id', '=', id).execute()
}

/** Deletes invitations that nobody has accepted, expired or not: a new one replaces them. */
export async function deletePendingInvitationsTo(db: Db, organizationId: number, emailKey: string): Promise<void> {
  await db
    .deleteFrom('invitations')
    .where('organization_id', '=', organizationId)
    .where('email_key', '=', emailKey)
    .where('accepted_at', 'is', null)
    .execute()
}

/** Deletes the invitations that a user has sent and nobody has accepted; returns their number. */
export async function deletePendingInvitationsBy(db: Db, organizationId: number, userId: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('invitations')
    .where('organization_id', '=', organizationId)
    .where('invited_by', '=', userId)
    .where('accepted_at', 'is', null)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
