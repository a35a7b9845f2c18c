import type { Clock } from '../../clock.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database } from '../../db/open.ts'
import { type Caller, sessionOf } from '../../http/signed-in.ts'
import { deleteSession } from './store.ts'
import type { Tokens } from './tokens.ts'

type Deps = { db: Database; clock: Clock; tokens: Tokens }

/** Ends the caller's session: none of its tokens is good from here on. Throws `forbidden` for what is no session. */
export async function logout({ db, clock, tokens }: Deps, caller: Caller): Promise<void> {
  const ended = sessionOf(caller)
  await db.write.transaction().execute(async (trx) => {
    if (await deleteSession(trx, ended)) await recordAudit(trx, caller, { event: 'logout' }, clock.now())
  })
  tokens.forget(({ sessionId }) => sessionId === ended)
}
