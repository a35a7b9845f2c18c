import type { Tokens } from '../auth/sessions/tokens.ts'
import type { Database } from '../db/open.ts'

type Deps = { db: Pick<Database, 'changedByOthers'>; tokens: Pick<Tokens, 'forget'> }

/** Looks every token up again where another process, such as `nines admin`, may have ended its session. */
export function forgetChangedSignIns({ db, tokens }: Deps): void {
  if (db.changedByOthers()) tokens.forget(() => true)
}
