import type { Clock } from '../../clock.ts'
import { changesOf, recordAudit } from '../../db/audit.ts'
import type { Database, Db } from '../../db/open.ts'
import type { OrganizationRow, UserRow } from '../../db/tables/tables.ts'
import { AppError } from '../../errors.ts'
import { type Caller, sessionOf } from '../../http/signed-in.ts'
import type { Role } from '../../role.ts'
import { deletePendingInvitationsBy } from './invitation-store.ts'
import {
  assertStillAdmin,
  countUsers,
  deleteUser,
  getOrganization,
  getUserOf,
  updateOrganization,
  updateUser,
} from './store.ts'
import { assertRecentSignIn, assertRecentSignInOfAll } from '../second-factor/recent-sign-in.ts'
import { deleteSessionsOf } from '../sessions/store.ts'
import type { Tokens } from '../sessions/tokens.ts'

type Deps = { db: Database; clock: Clock; tokens: Pick<Tokens, 'invalidate'> }

type OrganizationField = 'name' | 'time_zone' | 'clock' | 'second_factor_required'

/**
 * Changes the name, time zone, clock (12h or 24h) or `second_factor_required` of the caller's organization. Requiring a second
 * factor takes effect at the next request of each user.
 */
export async function changeOrganization(
  { db, clock, tokens }: Deps,
  caller: Caller,
  update: { [Name in OrganizationField]?: OrganizationRow[Name] | undefined },
): Promise<OrganizationRow> {
  const organization = await db.write.transaction().execute(async (trx) => {
    await assertStillAdmin(trx, caller)
    const current = await getOrganization(trx, caller.organizationId)
    const changes = changesOf(current, update)
    if (!changes) return current
    await updateOrganization(trx, current.id, changes.values)
    await recordAudit(trx, caller, { event: 'organization_changed', details: changes.details }, clock.now())
    return { ...current, ...changes.values }
  })
  if (update.second_factor_required !== undefined) {
    tokens.invalidate(({ organizationId, sessionId }) => organizationId === organization.id && sessionId !== null)
  }
  return organization
}

/**
 * Changes the role of a user, from the next request on. Open invitations of a user who is no longer an administrator are
 * withdrawn, because only administrators may invite. Throws `conflict` for the last administrator.
 */
export async function changeRole(
  { db, clock, tokens }: Deps,
  caller: Caller,
  userId: number,
  role: Role,
): Promise<UserRow> {
  const user = await db.write.transaction().execute(async (trx) => {
    await assertStillAdmin(trx, caller)
    const current = await getUserOf(trx, caller.organizationId, userId)
    if (current.role === role) return current
    if (role === 'admin') await assertRecentSignIn(trx, sessionOf(caller), clock.now())
    await assertNotLastAdmin(trx, current)
    const withdrawnCount = role === 'admin' ? 0 : await deletePendingInvitationsBy(trx, caller.organizationId, userId)
    const updated = await updateUser(trx, caller.organizationId, userId, { role, updated_at: clock.now() })
    const details = { ...auditNameOf(current), role, role_before: current.role, invitations_withdrawn: withdrawnCount }
    await recordAudit(trx, caller, { event: 'user_role_changed', details }, clock.now())
    return updated
  })
  tokens.invalidate((identity) => identity.userId === userId)
  return user
}

/**
 * Deletes a user. Administrators may delete any user, others only themselves. Sessions, tokens and open invitations end at once.
 * Throws `conflict` for the last administrator.
 */
export async function removeUser({ db, clock, tokens }: Deps, caller: Caller, userId: number): Promise<void> {
  await db.write.transaction().execute(async (trx) => {
    if (userId !== caller.userId) await assertStillAdmin(trx, caller)
    const user = await getUserOf(trx, caller.organizationId, userId)
    await assertNotLastAdmin(trx, user)
    const withdrawnCount = await deletePendingInvitationsBy(trx, caller.organizationId, userId)
    await deleteUser(trx, caller.organizationId, userId)
    const details = { ...auditNameOf(user), role: user.role, invitations_withdrawn: withdrawnCount }
    await recordAudit(trx, caller, { event: 'user_removed', details }, clock.now())
  })
  tokens.invalidate((identity) => identity.userId === userId)
}

/**
 * Ends all sessions of a user, effective at once; API tokens and OAuth2 grants stay. Returns the number of sessions. For
 * administrators.
 */
export async function endSessionsOf({ db, clock, tokens }: Deps, caller: Caller, userId: number): Promise<number> {
  const endedCount = await db.write.transaction().execute(async (trx) => {
    await assertStillAdmin(trx, caller)
    const user = await getUserOf(trx, caller.organizationId, userId)
    if (userId === caller.userId) await assertRecentSignInOfAll(trx, sessionOf(caller), clock.now())
    const sessions = await deleteSessionsOf(trx, userId)
    const details = { ...auditNameOf(user), sessions }
    await recordAudit(trx, caller, { event: 'session_ended', details }, clock.now())
    return sessions
  })
  tokens.invalidate((identity) => identity.userId === userId && identity.sessionId !== null)
  return endedCount
}

/** Throws `conflict` for the last administrator: somebody has to administer the organization. */
async function assertNotLastAdmin(trx: Db, user: UserRow): Promise<void> {
  if (user.role !== 'admin' || (await countUsers(trx, user.organization_id, 'admin')) > 1) return
  throw new AppError('conflict', 'The last administrator must stay', {
    details: 'make another user an administrator first',
  })
}

function auditNameOf(user: UserRow) {
  return { user_id: user.id, user_email: user.email }
}
