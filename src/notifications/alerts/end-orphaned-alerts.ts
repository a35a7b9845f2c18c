import { inChunks } from '../../concurrency/chunks.ts'
import { aroundDamage } from '../../db/failures/damage.ts'
import type { Database } from '../../db/open.ts'
import { nothingFound } from './alert-states.ts'
import { endAlerts, listOrphanedAlerts } from './alert-store.ts'
import { tell } from './raise-alerts.ts'
import type { RaiseDeps } from './draft.ts'

const atOnce = 100

/** Ends the alerts of SLOs that have been deleted, which nothing evaluates any more; who was told of one hears of that. */
export async function endOrphanedAlerts(deps: RaiseDeps & { db: Database }): Promise<void> {
  const { db, clock } = deps
  const found = await listOrphanedAlerts(db.read)
  const atSeconds = Math.floor(clock.now() / 1000)
  const end = (some: typeof found) =>
    db.write.transaction().execute(async (trx) => {
      const ended = await endAlerts(
        trx,
        some.map(({ alert }) => alert.id),
        atSeconds,
      )
      const standings = some
        .filter(({ alert }) => ended.has(alert.id))
        .map(({ slo, alert }) => {
          const ended = [{ ...alert, ended_at: atSeconds }]
          return { slo, evaluation: nothingFound(atSeconds), open: [], ended }
        })
      await tell(deps, trx, standings)
      return []
    })
  for (const some of inChunks(found, atOnce)) await aroundDamage(some, end, () => [])
}
