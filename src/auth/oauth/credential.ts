import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { readScopes, roleWithin } from './scopes.ts'
import { findAccess } from './store.ts'
import { type Credential, hashOpaqueToken, newOpaqueToken } from '../sessions/tokens.ts'

const prefix = 'nineso_' // tells it from the other bearer tokens, also to scanners of leaked secrets

export function newAccessToken(): { token: string; hash: string } {
  const token = `${prefix}${newOpaqueToken().token}`
  return { token, hash: hashOpaqueToken(token) }
}

/** Access tokens of applications: they speak for the user who consented, in the role the scopes leave. */
export const oauthCredential = ({ db, clock }: { db: Pick<Database, 'read'>; clock: Clock }): Credential => ({
  fits: (token) => token.startsWith(prefix),
  async find(token) {
    const found = await findAccess(db.read, hashOpaqueToken(token), clock.now())
    if (!found) return undefined
    const identity = {
      userId: found.id,
      organizationId: found.organization_id,
      email: found.email,
      name: found.name,
      role: roleWithin(readScopes(found.access_scopes) ?? [], found.role),
      sessionId: null,
      credential: { type: 'oauth_client', id: found.client_id, name: found.client_name } as const,
    }
    return { identity, untilMs: found.access_expires_at }
  },
})
