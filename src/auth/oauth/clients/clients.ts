import type { Clock } from '../../../clock.ts'
import { recordAudit } from '../../../db/audit.ts'
import type { Database } from '../../../db/open.ts'
import type { Caller } from '../../../http/signed-in.ts'
import type { ClientCreation } from './model.ts'
import { deleteOAuthClient, getOAuthClient, insertOAuthClient, type OAuthClientRow } from './store.ts'
import { newOpaqueToken, type Tokens } from '../../sessions/tokens.ts'

type Deps = { db: Database; clock: Clock; tokens: Pick<Tokens, 'forget'> }

/** Registers an application of the caller's organization. `secret` is not kept; `null`: it has none. */
export async function registerClient(
  { db, clock }: Deps,
  caller: Caller,
  wanted: ClientCreation,
): Promise<{ client: OAuthClientRow; secret: string | null }> {
  const secret = wanted.confidential ? newOpaqueToken() : null
  const nowMs = clock.now()
  const client = await db.write.transaction().execute(async (trx) => {
    const row = await insertOAuthClient(trx, {
      id: crypto.randomUUID(),
      organization_id: caller.organizationId,
      name: wanted.name,
      secret_hash: secret?.hash ?? null,
      redirect_uris: JSON.stringify(wanted.redirect_uris),
      created_by: caller.userId,
      created_at: nowMs,
    })
    const details = { client_id: row.id, name: row.name, redirect_uris: wanted.redirect_uris }
    await recordAudit(trx, caller, { event: 'oauth_client_created', details }, nowMs)
    return row
  })
  return { client, secret: secret?.token ?? null }
}

/** Removes an application; whatever it holds is void at once. */
export async function removeClient({ db, clock, tokens }: Deps, caller: Caller, id: string): Promise<void> {
  await db.write.transaction().execute(async (trx) => {
    const { name } = await getOAuthClient(trx, caller.organizationId, id)
    await deleteOAuthClient(trx, caller.organizationId, id)
    const details = { client_id: id, name }
    await recordAudit(trx, caller, { event: 'oauth_client_deleted', details }, clock.now())
  })
  tokens.forget(({ organizationId, sessionId }) => organizationId === caller.organizationId && sessionId === null)
}
