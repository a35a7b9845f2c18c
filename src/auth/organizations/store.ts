import type { Db } from '../../db/open.ts'
import { organizationRows } from '../../db/organization-rows.ts'
import { countOf } from '../../db/page-of.ts'
import type { OrganizationRow, UserRow } from '../../db/tables/tables.ts'
import { AppError, notFound } from '../../errors.ts'
import type { Page } from '../../http/paging.ts'
import type { Role } from '../../role.ts'

export async function getOrganization(db: Db, id: number): Promise<OrganizationRow> {
  const organization = db.selectFrom('organizations').selectAll().where('id', '=', id)
  return organization.executeTakeFirstOrThrow(() => notFound('Organization'))
}

/** All organizations, oldest first. */
export async function listOrganizations(db: Db): Promise<OrganizationRow[]> {
  return db.selectFrom('organizations').selectAll().orderBy('id').execute()
}

/** True for the oldest organization, whose administrators administer the instance. */
export async function isFirstOrganization(db: Db, id: number): Promise<boolean> {
  const { first } = await db
    .selectFrom('organizations')
    .select((q) => q.fn.min('id').as('first'))
    .executeTakeFirstOrThrow()
  return id === first
}

export async function updateOrganization(
  db: Db,
  id: number,
  changes: Partial<Pick<OrganizationRow, 'name' | 'time_zone' | 'clock' | 'second_factor_required'>>,
): Promise<void> {
  await db.updateTable('organizations').set(changes).where('id', '=', id).execute()
}

export async function countUsers(db: Db, organizationId: number, role?: Role): Promise<number> {
  let users = db.selectFrom('users').where('organization_id', '=', organizationId)
  if (role !== undefined) users = users.where('role', '=', role)
  return countOf(users)
}

/** True if anything has arrived through a channel of the organization: a notification, or a test. */
export async function hasDeliveringChannel(db: Db, organizationId: number): Promise<boolean> {
  const channel = await db
    .selectFrom('channels')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('last_success_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return channel !== undefined
}

/** A page of an organization's users, oldest first. */
export async function listUsers(db: Db, organizationId: number, { page, pageSize }: Page): Promise<UserRow[]> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute()
}

const users = organizationRows('users', 'User')

/** `deleteUser` also deletes the user's sessions, password resets, API tokens and consents. What they created stays, ownerless. */
export const { get: getUserOf, update: updateUser, remove: deleteUser } = users

/**
 * Throws `forbidden` if the caller is no longer an administrator. Call inside the transaction, so that two administrators who
 * demote each other at the same time do not both succeed.
 */
export async function assertStillAdmin(
  trx: Db,
  { organizationId, userId }: { organizationId: number; userId: number },
): Promise<void> {
  const user = await users.find(trx, organizationId, userId)
  if (user?.role === 'admin') return
  throw new AppError('forbidden', 'Insufficient permissions', { details: 'needs the role admin' })
}
