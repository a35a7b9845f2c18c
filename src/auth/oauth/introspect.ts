import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { type Call, identifyClient } from './clients/access.ts'
import { OAuthError, wantedField } from './error.ts'
import { findPair } from './store.ts'
import { hashOpaqueToken } from '../sessions/tokens.ts'

type Deps = { db: Database; clock: Clock; issuer: () => string }

/** RFC 7662, for applications with a secret and about their own tokens; any other is only said not to be active. */
export async function introspect({ db, clock, issuer }: Deps, call: Call) {
  const client = await identifyClient(db.read, call)
  if (client.secret_hash === null) throw new OAuthError('invalid_client', 'must be a client with a secret')
  const hash = hashOpaqueToken(wantedField(call.form, 'token'))
  const pair = await findPair(db.read, hash)
  const isAccess = pair?.access_hash === hash
  const expiresAtMs = (isAccess ? pair?.access_expires_at : pair?.refresh_expires_at) ?? 0
  if (!pair || pair.client_id !== client.id || pair.refresh_used_at !== null || expiresAtMs <= clock.now()) {
    return { active: false }
  }
  return {
    active: true,
    scope: isAccess ? pair.access_scopes : pair.scopes,
    client_id: client.id,
    username: pair.email,
    ...(isAccess ? { token_type: 'Bearer' } : {}),
    exp: Math.floor(expiresAtMs / 1000),
    iat: Math.floor(pair.created_at / 1000),
    sub: String(pair.user_id),
    iss: issuer(),
  }
}
