import type { Clock } from '../../clock.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database, Db } from '../../db/open.ts'
import type { Origin } from '../../origin.ts'
import { type Call, identifyClient } from './clients/access.ts'
import type { OAuthClientRow } from './clients/store.ts'
import { OAuthError, wantedField } from './error.ts'
import { endGrant, findPair } from './store.ts'
import { hashOpaqueToken, type Tokens } from '../sessions/tokens.ts'

type Deps = { db: Database; clock: Clock; tokens: Pick<Tokens, 'forget'> }

/** RFC 7009: either half of a pair ends the whole grant; an unknown token is no error, another application's is one. */
export async function revoke({ db, clock, tokens }: Deps, call: Call, origin: Origin): Promise<void> {
  const client = await identifyClient(db.read, call)
  const hash = hashOpaqueToken(wantedField(call.form, 'token'))
  await db.write.transaction().execute(async (trx) => {
    const pair = await findPair(trx, hash)
    if (!pair) return
    if (pair.client_id !== client.id) throw new OAuthError('invalid_grant', 'the token was given to another client')
    await end({ trx, client, origin, nowMs: clock.now() }, pair.grant_id, { outcome: 'success', reason: 'revoked' })
  })
  tokens.forget(({ organizationId, sessionId }) => organizationId === client.organization_id && sessionId === null)
}

type Ending = { trx: Db; client: OAuthClientRow; origin: Origin; nowMs: number }

/** Ends every token of a grant because one of its secrets was presented twice: somebody else has it (RFC 9700, 4.14.2). */
export async function endReplayed(ending: Ending, grantId: string, reason: string): Promise<void> {
  await end(ending, grantId, { outcome: 'failure', reason })
}

type Why = { outcome: 'success' | 'failure'; reason: string }

async function end({ trx, client, origin, nowMs }: Ending, grantId: string, { outcome, reason }: Why): Promise<void> {
  const user = await endGrant(trx, grantId)
  if (!user) return
  const actor = { organizationId: client.organization_id, userId: user.id, email: user.email, origin }
  const details = { client_id: client.id, name: client.name, reason }
  await recordAudit(trx, actor, { event: 'oauth_token_revoked', outcome, details }, nowMs)
}
