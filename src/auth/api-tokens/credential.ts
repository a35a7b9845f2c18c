import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { type Clock, minuteMs } from '../../clock.ts'
import { createSingleFlight } from '../../concurrency/single-flight.ts'
import type { Database } from '../../db/open.ts'
import type { Log } from '../../log.ts'
import { lowerRole } from '../../role.ts'
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

/**
 * Authenticates API tokens. A token acts for its creator, with the lower of both roles. A result is valid until a minute after
 * the last recorded use, so that use is recorded once a minute, after the response.
 */
export function createApiTokenCredential({ db, clock, log }: Deps): ApiTokenCredential {
  const writes = createSingleFlight<void>()

  async function write(id: number, nowMs: number): Promise<void> {
    await yieldToEventLoop()
    try {
      await setLastUsed(db.write, id, nowMs)
    } catch (error) {
      log.error('use of an API token not recorded', { id, error })
    }
  }

  return {
    fits: (token) => token.startsWith(prefix),

    async find(token) {
      const nowMs = clock.now()
      const row = await findApiToken(db.read, hashOpaqueToken(token), nowMs)
      if (!row) return undefined
      const writtenMs = row.last_used_at ?? -Infinity
      const isDue = Math.abs(nowMs - writtenMs) >= minuteMs // the clock may have been set back
      if (isDue) void writes.join(row.id, () => write(row.id, nowMs))
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
        untilMs: Math.min(row.expires_at ?? Infinity, (isDue ? nowMs : writtenMs) + minuteMs),
      }
    },

    drain: writes.drain,
  }
}
