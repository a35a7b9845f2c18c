import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { findAccess } from './store.ts'
import { type Credential, hashOpaqueToken, newOpaqueToken, type Tokens } from '../sessions/tokens.ts'
import { isAtLeast, type Role } from '../../role.ts'

/** Scopes of applications: act as a viewer, or with the user's role, though never as an administrator. */
export const scopes = ['read', 'write'] as const
export type Scope = (typeof scopes)[number]

/** Parses a list separated by spaces (RFC 6749, 3.3); each scope once, in a fixed order; `undefined` if one is unknown. */
export function readScopes(text: string): Scope[] | undefined {
  const names = new Set(text.split(' '))
  const validScopes = scopes.filter((scope) => names.has(scope))
  return validScopes.length === names.size ? validScopes : undefined
}

/** The role in which an application acts for a user of the given role. */
function roleWithin(granted: Scope[], role: Role): Role {
  if (!granted.includes('write')) return 'viewer'
  return isAtLeast(role, 'member') ? 'member' : role
}

const prefix = 'nineso_' // distinguishes it from other bearer tokens, also for scanners of leaked secrets

export function newAccessToken(): { token: string; hash: string } {
  const token = `${prefix}${newOpaqueToken().token}`
  return { token, hash: hashOpaqueToken(token) }
}

/** Authenticates access tokens of applications: they act for the user who consented, in the role that the scopes leave. */
export const oauthCredential = ({ db, clock }: { db: Pick<Database, 'read'>; clock: Clock }): Credential => ({
  fits: (token) => token.startsWith(prefix),
  async find(token) {
    const access = await findAccess(db.read, hashOpaqueToken(token), clock.now())
    if (!access) return undefined
    const identity = {
      userId: access.id,
      organizationId: access.organization_id,
      email: access.email,
      name: access.name,
      role: roleWithin(readScopes(access.access_scopes) ?? [], access.role),
      sessionId: null,
      credential: { type: 'oauth_client', id: access.client_id, name: access.client_name } as const,
    }
    return { identity, untilMs: access.access_expires_at }
  },
})

/** Drops an organization's cached tokens without a session. Call it after a commit that may have revoked access tokens. */
export function invalidateAccessTokens(tokens: Pick<Tokens, 'invalidate'>, ofOrganization: number): void {
  tokens.invalidate(({ organizationId, sessionId }) => organizationId === ofOrganization && sessionId === null)
}
