import { setImmediate as nextTurn } from 'node:timers/promises'
import { listOrganizations } from '../auth/organization-store.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/open.ts'
import { deleteSomeOfSlo, deleteSurplus, historyNames, listSurplusSlos } from '../db/surplus.ts'

type Deps = { db: Database; clock: Clock; config: Pick<Config, 'quotas'> }

const rowsAtOnce = 1000

/**
 * Keeps what an organization leaves behind bounded, however fast it comes: of each of its histories the newest
 * `QUOTA_HISTORY_ROWS` rows, and of deleted SLOs, which could still be restored, as many as it may have active ones.
 */
export async function forgetSurplus({ db, clock, config: { quotas } }: Deps): Promise<void> {
  for (const { id: organizationId } of await listOrganizations(db.read)) {
    for (const history of historyNames) {
      const wanted = { organizationId, keep: quotas.history_rows, nowMs: clock.now(), limit: rowsAtOnce }
      while ((await deleteSurplus(db.write, history, wanted)) > 0) await nextTurn()
    }
    for (const id of await listSurplusSlos(db.read, organizationId, quotas.slos)) {
      while ((await deleteSomeOfSlo(db.write, id, rowsAtOnce)) > 0) await nextTurn()
    }
    await nextTurn()
  }
}
