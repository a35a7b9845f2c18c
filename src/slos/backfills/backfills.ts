import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { BackfillRow } from '../../db/tables/tables.ts'
import { AppError } from '../../errors.ts'
import { findBackfill, getBackfill, isToDo, startBackfill, updateBackfill } from './store.ts'
import { getActiveSlo } from '../store.ts'

type Deps = { db: Database; clock: Clock }

/** Asks for an SLO's past from the beginning; one that is waiting or running goes on as it is. */
export async function restartBackfill(
  { db, clock }: Deps,
  organizationId: number,
  sloId: number,
): Promise<BackfillRow> {
  return db.write.transaction().execute(async (trx) => {
    const slo = await getActiveSlo(trx, organizationId, sloId)
    const before = await findBackfill(trx, organizationId, sloId)
    if (before && isToDo(before)) return before
    await startBackfill(trx, slo, clock.now())
    return getBackfill(trx, organizationId, sloId)
  })
}

/** What has been measured stays. Throws `conflict` for a backfill that has ended. */
export async function cancelBackfill({ db, clock }: Deps, organizationId: number, sloId: number): Promise<void> {
  await db.write.transaction().execute(async (trx) => {
    const { revision, status } = await getBackfill(trx, organizationId, sloId)
    const cancelled = await updateBackfill(trx, sloId, revision, { status: 'cancelled', updated_at: clock.now() })
    if (!cancelled) throw new AppError('conflict', 'Backfill is over', { details: `status: ${status}` })
  })
}
