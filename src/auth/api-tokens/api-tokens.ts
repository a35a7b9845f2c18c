import type { Clock } from '../../clock.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database } from '../../db/open.ts'
import { AppError, invalid } from '../../errors.ts'
import { type Caller, sessionOf } from '../../http/signed-in.ts'
import { readZonedTime, zonedTimeText } from '../../http/zoned-time.ts'
import { isAtLeast, type Role } from '../../role.ts'
import { newApiToken } from './credential.ts'
import { deleteApiToken, getApiToken, insertApiToken, type Whose } from './store.ts'
import { findIdentity } from '../accounts/store.ts'
import type { Tokens } from '../sessions/tokens.ts'

type Deps = { db: Database; clock: Clock; tokens: Tokens }
type Wanted = { name: string; role: Role; expires_at?: string | null }

/** Whose API tokens a caller sees and may revoke: an administrator the organization's, others their own. */
export function visibleTo({ organizationId, userId, role }: Caller): Whose {
  return { organizationId, userId: role === 'admin' ? null : userId }
}

/** Makes an API token that acts for the caller, who may be a viewer: it can do no more than they. */
export async function createApiToken({ db, clock }: Omit<Deps, 'tokens'>, caller: Caller, wanted: Wanted) {
  const sessionId = sessionOf(caller)
  if (!isAtLeast(caller.role, wanted.role)) {
    const details = `role: must be ${caller.role}, or less`
    throw new AppError('forbidden', 'Insufficient permissions', { details })
  }
  const nowMs = clock.now()
  const { expires_at: until = null } = wanted
  const expiresAtMs = until === null ? null : readZonedTime(until)
  if (expiresAtMs === undefined || (expiresAtMs !== null && expiresAtMs <= nowMs)) {
    throw invalid('expires_at', `must be ${zonedTimeText}, in the future`)
  }
  const { token, hash } = newApiToken()
  const row = await db.write.transaction().execute(async (trx) => {
    const current = await findIdentity(trx, caller.userId, sessionId, nowMs)
    if (!current) throw new AppError('unauthenticated', 'Not signed in', { details: 'the session has ended' })
    const row = await insertApiToken(trx, {
      organization_id: caller.organizationId,
      user_id: caller.userId,
      name: wanted.name,
      role: wanted.role,
      hash,
      expires_at: expiresAtMs,
      last_used_at: null,
      created_at: nowMs,
    })
    const details = { id: row.id, name: row.name, role: row.role }
    await recordAudit(trx, caller, { event: 'api_token_created', details }, nowMs)
    return row
  })
  return { ...row, created_by_name: caller.name, token }
}

/** From here on the token is good for nothing. Throws `not_found` for one the caller does not see. */
export async function revokeApiToken({ db, clock, tokens }: Deps, caller: Caller, id: number): Promise<void> {
  const row = await db.write.transaction().execute(async (trx) => {
    const row = await getApiToken(trx, visibleTo(caller), id)
    await deleteApiToken(trx, id)
    const details = { id, name: row.name, role: row.role }
    await recordAudit(trx, caller, { event: 'api_token_revoked', details }, clock.now())
    return row
  })
  tokens.forget(({ userId, sessionId }) => userId === row.user_id && sessionId === null)
}
