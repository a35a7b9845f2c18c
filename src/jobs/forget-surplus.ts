import { setImmediate as nextTurn } from 'node:timers/promises'
import { listOrganizations } from '../auth/organizations/store.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/open.ts'
import { deleteSomeOfSlo, deleteSurplus, historyNames, listSurplusSlos } from '../db/surplus.ts'

import { createAttempts } from './attempts.ts'

type Deps = { db: Database; clock: Clock; config: Pick<Config, 'quotas'> }

const rowsAtOnce = 1000

/**
 * Keeps what an organization leaves behind bounded, however fast it comes: of each of its histories the newest
 * `QUOTA_HISTORY_ROWS` rows, and of deleted SLOs, which could still be restored, as many as it may have active ones. What
 * fails keeps nothing else from being done; rejects then with the first failure.
 */
export async function forgetSurplus({ db, clock, config: { quotas } }: Deps): Promise<void> {
  const { attempt, assertDone } = createAttempts()
  for (const { id: organizationId } of await listOrganizations(db.read)) {
    for (const history of historyNames) {
      const wanted = { organizationId, keep: quotas.history_rows, nowMs: clock.now(), limit: rowsAtOnce }
      await attempt(async () => {
        while ((await deleteSurplus(db.write, history, wanted)) > 0) await nextTurn()
      })
    }
    const surplus = await attempt(() => listSurplusSlos(db.read, organizationId, quotas.slos))
    for (const id of surplus ?? []) {
      await attempt(async () => {
        while ((await deleteSomeOfSlo(db.write, id, rowsAtOnce)) > 0) await nextTurn()
      })
    }
    await nextTurn()
  }
  assertDone()
}
