import { type Clock, minuteMs } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { Log } from '../../log.ts'
import { lowerRole } from '../../role.ts'
import { createLastUse } from '../last-use.ts'
import { findApiToken, setLastUsed } from './store.ts'
import { type Credential, hashOpaqueToken, newOpaqueToken } from '../sessions/tokens.ts'

const prefix = 'nines_'

/** A new API token, for one response, and its hash, which is stored. */
export function newApiToken(): { token: string; hash: string } {
  const token = `${prefix}${newOpaqueToken().token}`
  return { token, hash: hashOpaqueToken(token) }
}

/** `drain` resolves when every use seen so far has been recorded, or has failed to be. */
type ApiTokenCredential = Credential & { drain(): Promise<void> }

type Deps = { db: Database; clock: Clock; log: Log }

/** Authenticates API tokens. A token acts for its creator, with the lower of both roles. */
export function createApiTokenCredential({ db, clock, log }: Deps): ApiTokenCredential {
  const write = (id: number, nowMs: number) => setLastUsed(db.write, id, nowMs)
  const lastUse = createLastUse({ clock, log, write }, 'an API token', minuteMs)

  return {
    fits: (token) => token.startsWith(prefix),

    async find(token) {
      const row = await findApiToken(db.read, hashOpaqueToken(token), clock.now())
      if (!row) return undefined
      return {
        identity: {
          userId: row.user_id,
          organizationId: row.organization_id,
          email: row.email,
          name: row.name,
          role: lowerRole(row.role, row.user_role),
          sessionId: null,
          scope: row.scope,
          credential: { type: 'api_token', id: row.id, name: row.token_name },
        },
        untilMs: Math.min(row.expires_at ?? Infinity, lastUse.note(row.id, row.last_used_at)),
      }
    },

    drain: lastUse.drain,
  }
}
